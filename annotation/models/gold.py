"""What is settled."""

from django.conf import settings
from django.db import models

from annotation.models.item import Item


class GoldLabels(models.Model):
    """Labels of a caption that are, or were, settled.

    ``labels`` has one name per token, "O" for none. ``provenance`` has for each
    token how it was settled: {"how": "agreed", "chosen" or "single" (one person
    alone labelled it), "by": id of the user who chose or None, "from": ids of the
    annotations that have this label, "votes": what each annotation said then}.
    """

    labels = models.JSONField()
    spans = models.JSONField(default=list)
    provenance = models.JSONField()
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    settled_at = models.DateTimeField()

    class Meta:
        abstract = True


class Gold(GoldLabels):
    """What is settled of a caption now."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="gold")

    class Meta:
        ordering = ["item"]

    def __str__(self) -> str:
        return f"gold of item {self.item_id}"


class GoldEnd(models.TextChoices):
    """Why something is no longer settled."""

    TAKEN_BACK = "taken_back", "Taken back"
    REPLACED = "replaced", "Decided again"
    RENEWED = "renewed", "All agreed on other labels"


class PastGold(GoldLabels):
    """What was settled of a caption once: nothing that was decided is ever lost.

    ``reason`` is what who took it back said of it.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="past_gold")
    end = models.CharField(max_length=10, choices=GoldEnd)
    reason = models.CharField(max_length=500, blank=True)
    ended_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    ended_at = models.DateTimeField()

    class Meta:
        ordering = ["item", "-ended_at", "-id"]

    def __str__(self) -> str:
        return f"past gold of item {self.item_id}"
