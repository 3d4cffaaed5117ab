"""Vocabulary: how many distinct words a system uses.

Source: the result tables of DCASE task 6; words are PTB tokens.
"""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from earmark.captions import Candidates, References
from earmark.metrics.family import NothingPrepared
from earmark.metrics.vocab import FAMILY
from earmark.results import MetricScore
from earmark.signature import signature
from earmark.statistics import jackknife
from earmark.text.ptb import IDENTITY
from earmark.workspace import Workspace


class Vocab(NothingPrepared):
    """Number of distinct words over the corpus; per clip, those of its caption.

    The corpus value is no mean: it counts a word once however many captions
    have it. The interval recounts without each clip.
    """

    name = "vocab"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("vocab",)

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the tokens."""
        return {"tok": IDENTITY}

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: None,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Count the distinct words of the first candidates.

        Details list the words of each caption that no other caption has.
        """
        tokens = workspace.tokens(candidates.first)
        clips_with = Counter(word for words in tokens for word in set(words))
        own = [[word for word in dict.fromkeys(words) if clips_with[word] == 1] for words in tokens]
        value = float(len(clips_with))
        workspace.progress(self.name, len(tokens), len(tokens))
        result = MetricScore(
            self.name,
            value,
            jackknife(value, value - np.array([len(words) for words in own], np.float64)),
            np.array([len(set(words)) for words in tokens], np.float32),
            signature(self.name, self.parameters, references.counts_label, self.revision),
            [{"only_here": words} for words in own] if workspace.details else None,
        )
        return {self.name: result}
