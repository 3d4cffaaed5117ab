"""Reference captions, the recordings of their clips, and the labels of their words."""

import zlib
from dataclasses import replace

from django.db import models

from earmark.captions import References


class ReferenceSet(models.Model):
    """The references of a corpus in one challenge; their content never changes.

    Name, recordings and card belong to that challenge alone: another with the same content has a
    set of its own, and learns nothing of this one. Without a challenge is what was published
    for no phase. ``documents`` is the set that document frequencies are counted over, where it
    is not this one. ``card`` tells how they were made, where they came from a data set that was
    made here: ``open`` for readers of the captions, ``hidden`` without anything of these.
    """

    challenge = models.ForeignKey(
        "leaderboard.Challenge",
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="reference_sets",
    )
    content_hash = models.CharField(max_length=64, db_index=True, editable=False)
    name = models.CharField(max_length=120)
    clip_count = models.PositiveIntegerField(editable=False)
    caption_count = models.PositiveIntegerField(editable=False)
    payload = models.BinaryField(editable=False)
    documents = models.ForeignKey(
        "self", null=True, editable=False, on_delete=models.PROTECT, related_name="+"
    )
    audio_base_url = models.URLField(
        blank=True, help_text="Address of the recordings, if another server has them."
    )
    card = models.JSONField(default=dict, blank=True, editable=False)
    created_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "content_hash"], name="references_once_per_challenge"
            )
        ]

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


class RecordingRow(models.Model):
    """A recording, whose bytes lie in a folder by ``sha256``; ``size`` in bytes.

    Every table of such rows counts where files are kept, deleted and backed up.
    """

    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    media_type = models.CharField(max_length=40)

    class Meta:
        abstract = True


class AudioFile(RecordingRow):
    """The recording of one clip of a reference set."""

    reference_set = models.ForeignKey(ReferenceSet, on_delete=models.CASCADE, related_name="audio")
    position = models.PositiveIntegerField(help_text="Position of the clip in the set, from 0.")

    class Meta:
        ordering = ["reference_set", "position"]
        constraints = [
            models.UniqueConstraint(fields=["reference_set", "position"], name="one_audio_per_clip")
        ]

    def __str__(self) -> str:
        return self.sha256[:12]


class LabelledReferences(models.Model):
    """All captions of a reference set with the descriptors of one labeller.

    Made where no system was scored yet; otherwise the labels are stored with
    the scores. ``content`` is packed as ``ClipDetails.pack`` does, each line of it
    {"references": [[{"text", "label"}]]} of a clip.
    """

    reference_set = models.ForeignKey(
        ReferenceSet, on_delete=models.CASCADE, related_name="labelled"
    )
    identity = models.CharField(max_length=80)
    content = models.BinaryField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["reference_set", "identity"], name="references_labelled_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.identity} on reference set {self.reference_set_id}"
