"""Who has which caption: the assignments of a caption, made with it, one for each person."""

from django.conf import settings
from django.db import models

from annotation.models.item import Item
from annotation.models.project import Project


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
