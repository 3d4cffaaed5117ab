"""What is settled."""

from django.conf import settings
from django.db import models

from annotation.models.item import Item


class Gold(models.Model):
    """The settled labels of a caption.

    ``labels`` has one name per token, "O" for none. ``provenance`` has for each
    token how it was settled: {"how": "agreed" or "chosen", "by": user id or
    None, "from": ids of the annotations that have this label}.
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
