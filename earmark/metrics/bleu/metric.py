"""BLEU-1 to BLEU-4 as COCO caption evaluation computes them.

Source: Papineni et al., ACL 2002; arithmetic of pycocoevalcap 1.2
(``BleuScorer``, option "closest").
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.bleu import FAMILY
from earmark.metrics.family import Arrays, corpus_score
from earmark.results import Details, Interval, MetricScore
from earmark.statistics import jackknife
from earmark.text.arrays import ORDER, Bag, Ints, NgramIndex, index_ngrams, ranges
from earmark.text.ptb import IDENTITY
from earmark.workspace import Workspace

Floats = NDArray[np.float64]

# COCO's guards: an order without a match stays above 0, one without an n-gram divides by something.
TINY = 1e-15
SMALL = 1e-9
_NO_REFERENCE = 1 << 30


@dataclass(frozen=True, slots=True)
class BleuReferences:
    """Counts and lengths of the references.

    ``keys`` holds clip x index.size + n-gram, sorted; ``limit`` the largest
    count of that n-gram in any one reference of the clip. ``lengths`` is
    (clips, most references), filled up with ``_NO_REFERENCE``.
    """

    index: NgramIndex
    keys: Ints
    limit: Ints
    lengths: Ints


@dataclass(frozen=True, slots=True)
class BleuCounts:
    """Counts per clip (``clips`` first), or of whole corpora: what BLEU is computed from.

    The columns of ``table``, in this order: n-grams matched and n-grams by order, words, and
    words of the closest reference.
    """

    table: Floats

    @property
    def correct(self) -> Floats:
        """Matched n-grams by order, (clips, 4)."""
        return self.table[:, :ORDER]

    @property
    def guess(self) -> Floats:
        """N-grams by order, (clips, 4)."""
        return self.table[:, ORDER : 2 * ORDER]

    @property
    def length(self) -> Floats:
        """Words, (clips,)."""
        return self.table[:, -2]

    @property
    def reference_length(self) -> Floats:
        """Words of the reference of the closest length, (clips,)."""
        return self.table[:, -1]

    def scores(self) -> Floats:
        """BLEU-1 to BLEU-4, shape (clips, 4)."""
        precisions = (self.correct + TINY) / (self.guess + SMALL)
        means = np.cumprod(precisions, axis=1) ** (1 / np.arange(1, ORDER + 1))
        ratio = (self.length + TINY) / (self.reference_length + SMALL)
        return means * np.exp(np.minimum(1 - 1 / ratio, 0))[:, None]

    def total(self) -> "BleuCounts":
        """Counts of the corpus, as one row."""
        return BleuCounts(self.table.sum(axis=0, keepdims=True))

    def without_each(self) -> "BleuCounts":
        """Counts of the corpus without clip i, as row i."""
        return BleuCounts(self.total().table - self.table)


class Bleu:
    """Share of the candidate's n-grams found in a reference, with a brevity penalty.

    Per clip COCO's sentence BLEU; the corpus value comes from the counts of
    the corpus. The reference length is the closest one, the shorter of two
    equally close. An empty caption scores 0.
    """

    name = "bleu"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = tuple(f"bleu_{n}" for n in range(1, ORDER + 1))
    columns = 2 * ORDER + 2

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the tokens and the choice of reference length."""
        return {"tok": IDENTITY, "len": "closest"}

    def prepare(self, references: References, workspace: Workspace) -> BleuReferences:
        """Count the references' n-grams; keep per clip the largest count of each."""
        index, words = index_ngrams(workspace.words(references.captions))
        bag = index.count(words)
        sizes = np.array([len(clip.references) for clip in references.clips])
        clip = np.repeat(np.arange(sizes.size), sizes)
        every = clip[bag.owner] * index.size + bag.gram
        order = np.argsort(every)
        keys, starts = np.unique(every[order], return_index=True)
        limit = np.maximum.reduceat(bag.count[order], starts) if keys.size else keys
        lengths = np.full((sizes.size, int(sizes.max())), _NO_REFERENCE)
        lengths[np.arange(lengths.shape[1]) < sizes[:, None]] = bag.lengths
        return BleuReferences(index, keys, limit, lengths)

    def dump(self, prepared: BleuReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        own = {"keys": prepared.keys, "limit": prepared.limit, "lengths": prepared.lengths}
        return {**own, **prepared.index.dump()}

    def load(self, arrays: Arrays) -> BleuReferences:
        """Read what ``dump`` wrote."""
        index = NgramIndex.load(arrays)
        return BleuReferences(index, arrays["keys"], arrays["limit"], arrays["lengths"])

    def chosen(
        self, prepared: BleuReferences, references: References, places: Sequence[int]
    ) -> BleuReferences:
        """Counts and lengths of some clips."""
        clips, size = np.array(places, np.int64), prepared.index.size
        starts, ends = np.searchsorted(prepared.keys, [clips * size, (clips + 1) * size])
        rows = ranges(starts, ends - starts)
        shift = np.repeat((np.arange(clips.size) - clips) * size, ends - starts)
        return BleuReferences(
            prepared.index,
            prepared.keys[rows] + shift,
            prepared.limit[rows],
            prepared.lengths[clips],
        )

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: BleuReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        bag = prepared.index.bag(workspace.words(candidates.first))
        matched = _matched(bag, prepared)
        counts = _counts(bag, matched, prepared)
        per_clip = counts.scores().astype(np.float32)
        details = _details(bag, matched, counts, prepared.index) if workspace.details else None
        workspace.progress(self.name, len(candidates), len(candidates))
        return {
            name: corpus_score(self, name, counts.table, per_clip[:, n], references, details)
            for n, name in enumerate(self.metrics)
        }

    def corpus_value(self, name: str, counts: Floats) -> tuple[float, Interval]:
        """BLEU of the counts of all clips, ``BleuCounts.table``."""
        table, order = BleuCounts(counts), self.metrics.index(name)
        value = float(table.total().scores()[0, order])
        return value, jackknife(value, table.without_each().scores()[:, order])


def _matched(bag: Bag, prepared: BleuReferences) -> Ints:
    """Count per entry of the bag how often it is matched, clipped to the references."""
    if not prepared.keys.size:
        return np.zeros_like(bag.count)
    key = bag.owner * prepared.index.size + bag.gram
    place = np.minimum(np.searchsorted(prepared.keys, key), prepared.keys.size - 1)
    # An n-gram beyond the index would alias one of the next clip.
    known = (prepared.keys[place] == key) & (bag.gram < prepared.index.size)
    return np.where(known, np.minimum(bag.count, prepared.limit[place]), 0)


def _counts(bag: Bag, matched: Ints, prepared: BleuReferences) -> BleuCounts:
    clips = bag.lengths.size
    bins = bag.owner * ORDER + bag.order
    correct = np.bincount(bins, matched, clips * ORDER).astype(np.float64)
    guess = np.maximum(bag.lengths[:, None] - np.arange(ORDER), 0).astype(np.float64)
    distance = np.abs(prepared.lengths - bag.lengths[:, None])
    closest = np.where(distance == distance.min(axis=1, keepdims=True), prepared.lengths, 1 << 40)
    lengths = bag.lengths, closest.min(axis=1)
    return BleuCounts(np.column_stack([correct.reshape(clips, ORDER), guess, *lengths]))


def _details(bag: Bag, matched: Ints, counts: BleuCounts, index: NgramIndex) -> Details:
    """List per clip the matched n-grams of each order, in the caption's order.

    ``matched[n - 1]`` has [n-gram, times matched] pairs; ``correct`` and
    ``total`` count n-grams per order; lengths are in words.
    """
    rows: list[dict[str, Any]] = [
        {
            "matched": [[] for _ in range(ORDER)],
            "correct": counts.correct[clip].astype(int).tolist(),
            "total": counts.guess[clip].astype(int).tolist(),
            "length": int(counts.length[clip]),
            "reference_length": int(counts.reference_length[clip]),
        }
        for clip in range(bag.lengths.size)
    ]
    for entry in np.flatnonzero(matched):
        pair = [index.text(int(bag.gram[entry])), int(matched[entry])]
        rows[int(bag.owner[entry])]["matched"][int(bag.order[entry])].append(pair)
    return rows
