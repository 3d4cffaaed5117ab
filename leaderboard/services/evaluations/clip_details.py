"""Packing the details of each clip, which explain its scores."""

from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.models.evaluation import CLIPS_PER_BLOCK, ClipDetails
from scoring.results import Details, MetricScore


@dataclass(frozen=True, slots=True)
class PackedDetails:
    """Blocks ready to store with the position of their first clip, or why there are none."""

    blocks: tuple[tuple[int, bytes], ...] = ()
    note: str = ""


def details_pack(scores: Iterable[MetricScore], *, limit: int) -> PackedDetails:
    """Pack the details of a family, whose metrics share them, into blocks.

    If they take more than ``limit`` bytes (compressed), none is stored and the note says
    so; the scores are stored all the same.
    """
    details = next((score.details for score in scores if score.details is not None), None)
    if details is None:
        return PackedDetails()
    blocks, size = [], 0
    for first in range(0, len(details), CLIPS_PER_BLOCK):
        content = _block(details, first)
        size += len(content)
        if size > limit:
            return PackedDetails(note=_too_large(limit, first, len(details)))
        blocks.append((first, content))
    return PackedDetails(tuple(blocks))


def _block(details: Details, first: int) -> bytes:
    return ClipDetails.pack(details[first : first + CLIPS_PER_BLOCK])


def _too_large(limit: int, first: int, clips: int) -> str:
    return (
        f"The details were not stored: those of the first {first + CLIPS_PER_BLOCK:,} of {clips:,} "
        f"clips alone are larger than the limit of this installation, {limit / 1e6:g} MB for each "
        "metric family of a system."
    )
