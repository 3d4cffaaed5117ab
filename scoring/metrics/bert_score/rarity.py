"""Weights of sub-words by how few references have them: idf, as bert_score 0.3.13 computes it."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Rarity:
    """Weight of each sub-word that a reference has; ``unseen`` is that of all others.

    Sub-words that every reference has, as the model's own marks, weigh 0.
    """

    weights: dict[str, float]
    unseen: float

    def of(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Weights of sub-words, shape (sub-words,), 0 or more."""
        return np.array([self.weights.get(text, self.unseen) for text in texts], np.float64)


def rarity_of(captions: Iterable[Sequence[str]]) -> Rarity:
    """Rarity of sub-words in references; each reference is a document, also one that recurs.

    log((references + 1) / (references with the sub-word + 1)): Zhang et al., BERTScore, ICLR
    2020, section 3, with the smoothing of the authors' program.
    """
    with_it: Counter[str] = Counter()
    total = 1
    for texts in captions:
        with_it.update(set(texts))
        total += 1
    weights = {text: math.log(total / (count + 1)) for text, count in with_it.items()}
    return Rarity(weights, math.log(total))
