"""References as organisers look at them before a phase uses them."""

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median

from leaderboard.models import Phase, ReferenceSet, User
from leaderboard.selectors.organising.shared_captions import SharedCaptions, shared_captions
from scoring.captions import Clip, References

ROWS = 5


@dataclass(frozen=True, slots=True)
class Preview:
    """What a file of references holds.

    ``twin`` names the phases that have the same already, ``shared`` says what of them is hidden
    in one phase and public in another.
    """

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
    shared: tuple[SharedCaptions, ...]


def preview_of(
    references: References, phase: Phase, organised: Collection[int], actor: User
) -> Preview:
    """Describe references that ``phase`` might get from ``actor``.

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
        shared=tuple(
            shared_captions(references, phase=phase, public=phase.references_public, actor=actor)
        ),
    )
