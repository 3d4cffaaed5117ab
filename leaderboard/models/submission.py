"""What teams hand in."""

from django.conf import settings
from django.db import models

from leaderboard.models.challenge import Phase
from leaderboard.models.public_id import public_id
from leaderboard.models.references import ReferenceSet
from leaderboard.models.team import Team

# What a submission says of its system: DCASE's field names, what readers call them,
# and the order in which they are asked for and shown.
METADATA = {
    "audio_modelling": "Encoder",
    "word_modelling": "Decoder",
    "total_parameters": "Parameters",
    "external_datasets": "External data",
    "source_code": "Source code",
}


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
    HUMAN = "human", "Human"


class Submission(models.Model):
    """The captions of one system for one phase.

    ``other_references`` is what they are scored against where that is not the
    references of the phase: a person's captions are references themselves.
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
    chosen = models.BooleanField(default=False)
    created_at = models.DateTimeField()

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
        ]

    def __str__(self) -> str:
        return f"{self.system_name} ({self.team})"

    @property
    def competes(self) -> bool:
        """Whether it can be ranked."""
        return self.kind == Kind.SYSTEM

    @property
    def reference_set(self) -> ReferenceSet | None:
        """What the captions are scored against."""
        return self.other_references or self.phase.reference_set
