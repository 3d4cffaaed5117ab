"""Taking part in a challenge where its organisers ask for more than a team: terms, approval."""

from django.conf import settings
from django.db import models

from leaderboard.models.challenge import Challenge
from leaderboard.models.submission import StoredFile
from leaderboard.models.team import Team


class ParticipationState(models.TextChoices):
    """How far a team is; only who takes part may submit."""

    ASKED = "asked", "Waits for a decision"
    ADMITTED = "admitted", "Takes part"
    REFUSED = "refused", "Refused"
    WITHDRAWN = "gone", "Admission withdrawn"


class ChallengeParticipation(models.Model):
    """A team that takes part in a challenge, or asked to.

    ``terms`` is the very text that was accepted, and ``terms_version`` the challenge's number
    of that moment; both are empty where there were none. What was before is in the audit log.
    """

    challenge = models.ForeignKey(
        Challenge, on_delete=models.CASCADE, related_name="participations"
    )
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="participations")
    state = models.CharField(max_length=8, choices=ParticipationState)
    asked_at = models.DateTimeField()
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    note = models.CharField(max_length=500, blank=True)
    terms = models.ForeignKey(
        StoredFile, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    terms_version = models.PositiveIntegerField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["asked_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "team"], name="participation_once_per_team"
            )
        ]

    def __str__(self) -> str:
        return f"{self.team} in {self.challenge}"


class AnnouncementOptOut(models.Model):
    """Somebody who wants no announcements of one challenge by e-mail."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="announcement_opt_outs"
    )
    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["challenge__title", "id"]
        constraints = [models.UniqueConstraint(fields=["user", "challenge"], name="opted_out_once")]

    def __str__(self) -> str:
        return f"{self.user}: nothing of {self.challenge}"
