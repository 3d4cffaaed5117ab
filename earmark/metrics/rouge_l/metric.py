"""ROUGE-L as COCO caption evaluation computes it.

Source: Lin, ACL workshop 2004; arithmetic of pycocoevalcap 1.2 (``Rouge``):
the best precision and the best recall over the references, which need not be
those of one reference, joined with beta 1.2.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from earmark.captions import Candidates, References
from earmark.metrics.family import Arrays, mean_score
from earmark.metrics.rouge_l import FAMILY
from earmark.results import MetricScore
from earmark.signature import plain_number
from earmark.text.arrays import intern, pack_strings, split, unpack_strings
from earmark.text.ptb import IDENTITY
from earmark.workspace import Workspace

Words = Sequence[str]
RougeReferences = list[list[tuple[str, ...]]]

PROGRESS_EVERY = 100
_EMPTY = ("",)  # COCO's code takes an empty caption for one empty word


class RougeL:
    """F-measure of the longest common subsequence of words.

    An empty caption scores 0 (1 against a reference that is empty too, as in
    COCO's code).
    """

    name = "rouge_l"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("rouge_l",)

    def __init__(self, *, beta: float = 1.2) -> None:
        self.beta = float(beta)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the tokens and the weight of recall."""
        return {"tok": IDENTITY, "beta": plain_number(self.beta)}

    def prepare(self, references: References, workspace: Workspace) -> RougeReferences:
        """Tokenise the references."""
        return [workspace.tokens(clip.references) for clip in references.clips]

    def dump(self, prepared: RougeReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        captions = list(chain.from_iterable(prepared))
        ids: dict[str, int] = {}
        words = intern(chain.from_iterable(captions), ids)
        packed, word_lengths = pack_strings(list(ids))
        return {
            "words": packed,
            "word_lengths": word_lengths,
            "captions": words,
            "lengths": np.array([len(caption) for caption in captions], np.int64),
            "sizes": np.array([len(clip) for clip in prepared], np.int64),
        }

    def load(self, arrays: Arrays) -> RougeReferences:
        """Read what ``dump`` wrote."""
        words = unpack_strings(arrays["words"], arrays["word_lengths"])
        flat = [words[number] for number in arrays["captions"].tolist()]
        captions = [tuple(caption) for caption in split(flat, arrays["lengths"])]
        return split(captions, arrays["sizes"])

    def chosen(
        self, prepared: RougeReferences, references: References, places: Sequence[int]
    ) -> RougeReferences:
        """Tokens of some clips."""
        return [prepared[place] for place in places]

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: RougeReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        tokens = workspace.tokens(candidates.first)
        scores = np.empty(len(tokens), np.float64)
        details: list[dict[str, Any]] | None = [] if workspace.details else None
        for clip, (words, others) in enumerate(zip(tokens, prepared, strict=True)):
            common = common_lengths(words, others)
            scores[clip] = self._score(common, words, others)
            if details is not None:
                details.append(_detail(words, others, common))
            if clip % PROGRESS_EVERY == 0:
                workspace.progress(self.name, clip, len(tokens))
        workspace.progress(self.name, len(tokens), len(tokens))
        return {self.name: mean_score(self, self.name, scores, references, details)}

    def _score(self, common: Sequence[int], words: Words, others: Sequence[Words]) -> float:
        precision = max(common) / (len(words) or 1)
        recall = max(
            length / (len(other) or 1) for length, other in zip(common, others, strict=True)
        )
        if not precision:
            return 0.0
        weight = self.beta**2
        return (1 + weight) * precision * recall / (recall + weight * precision)


def common_lengths(words: Words, others: Sequence[Words]) -> list[int]:
    """Length of the longest common subsequence with each of the others.

    Bit-parallel: bit i of ``row`` is 0 where the subsequence grows at word i
    (Hyyro, Bit-parallel LCS-length computation revisited, AWOCA 2004).
    """
    words = words or _EMPTY
    places: dict[str, int] = {}
    for place, word in enumerate(words):
        places[word] = places.get(word, 0) | 1 << place
    full = (1 << len(words)) - 1
    lengths = []
    for other in others:
        row = full
        for word in other or _EMPTY:
            matches = row & places.get(word, 0)
            if matches:
                row = (row + matches) | (row - matches)
        lengths.append(len(words) - (row & full).bit_count())
    return lengths


def common_words(words: Words, other: Words) -> list[str]:
    """A longest common subsequence itself, the one that starts earliest in ``words``."""
    longest = [[0] * (len(other) + 1) for _ in range(len(words) + 1)]
    for i in reversed(range(len(words))):
        for j in reversed(range(len(other))):
            if words[i] == other[j]:
                longest[i][j] = longest[i + 1][j + 1] + 1
            else:
                longest[i][j] = max(longest[i + 1][j], longest[i][j + 1])
    common, j = [], 0
    for i, word in enumerate(words):
        # Take the word where some longest subsequence of the rest goes through it.
        ahead = next((k for k in range(j, len(other)) if other[k] == word), None)
        if ahead is not None and longest[i + 1][ahead + 1] + 1 == longest[i][j]:
            common.append(word)
            j = ahead + 1
    return common


def _detail(words: Words, others: Sequence[Words], common: Sequence[int]) -> dict[str, Any]:
    """Words in common with the best reference, and how much of it they cover.

    ``reference`` (from 0) has the longest subsequence, the shortest of those
    that tie; ``recall_reference`` gives the best recall.
    """
    recalls = [length / (len(other) or 1) for length, other in zip(common, others, strict=True)]
    numbers = range(len(others))
    best = max(numbers, key=lambda number: (common[number], recalls[number]))
    return {
        "words": common_words(words, others[best]),
        "reference": best,
        "precision": max(common) / (len(words) or 1),
        "recall": max(recalls),
        "recall_reference": max(numbers, key=lambda number: recalls[number]),
    }
