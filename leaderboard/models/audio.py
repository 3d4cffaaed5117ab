"""The sound of the clips."""

from django.db import models

from leaderboard.models.references import ReferenceSet


class AudioFile(models.Model):
    """The recording of one clip of a reference set; the bytes lie in a folder by ``sha256``."""

    reference_set = models.ForeignKey(ReferenceSet, on_delete=models.CASCADE, related_name="audio")
    position = models.PositiveIntegerField(help_text="Of the clip in the set, from 0.")
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    media_type = models.CharField(max_length=40)

    class Meta:
        ordering = ["reference_set", "position"]
        constraints = [
            models.UniqueConstraint(fields=["reference_set", "position"], name="one_audio_per_clip")
        ]

    def __str__(self) -> str:
        return self.sha256[:12]
