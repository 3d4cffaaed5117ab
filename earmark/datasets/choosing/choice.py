"""Choosing clips from a pool, and what the chosen ones are like."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.datasets.choosing.pool import ClipPool, PoolClip
from earmark.datasets.choosing.request import ChoiceRequest, EligibleClips, eligible_clips
from earmark.datasets.choosing.search import TagTable, best_subset

Counts = NDArray[np.int64]


def tag_entropy(counts: Counts) -> float:
    """Shannon entropy in bits of how often each tag occurs.

    ``counts``, shape (tags,), has the number of clips with each tag. With M as their sum,
    H = -sum (n/M) log2 (n/M). 0 where there is no tag.
    """
    present = counts[counts > 0].astype(np.float64)
    total = present.sum()
    return float(np.log2(total) - (present * np.log2(present)).sum() / total) if total else 0.0


def entropy_limit(in_pool: Counts, sizes: Counts, count: int) -> float:
    """A bound in bits that no ``count`` clips of a pool exceed.

    ``in_pool``, shape (tags,), has the clips of the pool with each tag, ``sizes``, shape
    (clips,), the tags of each clip. It is the entropy of the most even counts, whole or not,
    that give no tag more often than the pool and the count allow and come to as many tags in
    all as ``count`` clips can have. More tags in all than kinds of tags make them less even,
    so of the possible sums the one next to the number of tags is the best.
    """
    tags = in_pool[in_pool > 0]
    ordered = np.sort(sizes)
    fewest, most = int(ordered[:count].sum()), int(ordered[len(ordered) - count :].sum())
    total = min(max(len(tags), fewest), most)
    if total <= 0:
        return 0.0
    if total <= len(tags):
        return float(np.log2(total))
    shares = _evenest(np.minimum(tags, count).astype(np.float64), total) / total
    return float(-(shares * np.log2(shares)).sum())


def _evenest(most: NDArray[np.float64], total: int) -> NDArray[np.float64]:
    """The most even amounts of a total, none above its own limit: a common level below them."""
    limits = np.sort(most)
    below = np.concatenate([[0.0], np.cumsum(limits)[:-1]])
    levels = (total - below) / np.arange(len(limits), 0, -1)
    full = int(np.argmax(levels <= limits)) if (levels <= limits).any() else len(limits) - 1
    evenest: NDArray[np.float64] = np.minimum(limits, levels[full])
    return evenest


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
    sizes = np.array([len(tags) for tags in eligible.tags_of])
    # Clips by bin and number of tags, by the seed where these are equal.
    order = np.lexsort((generator.permutation(len(sizes)), sizes, eligible.bins))
    table = TagTable(
        [eligible.tags_of[clip] for clip in order],
        eligible.bins[order],
        eligible.groups[order],
        len(eligible.tags),
    )
    best = best_subset(
        table,
        eligible.places,
        request.most_per_group,
        request.restarts,
        generator,
        progress,
    )
    return _described(eligible, np.sort(order[best]), request)


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
    wanted = np.rint(request.count * shares / shares.sum())
    here = np.bincount(eligible.bins, minlength=len(shares))
    taken = np.bincount(eligible.bins[chosen], minlength=len(shares))
    return tuple(
        DurationBin(low, high, int(here[n]), int(wanted[n]), int(taken[n]))
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
