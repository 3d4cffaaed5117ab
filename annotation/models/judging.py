"""Where the pairs of a project of judging come from."""

from django.db import models

from annotation.models.people import person_or_nobody
from annotation.models.project import Project
from leaderboard.models import Phase


class PairDraw(models.Model):
    """That pairs of a phase's captions were drawn for a project: what of, and how.

    ``counts`` has the number of pairs of each kind, ``systems`` the public ids of the systems
    whose captions are in them. A project that was made of an archive, whose phase is not here, has
    {"id", "name"} in their place. All draws of a project are of one phase.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="pair_draws")
    phase = models.ForeignKey(
        Phase, null=True, on_delete=models.SET_NULL, related_name="pair_draws"
    )
    counts = models.JSONField()
    systems = models.JSONField()
    seed = models.PositiveIntegerField()
    by = person_or_nobody()
    at = models.DateTimeField()

    class Meta:
        ordering = ["project", "id"]

    def __str__(self) -> str:
        return f"{sum(self.counts.values())} pairs of phase {self.phase_id}"
