"""Files that were brought into projects."""

from typing import Any

from django.db import models

from annotation.models.people import person_or_nobody
from annotation.models.project import Project

# Stands for the inventory of an answer of which a file has spans that did not come in.
INCOMPLETE = "incomplete"


class ImportState(models.TextChoices):
    """Where a file stands: looked at before anything comes in, imported, or taken back."""

    WAITING = "waiting", "Not imported yet"
    DONE = "done", "Imported"
    UNDONE = "undone", "Taken back"


class Import(models.Model):
    """A file that was brought into a project, or waits to be.

    ``content`` is the file while it waits, and empty afterwards. ``inventory`` is that of
    the file's labels where they are of another and nobody said what each is here. ``chosen``
    is what was said of the file: ``map_from``, ``table`` (label of the file: label of the
    project, "" for left out) and ``people`` (session: id of a user). ``mapping`` has what became of
    each label that did not keep its name. ``report`` is what the import did, or would do
    while it waits. ``copies`` has, by id of a caption that was there before, to how many
    more people the file brought it; ``made`` the ids of the users that were made for sessions.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    state = models.CharField(max_length=7, choices=ImportState, default=ImportState.DONE)
    file_name = models.CharField(max_length=255, blank=True)
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(default=b"")
    inventory = models.CharField(max_length=50, blank=True)
    chosen = models.JSONField(default=dict)
    mapping = models.JSONField(default=dict)
    report = models.JSONField(default=dict)
    copies = models.JSONField(default=dict)
    made = models.JSONField(default=list)
    by = person_or_nobody(blank=True)
    at = models.DateTimeField()
    undone_by = person_or_nobody(blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["state", "at"])]

    def __str__(self) -> str:
        return f"{self.file_name} into {self.project}"

    @property
    def left_out_labels(self) -> dict[str, int]:
        """How many spans of each label were left out."""
        stored: dict[str, Any] = self.report
        return dict(stored.get("left_out_labels", {}))
