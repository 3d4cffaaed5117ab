"""Submissions and their files."""

from typing import Self

from django.conf import settings
from django.db import models

from leaderboard.models.challenge import Phase
from leaderboard.models.public_id import public_id
from leaderboard.models.references import ReferenceSet
from leaderboard.models.team import Team


class StoredFile(models.Model):
    """An uploaded file as it came, byte for byte; never changed.

    It lives in the database so that every worker machine can read it and no
    back-up can have the rows without the files.
    """

    sha256 = models.CharField(max_length=64, primary_key=True)
    content = models.BinaryField()
    size = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256[:12]


class Kind(models.TextChoices):
    """What wrote the captions; only systems compete."""

    SYSTEM = "system", "System"
    BASELINE = "baseline", "Baseline"
    HUMAN = "human", "Human"


def eligible(prefix: str = "") -> models.Q:
    """Condition for what its team has not withdrawn and the organisers not disqualified.

    ``prefix`` leads to the submission, as in "submission__". Only this says what may be ranked.
    """
    return models.Q(**{f"{prefix}withdrawn_at": None, f"{prefix}disqualified_at": None})


class SubmissionQuerySet(models.QuerySet["Submission"]):
    """Submissions, told apart by whether they may be ranked."""

    def eligible(self) -> Self:
        """Leave out what is withdrawn or disqualified."""
        return self.filter(eligible())

    def of_teams(self) -> Self:
        """Leave out the human row, which no team made."""
        return self.exclude(kind=Kind.HUMAN)

    def competing(self) -> Self:
        """Leave only what can be ranked."""
        return self.eligible().filter(kind=Kind.SYSTEM)

    def unranked(self) -> Self:
        """Leave only what stands beside the ranking: the human row and baselines."""
        return self.eligible().exclude(kind=Kind.SYSTEM)


class Submission(models.Model):
    """The captions of one system for one phase.

    A submission is never deleted: its team can withdraw it, organisers can
    disqualify it, and both can be taken back. ``upload_key`` is what a client
    sends along so that an upload tried twice is taken once. ``other_references`` is
    what the captions are scored against where that is not the references of the
    phase: a person's captions are references themselves.
    """

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="submissions")
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.SYSTEM)
    other_references = models.ForeignKey(
        ReferenceSet, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    system_name = models.CharField(max_length=80)
    description = models.TextField(blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    file = models.ForeignKey(StoredFile, on_delete=models.PROTECT, related_name="+")
    file_name = models.CharField(max_length=200)
    warnings = models.JSONField(default=list, blank=True)
    label = models.CharField(
        max_length=80, blank=True, help_text="The system's label as in DCASE's metadata."
    )
    report = models.ForeignKey(
        StoredFile, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    report_name = models.CharField(max_length=200, blank=True)
    upload_key = models.CharField(max_length=64, null=True, blank=True, editable=False)  # noqa: DJ001
    chosen = models.BooleanField(default=False)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    disqualified_at = models.DateTimeField(null=True, blank=True)
    disqualified_for = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["phase", "team", "created_at"])]
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "team"],
                condition=models.Q(chosen=True),
                name="one_chosen_submission_per_team_and_phase",
            ),
            models.UniqueConstraint(
                fields=["phase"],
                condition=models.Q(kind=Kind.HUMAN),
                name="one_human_row_per_phase",
            ),
            models.UniqueConstraint(
                fields=["phase", "team", "upload_key"], name="upload_once_per_key"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.system_name} ({self.team})"

    @property
    def is_eligible(self) -> bool:
        """Whether it was neither withdrawn nor disqualified."""
        return self.withdrawn_at is None and self.disqualified_at is None

    @property
    def competes(self) -> bool:
        """Whether it can be ranked."""
        return self.kind == Kind.SYSTEM and self.is_eligible

    @property
    def reference_set(self) -> ReferenceSet | None:
        """What the captions are scored against."""
        return self.other_references or self.phase.reference_set
