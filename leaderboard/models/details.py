"""Why the clips of a system have the scores that they have."""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import models

from leaderboard.models.evaluation import Evaluation

# Clips that stand in one row: few enough that one clip is read at once, many enough
# that what their details share is compressed away.
CLIPS_PER_BLOCK = 50


class ClipDetails(models.Model):
    """The details of one metric family for up to ``CLIPS_PER_BLOCK`` clips of a submission.

    ``content`` is compressed JSON, one line per clip from ``first_clip`` on, in
    the order of the reference set (from 0). It may hold words of references.
    """

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="clip_details"
    )
    first_clip = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["evaluation", "first_clip"]
        constraints = [
            models.UniqueConstraint(
                fields=["evaluation", "first_clip"], name="clip_details_once_per_block"
            )
        ]

    def __str__(self) -> str:
        return f"clips from {self.first_clip} of evaluation {self.evaluation_id}"

    def read_clip(self, position: int) -> Any:
        """Give the details of the clip at this position of the reference set."""
        lines = zlib.decompress(bytes(self.content)).split(b"\n")
        return json.loads(lines[position - self.first_clip])

    def read(self) -> list[Any]:
        """Give the details of all clips of the block, in order."""
        return [json.loads(line) for line in zlib.decompress(bytes(self.content)).split(b"\n")]

    @staticmethod
    def first_of(position: int) -> int:
        """Give ``first_clip`` of the block that a clip stands in."""
        return position - position % CLIPS_PER_BLOCK

    @staticmethod
    def pack(details: Sequence[Mapping[str, Any]]) -> bytes:
        """Pack a block as ``read_clip`` expects it; values are ready for JSON."""
        lines = (json.dumps(row, separators=(",", ":"), allow_nan=False) for row in details)
        return zlib.compress("\n".join(lines).encode(), 6)
