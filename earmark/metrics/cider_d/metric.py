"""CIDEr-D as COCO caption evaluation computes it.

Source: Vedantam et al., CVPR 2015; arithmetic of pycocoevalcap 1.2
(``CiderScorer``). Document frequencies come from the references of the phase
(``References.documents`` where that is given).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.cider_d import FAMILY
from earmark.metrics.family import Arrays, mean_score
from earmark.results import Details, MetricScore
from earmark.signature import plain_number
from earmark.text.arrays import (
    ORDER,
    Bag,
    Ints,
    NgramIndex,
    NumberedWords,
    index_ngrams,
    ranges,
    rows_of,
)
from earmark.text.ptb import IDENTITY
from earmark.workspace import Workspace

Floats = NDArray[np.float64]

SCALE = 10.0
TOP = 10  # shared n-grams shown per clip
_TOGETHER = 10_000  # captions of documents counted at once
# Fields of the prepared references beside the index, in their order.
_ARRAYS = ("idf", "keys", "reference", "weights", "norms", "lengths", "sizes")


@dataclass(frozen=True, slots=True)
class CiderReferences:
    """Tf-idf vectors of the references.

    The three arrays of entries are sorted by ``keys`` (clip x index.size +
    n-gram): the reference that has the n-gram and its weight there. ``norms``
    is (references, 4), ``lengths`` (references,), ``sizes`` (clips,) the
    references per clip, ``idf`` (index.size + 1,) with what no document has at
    the end.
    """

    index: NgramIndex
    idf: Floats
    keys: Ints
    reference: Ints
    weights: Floats
    norms: Floats
    lengths: Ints
    sizes: Ints


@dataclass(frozen=True, slots=True)
class SharedNgrams:
    """One row per entry of the candidates' bag and reference that has that n-gram."""

    entry: Ints
    reference: Ints
    product: Floats


class CiderD:
    """Mean tf-idf cosine to the references over 1- to 4-grams, times 10.

    Candidate weights are clipped to the reference's, and each reference is
    damped by a Gaussian (``sigma``) of the difference in length. Corpus of one
    clip: every idf is log 1, so the score is 0. An empty caption scores 0.
    """

    name = "cider_d"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("cider_d",)
    holds_documents = True

    def __init__(self, *, sigma: float = 6.0) -> None:
        self.sigma = float(sigma)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the tokens, the longest n-gram and the width of the length penalty."""
        return {"tok": IDENTITY, "n": ORDER, "sigma": plain_number(self.sigma)}

    def prepare(self, references: References, workspace: Workspace) -> CiderReferences:
        """Weigh the references' n-grams."""
        whole = workspace.whole or references
        index, idf = workspace.counted(self.name, lambda: _document_counts(whole, workspace))
        bag = index.bag(workspace.words(references.captions))
        sizes = np.array([len(clip.references) for clip in references.clips])
        clip = np.repeat(np.arange(sizes.size), sizes)
        keys = clip[bag.owner] * index.size + bag.gram
        weights = bag.count * idf[bag.gram]
        order = np.argsort(keys, kind="stable")
        return CiderReferences(
            index,
            idf,
            keys[order],
            bag.owner[order],
            weights[order],
            _norms(bag, weights),
            _length(bag),
            sizes,
        )

    def dump(self, prepared: CiderReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        own = {name: getattr(prepared, name) for name in _ARRAYS}
        return {**own, **prepared.index.dump()}

    def load(self, arrays: Arrays) -> CiderReferences:
        """Read what ``dump`` wrote."""
        return CiderReferences(NgramIndex.load(arrays), *(arrays[name] for name in _ARRAYS))

    def chosen(
        self, prepared: CiderReferences, references: References, places: Sequence[int]
    ) -> CiderReferences:
        """Vectors of some clips; idf stays that of all."""
        clips, size = np.array(places, np.int64), prepared.index.size
        starts, ends = np.searchsorted(prepared.keys, [clips * size, (clips + 1) * size])
        entries, counts = ranges(starts, ends - starts), ends - starts
        old, sizes = np.cumsum(prepared.sizes) - prepared.sizes, prepared.sizes[clips]
        new = np.cumsum(sizes) - sizes
        references_of_clips = rows_of(prepared.sizes, clips)
        return CiderReferences(
            prepared.index,
            prepared.idf,
            prepared.keys[entries] + np.repeat((np.arange(clips.size) - clips) * size, counts),
            prepared.reference[entries] + np.repeat(new - old[clips], counts),
            prepared.weights[entries],
            prepared.norms[references_of_clips],
            prepared.lengths[references_of_clips],
            sizes,
        )

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: CiderReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        bag = prepared.index.bag(workspace.words(candidates.first))
        weights = bag.count * prepared.idf[np.minimum(bag.gram, prepared.index.size)]
        shared = _shared(bag, weights, prepared)
        factors = _factors(bag, weights, prepared, self.sigma)
        scores = _scores(bag, shared, factors, prepared)
        details = _details(bag, shared, factors, prepared) if workspace.details else None
        workspace.progress(self.name, len(candidates), len(candidates))
        return {self.name: mean_score(self, self.name, scores, references, details)}


def _document_counts(references: References, workspace: Workspace) -> tuple[NgramIndex, Floats]:
    """Index of the n-grams of references and their documents, and the idf of each."""
    documents = references.documents or references
    told = _passing_words(documents.captions, workspace)
    if documents is references:
        index, words = index_ngrams(told)
    else:
        index, words = index_ngrams(chain(told, _passing_words(references.captions, workspace)))
    return index, _idf(index, documents, words)


def _passing_words(captions: Sequence[str], workspace: Workspace) -> Iterator[tuple[str, ...]]:
    """Words of captions, those of a whole corpus without remembering them for its parts."""
    for start in range(0, len(captions), _TOGETHER):
        once = workspace if workspace.whole is None else workspace.forgetful()
        yield from once.words(captions[start : start + _TOGETHER])


def _idf(index: NgramIndex, documents: References, words: NumberedWords) -> Floats:
    """log(clips) - log(clips that have the n-gram), exactly 0 where every clip has it.

    ``words`` begin with those of the documents. What no clip has weighs like what one clip
    has, and so does the entry at the end, which stands for what the index lacks.
    """
    counts = np.zeros(index.size + 1, np.int64)
    first = 0
    for part in documents.parts(_TOGETHER):
        bag = index.count(words.part(first, first + len(part.captions)))
        clip = np.repeat(np.arange(len(part)), [len(c.references) for c in part.clips])
        holders = np.unique(clip[bag.owner] * (index.size + 1) + bag.gram)
        counts += np.bincount(holders % (index.size + 1), minlength=index.size + 1)
        first += len(part.captions)
    logs = np.log(np.arange(1, len(documents) + 1, dtype=np.float64))
    idf: Floats = logs[-1] - logs[np.maximum(counts, 1) - 1]
    return idf


def _norms(bag: Bag, weights: Floats) -> Floats:
    """Length of each caption's tf-idf vector per order, shape (captions, 4)."""
    captions = bag.lengths.size
    squares = np.bincount(bag.owner * ORDER + bag.order, weights**2, captions * ORDER)
    return np.sqrt(squares).reshape(captions, ORDER)


def _length(bag: Bag) -> Ints:
    """Count bigrams, which is what COCO's code takes for a caption's length."""
    return np.maximum(bag.lengths - 1, 0)


def _shared(bag: Bag, weights: Floats, prepared: CiderReferences) -> SharedNgrams:
    """Pair the candidates' n-grams with the references of the same clip that have them."""
    known = np.flatnonzero(bag.gram < prepared.index.size)
    key = bag.owner[known] * prepared.index.size + bag.gram[known]
    start = np.searchsorted(prepared.keys, key)
    holders = np.searchsorted(prepared.keys, key, side="right") - start
    place = ranges(start, holders)
    entry = np.repeat(known, holders)
    theirs = prepared.weights[place]
    product = np.minimum(weights[entry], theirs) * theirs
    return SharedNgrams(entry, prepared.reference[place], product)


def _factors(bag: Bag, weights: Floats, prepared: CiderReferences, sigma: float) -> Floats:
    """Factors that turn a shared product into a part of the score, (references, 4).

    1 / (norm x norm), the length penalty, the means over orders and references,
    and the scale.
    """
    clip = np.repeat(np.arange(prepared.sizes.size), prepared.sizes)
    norms = _norms(bag, weights)[clip] * prepared.norms
    delta = (_length(bag)[clip] - prepared.lengths).astype(np.float64)
    penalty = np.exp(-(delta**2) / (2 * sigma**2)) * SCALE / (ORDER * prepared.sizes[clip])
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms != 0)
    return inverse * penalty[:, None]


def _scores(bag: Bag, shared: SharedNgrams, factors: Floats, prepared: CiderReferences) -> Floats:
    bins = shared.reference * ORDER + bag.order[shared.entry]
    sums = np.bincount(bins, shared.product, factors.size).reshape(factors.shape)
    clip = np.repeat(np.arange(prepared.sizes.size), prepared.sizes)
    parts: Floats = (sums * factors).sum(axis=1)
    return np.bincount(clip, parts, prepared.sizes.size).astype(np.float64)


def _details(bag: Bag, shared: SharedNgrams, factors: Floats, prepared: CiderReferences) -> Details:
    """List per clip the shared n-grams that give most of its score.

    Each with its idf, how many of the clip's references have it, and its part
    of the clip's score (the parts of all shared n-grams add up to the score).
    """
    parts = shared.product * factors[shared.reference, bag.order[shared.entry]]
    part = np.bincount(shared.entry, parts, bag.gram.size)
    holders = np.bincount(shared.entry, minlength=bag.gram.size)
    rows: list[dict[str, Any]] = [{"shared": []} for _ in range(bag.lengths.size)]
    for entry in sorted(np.flatnonzero(holders), key=lambda entry: (-part[entry], entry)):
        top = rows[int(bag.owner[entry])]["shared"]
        if len(top) < TOP:
            gram = int(bag.gram[entry])
            top.append(
                {
                    "ngram": prepared.index.text(gram),
                    "idf": float(prepared.idf[gram]),
                    "references": int(holders[entry]),
                    "part": float(part[entry]),
                }
            )
    return rows
