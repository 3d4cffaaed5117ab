"""Captions to be labelled, with their assignments: one for each person who labels one."""

from typing import Any

from django.conf import settings
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


class AssignmentRecord(models.Model):
    """That a caption was handed to a person: whoever had it may bring work on it, ever so late."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignment_records")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["item", "id"]
        constraints = [
            models.UniqueConstraint(fields=["item", "user"], name="assignment_record_once")
        ]

    def __str__(self) -> str:
        return f"item {self.item_id} to {self.user_id}"


class Assignment(models.Model):
    """One of the ``copies`` assignments of an item.

    It is free (no ``user``), held until ``expires_at``, or ``done``. A caption can
    therefore never count for more people than it has assignments, and the constraint
    on (item, user) keeps one person from taking two of them. ``project`` and
    ``rank`` are the item's, here so that the next free assignment is found by an index.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignments")
    number = models.PositiveSmallIntegerField()
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="assignments")
    rank = models.FloatField()
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    expires_at = models.DateTimeField(null=True)
    done = models.BooleanField(default=False)

    class Meta:
        ordering = ["project", "rank", "item", "number"]
        constraints = [
            models.UniqueConstraint(fields=["item", "number"], name="assignment_once"),
            models.UniqueConstraint(
                fields=["item", "user"],
                condition=models.Q(user__isnull=False),
                name="one_assignment_per_item_and_person",
            ),
        ]
        indexes = [
            models.Index(
                fields=["project", "rank", "item", "number"],
                condition=models.Q(done=False),
                name="assignment_open",
            )
        ]

    def __str__(self) -> str:
        return f"assignment {self.number} of item {self.item_id}"
