"""What organisers do: staging references, inviting others, announcements, admitting, rescoring."""

from django.conf import settings
from django.db import models

from leaderboard.models.challenge import Challenge, Phase
from leaderboard.models.submission import StoredFile
from leaderboard.models.team import Team, invitation_token


class StagedReferences(models.Model):
    """A file of references that somebody looks at before a phase uses it.

    It has no faults; it lies here as it came, so that any process can read it
    when its use is confirmed.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="staged_references")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=120)
    file_name = models.CharField(max_length=200)
    content = models.BinaryField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "user"], name="staged_references_once_per_phase_and_person"
            )
        ]

    def __str__(self) -> str:
        return self.file_name


class OrganiserInvitation(models.Model):
    """An invitation by e-mail to run a challenge; whoever holds its link can accept it.

    Nothing is looked up by the address, so that nobody learns here who has an account.
    """

    challenge = models.ForeignKey(
        Challenge, on_delete=models.CASCADE, related_name="organiser_invitations"
    )
    email = models.EmailField()
    token = models.CharField(max_length=64, unique=True, default=invitation_token, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "email"], name="organiser_invited_once_per_challenge"
            )
        ]

    def __str__(self) -> str:
        return f"{self.email}: {self.challenge}"


class Announcement(models.Model):
    """A dated piece of news of a challenge; ``body`` is Markdown.

    ``mailed_at`` is when organisers had it mailed to who takes part, which they can do once,
    and ``mails`` how many mails that made.
    """

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="announcements")
    title = models.CharField(max_length=120)
    body = models.TextField(blank=True, max_length=10_000)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    published_at = models.DateTimeField()
    edited_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True, editable=False)
    mails = models.PositiveIntegerField(default=0, editable=False)

    class Meta:
        ordering = ["-published_at", "-id"]

    def __str__(self) -> str:
        return self.title


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


class Rescoring(models.Model):
    """A dry run of other parameters over every submission of a phase.

    Its evaluations are not published; publishing it makes them the ones that
    count and its ``parameters`` (family -> name -> value) those of the phase, and,
    where they are given, its ``ranking_metric`` and ``precision`` the phase's.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="rescorings")
    families = models.JSONField()
    parameters = models.JSONField(default=dict)
    ranking_metric = models.CharField(max_length=40, blank=True)
    precision = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=300)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)
    discarded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["phase"],
                condition=models.Q(published_at=None, discarded_at=None),
                name="one_open_rescoring_per_phase",
            )
        ]

    def __str__(self) -> str:
        return f"rescoring of {self.phase_id} from {self.created_at:%Y-%m-%d}"
