"""Recordings of a project that stands alone."""

from django.db import models

from annotation.models.project import Project
from leaderboard.models import RecordingRow

LONGEST_NAME = 500


class Sound(RecordingRow):
    """The recording of a project's captions that name one ``file_name`` in their meta."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="sounds")
    file_name = models.CharField(max_length=LONGEST_NAME)

    class Meta:
        ordering = ["project", "file_name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "file_name"], name="sound_once_per_name")
        ]

    def __str__(self) -> str:
        return self.file_name
