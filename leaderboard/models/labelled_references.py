"""What a labeller says of the words of references."""

from django.db import models

from leaderboard.models.references import ReferenceSet


class LabelledReferences(models.Model):
    """All captions of a reference set with the descriptors of one labeller.

    Made where no system was scored yet; of those that were, the labels stand with
    their scores. ``content`` is packed as ``ClipDetails.pack`` does, each line of it
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
