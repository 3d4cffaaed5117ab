"""Reference captions."""

import zlib

from django.db import models

from scoring.captions import References


class ReferenceSet(models.Model):
    """The references of a corpus; never changed, told apart by their content."""

    content_hash = models.CharField(max_length=64, unique=True, editable=False)
    name = models.CharField(max_length=120)
    clip_count = models.PositiveIntegerField(editable=False)
    caption_count = models.PositiveIntegerField(editable=False)
    payload = models.BinaryField(editable=False)
    created_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.clip_count} clips)"

    def read(self) -> References:
        """Unpack the references, in their fixed order."""
        return References.from_json(zlib.decompress(bytes(self.payload)).decode())

    @staticmethod
    def pack(references: References) -> bytes:
        """Pack references as ``read`` expects them."""
        return zlib.compress(references.to_json().encode(), 6)
