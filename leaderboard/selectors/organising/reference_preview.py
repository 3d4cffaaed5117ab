"""References as organisers look at them before a phase uses them."""

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median

from leaderboard.models import Phase, ReferenceSet
from scoring.captions import Clip, References

ROWS = 5


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file of references holds; ``twin`` names the phases that have the same already."""

    clips: int
    captions: int
    fewest: int
    median: float
    most: int
    words: float
    rows: tuple[Clip, ...]
    content_hash: str
    twin: tuple[str, ...]
    same: bool


def preview_of(references: References, phase: Phase, organised: Collection[int]) -> Preview:
    """Describe references that ``phase`` might get.

    ``organised`` holds the ids of the challenges that the reader runs: that others
    have the same references is not told.
    """
    counts = [len(clip.references) for clip in references.clips]
    lengths = [len(caption.split()) for caption in references.captions]
    twins = Phase.objects.filter(
        reference_set__content_hash=references.content_hash, challenge__in=organised
    ).exclude(pk=phase.pk)
    return Preview(
        clips=len(references),
        captions=sum(counts),
        fewest=min(counts),
        median=median(counts),
        most=max(counts),
        words=sum(lengths) / len(lengths),
        rows=references.clips[:ROWS],
        content_hash=references.content_hash,
        twin=tuple(str(twin) for twin in twins.select_related("challenge")),
        same=ReferenceSet.objects.filter(
            phases=phase, content_hash=references.content_hash
        ).exists(),
    )
