"""Who did what, when."""

from django.conf import settings
from django.db import models

from leaderboard.models.append_only import AppendOnly, AppendOnlyQuerySet
from leaderboard.models.challenge import Challenge, ChallengeImage, Phase
from leaderboard.models.organising import Announcement
from leaderboard.models.submission import Submission
from leaderboard.models.team import Team


def place_in_log(target: object) -> tuple[str, Challenge | None]:
    """What an act's target is called in the log, and the challenge whose log it belongs in."""
    name, challenge = str(target), None
    match target:
        case Challenge():
            name, challenge = target.slug, target
        case Phase():
            name, challenge = f"{target.challenge.slug}/{target.slug}", target.challenge
        case Submission():
            name, challenge = target.public_id, target.phase.challenge
        case Announcement():
            challenge = target.challenge
            name = f"{challenge.slug} announcement {target.pk}"
        case ChallengeImage():
            challenge = target.challenge
        case Team():
            name = target.slug
    return name, challenge


class AuditEvent(AppendOnly):
    """One act that somebody may later have to account for; only ever added.

    The database itself refuses to change or delete a row. That is why the person
    and the challenge are referred to without a constraint: when they are deleted, the row
    stays as it is, with their numbers.
    """

    at = models.DateTimeField()
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    challenge = models.ForeignKey(
        Challenge,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
    )
    action = models.CharField(max_length=64)
    target = models.CharField(max_length=200)
    details = models.JSONField(default=dict)

    objects = AppendOnlyQuerySet["AuditEvent"].as_manager()

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["target", "-at"]),
            models.Index(fields=["challenge", "-at"]),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.target}"
