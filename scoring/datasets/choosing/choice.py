"""Choosing clips from a pool, and what the chosen ones are like."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.datasets.choosing.entropy import entropy_limit, tag_entropy
from scoring.datasets.choosing.pool import ClipPool, PoolClip
from scoring.datasets.choosing.request import ChoiceRequest, EligibleClips, eligible_clips
from scoring.datasets.choosing.search import best_subset
from scoring.datasets.choosing.subset import TagTable


@dataclass(frozen=True, slots=True)
class DurationBin:
    """Clips of a range of durations in seconds: how many there are, were asked for, are chosen."""

    shortest: float
    longest: float
    eligible: int
    asked: int
    chosen: int


@dataclass(frozen=True)
class ChosenClips:
    """The chosen clips in the order of the pool, with the figures of the choice.

    They are of ``eligible`` clips; ``excluded`` ones were left out for their tags.
    Entropies are in bits: of the chosen clips, of all that could be chosen, and a limit that no
    choice exceeds. ``tags`` are the kept tags, ``covered`` how many of them a chosen clip has.
    """

    clips: tuple[PoolClip, ...]
    eligible: int
    excluded: int
    entropy: float
    pool_entropy: float
    entropy_limit: float
    tags: int
    covered: int
    bins: tuple[DurationBin, ...]


def choose_clips(
    pool: ClipPool,
    request: ChoiceRequest,
    progress: Callable[[str, float], None] = lambda _step, _entropy: None,
) -> ChosenClips:
    """Choose the clips whose tags are spread most evenly, the same for the same seed.

    Raises ``ChoiceRejected`` where the pool does not have what is asked. ``progress`` is told
    each step of the search with the entropy in bits.
    """
    eligible = eligible_clips(pool, request)
    generator = np.random.default_rng(request.seed)
    order = _search_order(eligible, generator)
    found = best_subset(
        _table(eligible, order),
        eligible.places,
        request.most_per_group,
        request.restarts,
        generator,
        progress,
    )
    return _described(eligible, np.sort(order[found]), request)


def _search_order(eligible: EligibleClips, generator: np.random.Generator) -> NDArray[np.int64]:
    """Clips by bin and number of tags, by the seed where these are equal."""
    sizes = np.array([len(tags) for tags in eligible.tags_of])
    return np.lexsort((generator.permutation(len(sizes)), sizes, eligible.bins))


def _table(eligible: EligibleClips, order: NDArray[np.int64]) -> TagTable:
    return TagTable(
        [eligible.tags_of[clip] for clip in order],
        eligible.bins[order],
        eligible.groups[order],
        len(eligible.tags),
    )


def _described(
    eligible: EligibleClips, chosen: NDArray[np.int64], request: ChoiceRequest
) -> ChosenClips:
    in_pool = eligible.tag_counts
    counts = np.bincount(
        np.concatenate([eligible.tags_of[clip] for clip in chosen]), minlength=len(in_pool)
    )
    sizes = np.array([len(tags) for tags in eligible.tags_of], dtype=np.int64)
    return ChosenClips(
        clips=tuple(eligible.clips[clip] for clip in chosen),
        eligible=len(eligible.clips),
        excluded=eligible.excluded,
        entropy=tag_entropy(counts),
        pool_entropy=tag_entropy(in_pool),
        entropy_limit=entropy_limit(in_pool, sizes, len(chosen)),
        tags=len(in_pool),
        covered=int((counts > 0).sum()),
        bins=_duration_bins(eligible, chosen, request),
    )


def _duration_bins(
    eligible: EligibleClips, chosen: NDArray[np.int64], request: ChoiceRequest
) -> tuple[DurationBin, ...]:
    if not eligible.edges:
        return ()
    shares = np.array(request.duration_shares)
    asked = np.rint(request.count * shares / shares.sum())
    here = np.bincount(eligible.bins, minlength=len(shares))
    taken = np.bincount(eligible.bins[chosen], minlength=len(shares))
    return tuple(
        DurationBin(low, high, int(here[n]), int(asked[n]), int(taken[n]))
        for n, (low, high) in enumerate(pairwise(eligible.edges))
    )


def choice_json(chosen: ChosenClips, pool: ClipPool, request: ChoiceRequest) -> dict[str, Any]:
    """A choice as JSON holds it: what was asked, the figures, the names in the pool's order."""
    seconds = [clip.seconds for clip in chosen.clips if clip.seconds is not None]
    durations = {
        "total": sum(seconds),
        "shortest": min(seconds, default=None),
        "longest": max(seconds, default=None),
        "mean": sum(seconds) / len(seconds) if seconds else None,
        "bins": [asdict(row) for row in chosen.bins],
    }
    return {
        "asked": asdict(request),
        "pool_clips": len(pool),
        "eligible_clips": chosen.eligible,
        "excluded_clips": chosen.excluded,
        "count": len(chosen.clips),
        "seed": request.seed,
        "entropy": chosen.entropy,
        "entropy_limit": chosen.entropy_limit,
        "pool_entropy": chosen.pool_entropy,
        "tags": chosen.tags,
        "tags_covered": chosen.covered,
        "durations": durations if seconds else None,
        "chosen": [clip.name for clip in chosen.clips],
    }
