"""Entropy of the tags of a set of clips, and how high it could be."""

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


def tag_entropy(counts: Counts) -> float:
    """Shannon entropy in bits of how often each tag occurs.

    ``counts``, shape (tags,), has the number of clips with each tag. With M as their sum,
    H = -sum (n/M) log2 (n/M). 0 where there is no tag.
    """
    found = counts[counts > 0].astype(np.float64)
    total = found.sum()
    return float(np.log2(total) - (found * np.log2(found)).sum() / total) if total else 0.0


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
