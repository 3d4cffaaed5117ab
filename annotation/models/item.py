"""Captions to be labelled."""

from typing import Any

from django.db import models

from annotation.models.project import Project
from leaderboard.models import ReferenceSet


class Item(models.Model):
    """One caption of a project.

    ``tokens`` are Prodigy's: text, start, end (code points, end exclusive), id,
    ws. ``meta`` and ``extra`` keep what the file said of it, unknown keys and
    foreign hashes included. ``key`` tells captions apart within the project.
    ``reference_set`` and ``clip`` (its position there) say which clip it is of, where
    it came from a phase of this site: whoever labels it may hear it. Files cannot set
    them. ``rank`` is the place in the order in which they are handed out; ``copies``
    the number of people that each goes to.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=64)
    position = models.PositiveIntegerField()
    rank = models.FloatField()
    copies = models.PositiveSmallIntegerField()
    text = models.TextField()
    tokens = models.JSONField()
    meta = models.JSONField(default=dict)
    extra = models.JSONField(default=dict)
    reference_set = models.ForeignKey(
        ReferenceSet, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    clip = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["project", "position"]
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="item_once_per_project"),
            models.UniqueConstraint(fields=["project", "position"], name="item_position"),
        ]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens' texts."""
        stored: list[dict[str, Any]] = self.tokens
        return tuple(str(token["text"]) for token in stored)

    @property
    def measures_agreement(self) -> bool:
        """Whether several people label it."""
        return self.copies > 1
