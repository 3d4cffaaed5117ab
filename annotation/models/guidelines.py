"""The guidelines of a project, as they were after each change."""

from django.db import models

from annotation.models.people import person_or_nobody
from annotation.models.project import Project


class GuidelinesVersion(models.Model):
    """One version of a project's guidelines (Markdown), never changed.

    ``number`` counts from 1. ``saved_by`` is None where that is not known: who left the site,
    and what was there before versions were kept.
    """

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="guidelines_versions"
    )
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    saved_by = person_or_nobody()
    saved_at = models.DateTimeField()

    class Meta:
        ordering = ["project", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="guidelines_version_once")
        ]

    def __str__(self) -> str:
        return f"version {self.number} of the guidelines of project {self.project_id}"
