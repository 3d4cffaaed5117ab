"""Notices to people: of their submissions, teams, projects and trainings, and announcements."""

from django.conf import settings
from django.db import models

from leaderboard.models.organising import Announcement
from leaderboard.models.submission import Submission
from leaderboard.models.team import Team


class NoticeKind(models.TextChoices):
    """What happened."""

    SCORED = "scored", "Scored"
    FAILED = "failed", "Failed"
    JUDGED = "judged", "Decided by the organisers"
    INVITED = "invited", "Invited"
    TEAM = "team", "Team"
    TRAINING = "training", "Training"
    PROJECT = "project", "Labelling project"
    PART = "part", "Taking part"
    NEWS = "news", "Announcement"


class Notice(models.Model):
    """One message to one person; ``mailed_at`` tells when it went out by e-mail, too.

    ``mail_due_at`` is when it is to be mailed, next; empty where it never is, has been,
    or was tried often enough in vain. A submission gives each person one notice of
    having been scored, and one of having failed, however often its jobs report.
    An announcement that is mailed gives each person one, too.
    ``about`` and ``path`` are the name and the page of what is neither submission nor team.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices"
    )
    kind = models.CharField(max_length=8, choices=NoticeKind)
    text = models.CharField(max_length=300)
    submission = models.ForeignKey(
        Submission, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    team = models.ForeignKey(
        Team, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    announcement = models.ForeignKey(
        Announcement, null=True, blank=True, on_delete=models.CASCADE, related_name="notices"
    )
    about = models.CharField(max_length=150, blank=True)
    path = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)
    mail_due_at = models.DateTimeField(null=True, blank=True)
    mail_attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["user", "read_at"]),
            models.Index(
                fields=["mail_due_at"],
                condition=models.Q(mail_due_at__isnull=False),
                name="notices_to_be_mailed",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "submission", "kind"],
                condition=models.Q(kind__in=["scored", "failed"]),
                name="one_notice_of_scoring_per_person",
            ),
            models.UniqueConstraint(
                fields=["announcement", "user"],
                condition=models.Q(announcement__isnull=False),
                name="one_notice_of_an_announcement_per_person",
            ),
        ]

    def __str__(self) -> str:
        return self.text


class WaitingMail(models.Model):
    """A mail of no notice that the server did not take; deleted when it is sent or too old.

    It may have a link that sets a password, and is in no backup.
    """

    to = models.EmailField()
    subject = models.TextField()
    body = models.TextField()
    expires_at = models.DateTimeField()
    mail_due_at = models.DateTimeField(null=True)
    mail_attempts = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"mail {self.pk}"
