"""What is settled."""

from django.conf import settings
from django.db import models

from annotation.models.item import Item


class Gold(models.Model):
    """The settled labels of a caption.

    ``labels`` has one name per token, "O" for none. ``provenance`` has for each
    token how it was settled: {"how": "agreed", "chosen" or "single" (one person
    alone labelled it), "by": id of the user who chose or None, "from": ids of the
    annotations that have this label, "votes": what each annotation said then}.
    """

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="gold")
    labels = models.JSONField()
    spans = models.JSONField(default=list)
    provenance = models.JSONField()
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    settled_at = models.DateTimeField()

    class Meta:
        ordering = ["item"]

    def __str__(self) -> str:
        return f"gold of item {self.item_id}"
