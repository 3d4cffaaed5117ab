"""Reference captions."""

import zlib
from dataclasses import replace

from django.db import models

from scoring.captions import References


class ReferenceSet(models.Model):
    """The references of a corpus; never changed, told apart by their content.

    ``documents`` is the set that document frequencies are counted over, where it
    is not this one.
    """

    content_hash = models.CharField(max_length=64, unique=True, editable=False)
    name = models.CharField(max_length=120)
    clip_count = models.PositiveIntegerField(editable=False)
    caption_count = models.PositiveIntegerField(editable=False)
    payload = models.BinaryField(editable=False)
    documents = models.ForeignKey(
        "self", null=True, editable=False, on_delete=models.PROTECT, related_name="+"
    )
    audio_base_url = models.URLField(
        blank=True, help_text="Where the recordings lie, where that is another server."
    )
    created_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.clip_count} clips)"

    def read(self) -> References:
        """Unpack the references, in their fixed order."""
        clips = References.from_json(zlib.decompress(bytes(self.payload)).decode())
        return clips if self.documents is None else replace(clips, documents=self.documents.read())

    @staticmethod
    def pack(references: References) -> bytes:
        """Pack the clips as ``read`` expects them."""
        return zlib.compress(references.to_json().encode(), 6)
