"""Captions to be labelled, with their assignments: one for each person who labels one."""

from datetime import datetime
from typing import Any, TypeVar

from django.conf import settings
from django.db import models

from annotation.models.imports import Import
from annotation.models.people import person_or_nobody
from annotation.models.project import Project
from leaderboard.models import ReferenceSet

# Whatever is of a caption that a manager removed is left out by every manager of its table but
# ``with_removed``, so that no reader can forget it.
PRESENT = models.Q(item__removed_at__isnull=True)
_Row = TypeVar("_Row", bound=models.Model)


class PresentManager(models.Manager[_Row]):
    """Rows of captions that are not removed."""

    def get_queryset(self) -> models.QuerySet[_Row]:
        """Leave out those of removed captions."""
        return super().get_queryset().filter(PRESENT)


class ItemManager(models.Manager["Item"]):
    """Captions that are not removed."""

    def get_queryset(self) -> models.QuerySet["Item"]:
        """Leave out removed ones."""
        return super().get_queryset().filter(removed_at__isnull=True)


class Item(models.Model):
    """One caption of a project, or what else its kind of work is about.

    ``content`` is what a kind of work keeps of it besides the text; label words has none.
    ``tokens`` are Prodigy's: text, start, end (code points, end exclusive), id,
    ws. ``meta`` and ``extra`` keep what the file said of it, unknown keys and
    foreign hashes included. ``key`` tells captions apart within the project.
    ``reference_set`` and ``clip`` (its position there) say which clip it is of, where
    it came from a phase of this site: whoever labels it may hear it. Files cannot set
    them. ``rank`` is the place in the order in which they are handed out; ``copies``
    the number of people that each goes to. ``imported_in`` is the file that brought it. Since
    ``removed_at`` it is no part of the project's work, with all that is of it; kept as it is,
    it can be brought back.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="items")
    key = models.CharField(max_length=64)
    position = models.PositiveIntegerField()
    rank = models.FloatField()
    copies = models.PositiveSmallIntegerField()
    text = models.TextField()
    tokens = models.JSONField()
    content = models.JSONField(default=dict, blank=True)
    meta = models.JSONField(default=dict)
    extra = models.JSONField(default=dict)
    reference_set = models.ForeignKey(
        ReferenceSet, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    clip = models.PositiveIntegerField(null=True, blank=True)
    imported_in = models.ForeignKey(
        Import, null=True, blank=True, on_delete=models.SET_NULL, related_name="items"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    removed_at = models.DateTimeField(null=True, blank=True, editable=False)
    removed_by = person_or_nobody(blank=True)

    objects = ItemManager()
    with_removed = models.Manager["Item"]()

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


class EarlierHand(models.Model):
    """That a person had a hand in the clip of an item in another stage: it is not for them.

    As a rule an earlier one; but who saw a caption of a clip does not write for it either.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="earlier_hands")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ["item", "id"]
        constraints = [models.UniqueConstraint(fields=["item", "user"], name="earlier_hand_once")]

    def __str__(self) -> str:
        return f"user {self.user_id} before item {self.item_id}"


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


class AssignmentManager(PresentManager["Assignment"]):
    """Assignments without those of test captions."""

    def get_queryset(self) -> models.QuerySet["Assignment"]:
        """Leave out what is no work."""
        return super().get_queryset().filter(test=False)


class Assignment(models.Model):
    """One of the ``copies`` assignments of an item.

    It is free (no ``user``), held until ``expires_at``, or ``done``. A caption can
    therefore never count for more people than it has assignments, and the constraint
    on (item, user) keeps one person from taking two of them. ``project`` and
    ``rank`` are the item's, here so that the next free assignment is found by an index.

    A ``test`` is no work: a settled caption that is mixed into what a person labels, who is
    not to tell it from the others. It is the person's until it is answered. ``objects``
    leaves tests out, ``every`` has them too.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="assignments")
    number = models.PositiveSmallIntegerField()
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="assignments")
    rank = models.FloatField()
    user = person_or_nobody()
    expires_at = models.DateTimeField(null=True)
    done = models.BooleanField(default=False)
    test = models.BooleanField(default=False)

    objects = AssignmentManager()
    every = PresentManager["Assignment"]()
    with_removed = models.Manager["Assignment"]()

    class Meta:
        ordering = ["project", "rank", "item", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "number"], condition=models.Q(test=False), name="assignment_once"
            ),
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

    def is_free(self, now: datetime) -> bool:
        """Whether nobody holds it, or only somebody whose time has run out."""
        expired = self.expires_at is not None and self.expires_at < now
        return not self.done and (self.user_id is None or expired)
