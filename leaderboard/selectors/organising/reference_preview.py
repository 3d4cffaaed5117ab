"""References as organisers look at them before a phase uses them."""

from collections.abc import Collection
from statistics import median
from typing import Any

from leaderboard.models import Phase, ReferenceSet, User
from leaderboard.selectors.organising.shared_captions import shared_captions
from scoring.captions import References

ROWS = 5


def preview_of(
    references: References, phase: Phase, organised: Collection[int], actor: User
) -> dict[str, Any]:
    """Describe references that ``phase`` might get from ``actor``.

    ``organised`` holds the ids of the challenges that the reader runs: that others
    have the same references is not told. ``twin`` names the phases that have the same already,
    ``shared`` says what of them is hidden in one phase and public in another.
    """
    counts = [len(clip.references) for clip in references.clips]
    lengths = [len(caption.split()) for caption in references.captions]
    twins = Phase.objects.filter(
        reference_set__content_hash=references.content_hash, challenge__in=organised
    ).exclude(pk=phase.pk)
    same = ReferenceSet.objects.filter(phases=phase, content_hash=references.content_hash)
    return {
        "clips": len(references),
        "captions": sum(counts),
        "fewest": min(counts),
        "median": median(counts),
        "most": max(counts),
        "words": sum(lengths) / len(lengths),
        "content_hash": references.content_hash,
        "rows": references.clips[:ROWS],
        "twin": [str(twin) for twin in twins.select_related("challenge")],
        "same": same.exists(),
        "shared": shared_captions(
            references, phase=phase, public=phase.references_public, actor=actor
        ),
    }
