"""SPICE+ with sentence embeddings in place of words and synsets.

Source: Gontier et al., SPICE+, ICASSP 2023.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.errors import UnusableParameter
from earmark.metrics.family import Arrays, mean_score
from earmark.metrics.spice.graph import SceneGraph
from earmark.metrics.spice.graphs import (
    PARSERS,
    caption_graphs,
    graphs_ahead,
    merged,
    reference_graphs,
)
from earmark.metrics.spice.metric import EVERY
from earmark.metrics.spice.rules import VERSIONS, RuleSet
from earmark.metrics.spice_plus.metric import plus_rules
from earmark.metrics.spice_plus_emb import FAMILY
from earmark.models.encoder import DEFAULT, Encoder, Vectors, find_encoder
from earmark.read_ahead import TextsAhead
from earmark.results import MetricScore
from earmark.signature import plain_number
from earmark.text.arrays import Ints, pack_strings, rows_of, unpack_strings
from earmark.text.parser import parser_identity
from earmark.workspace import Workspace

Floats = NDArray[np.float64]
Weights = Literal["uniform", "consensus"]
# Tuples as texts, of each clip, of the graphs of its first 1, 2, ... candidates.
CandidateTexts = list[list[list[str]]]

NAMES = ("spice_plus_precision", "spice_plus_recall", "spice_plus_emb")


class TextVectors:
    """Distinct texts with their unit vectors, shape (texts, dimensions)."""

    def __init__(self, texts: tuple[str, ...], vectors: Vectors) -> None:
        self._rows = {text: row for row, text in enumerate(texts)}
        self._vectors = vectors

    def of(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts of the table, in order."""
        chosen: Vectors = self._vectors[[self._rows[text] for text in texts]]
        return chosen


def growing_graphs(graphs: Sequence[SceneGraph], rule_set: RuleSet) -> list[list[str]]:
    """Tuples of the first graph, of the first two merged, and so on, as the texts to be embedded.

    A tuple's are its lemmas with spaces between: "person walk on path".
    """
    merges = (merged(graphs[:many], rule_set) for many in range(1, len(graphs) + 1))
    return [[" ".join(row) for row in whole.graph.tuples] for whole in merges]


def cosines_of(mine: Vectors, theirs: Vectors) -> Floats:
    """All cosines of two sets of unit vectors, never below 0; empty where a side is."""
    if not len(mine) or not len(theirs):
        return np.zeros((len(mine), len(theirs)))
    cosines: Floats = mine.astype(np.float64) @ theirs.astype(np.float64).T
    return np.clip(cosines, 0.0, 1.0)


def best_matches(cosines: Floats, mine: list[str], theirs: list[str]) -> dict[str, Any]:
    """List the best match of every tuple of both sides."""
    return {
        "candidate": _best(cosines, mine, theirs),
        "references": _best(cosines.T, theirs, mine),
    }


def _best(cosines: Floats, rows: list[str], columns: list[str]) -> list[dict[str, Any]]:
    if not columns:
        return [{"tuple": text, "match": None, "similarity": 0.0} for text in rows]
    chosen = cosines.argmax(axis=1)
    return [
        {"tuple": text, "match": columns[j], "similarity": round(float(cosines[i, j]), 6)}
        for i, (text, j) in enumerate(zip(rows, chosen, strict=True))
    ]


@dataclass(frozen=True, slots=True)
class TupleReferences:
    """Reference tuples as text, clip after clip.

    ``texts`` are the distinct ones with unit ``vectors`` (texts, dimensions);
    ``index`` says which text each tuple of the corpus is, ``support`` in how
    many references it stands, ``sizes`` (clips,) how many tuples a clip has.
    """

    texts: tuple[str, ...]
    vectors: Vectors
    index: Ints
    support: Ints
    sizes: Ints


class SpicePlusEmb:
    """Best cosines between the tuples of both sides: their means, and F of the two.

    The scores are those of a clip's first candidate. Of a clip with several, the
    details say as ``by_candidates`` what more of them bring: entry j - 1 is
    [precision, recall, F] of the graph that the first j candidates make
    together, merged as references are. Precision is then over all that the j
    say, recall is of what is to be said. The graph is merged anew for each j,
    and names that turn out to be synonyms become one node, so that recall may
    fall a little as well. This reading of several candidates is ours.

    ``recall_weight`` is the beta of F (1: both count alike). ``tuple_weights``
    "consensus" weighs a reference tuple in recall by the number of references
    that have it. ``threshold`` above 0 turns a best cosine into 1 where it
    reaches the threshold and into 0 elsewhere. ``encoder`` is a
    sentence-transformers model on this machine, ``of_phrases`` as for ``SpicePlus``.
    Raises ``EncoderMissing`` and ``UnusableParameter``.
    """

    name = "spice_plus_emb"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = NAMES

    def __init__(
        self,
        *,
        encoder: str = DEFAULT,
        of_phrases: str = "second",
        recall_weight: float = 1.0,
        tuple_weights: Weights = "uniform",
        threshold: float = 0.0,
    ) -> None:
        if tuple_weights not in ("uniform", "consensus"):
            raise UnusableParameter(
                self.name, "tuple_weights", tuple_weights, '"uniform" or "consensus"'
            )
        self.encoder = encoder
        self._rule_set = plus_rules(self.name, of_phrases)
        self.recall_weight = float(recall_weight)
        self.tuple_weights = tuple_weights
        self.threshold = float(threshold)
        # Written so that NaN, which compares with nothing, is refused as well.
        if not 0 < self.recall_weight < math.inf:
            raise UnusableParameter(self.name, "recall_weight", recall_weight, "a number above 0")
        if not 0 <= self.threshold <= 1:
            raise UnusableParameter(self.name, "threshold", threshold, "a number from 0 to 1")

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """Name the rules, both models and the three choices of the organiser."""
        return {
            "rules": f"{self._rule_set}-{VERSIONS[self._rule_set]}",
            "parser": parser_identity(PARSERS[self._rule_set]),
            "sbert": self._encoder.identity,
            "beta": plain_number(self.recall_weight),
            "weights": self.tuple_weights,
            "thr": plain_number(self.threshold),
        }

    @cached_property
    def _encoder(self) -> Encoder:
        return find_encoder(self.encoder)

    def read_ahead(self, texts: TextsAhead, workspace: Workspace) -> None:
        """Parse captions and embed the tuples of candidates."""
        graphs_ahead(texts.captions, self._rule_set, workspace)
        growing = self.candidate_texts(Candidates.single(texts.candidates), workspace)
        self._embedded([text for graphs in growing for text in graphs[0]], workspace, 0)

    def prepare(self, references: References, workspace: Workspace) -> TupleReferences:
        """Parse and embed the references; progress stays at 0 clips meanwhile."""
        heartbeat = workspace.waiting(self.name, len(references))
        graphs = reference_graphs(references, self._rule_set, workspace, heartbeat=heartbeat).clips
        rows = [" ".join(row) for graph in graphs for row in graph.graph.tuples]
        ids = {text: i for i, text in enumerate(dict.fromkeys(rows))}
        texts = tuple(ids)
        return TupleReferences(
            texts,
            self._embedded(texts, workspace, len(references)),
            np.array([ids[text] for text in rows], np.int64),
            np.array([count for graph in graphs for count in graph.support], np.int64),
            np.array([len(graph.graph.tuples) for graph in graphs], np.int64),
        )

    def dump(self, prepared: TupleReferences) -> Arrays:
        """Turn what was prepared into arrays."""
        packed, lengths = pack_strings(prepared.texts)
        return {
            "texts": packed,
            "text_lengths": lengths,
            "vectors": prepared.vectors,
            "index": prepared.index,
            "support": prepared.support,
            "sizes": prepared.sizes,
        }

    def load(self, arrays: Arrays) -> TupleReferences:
        """Read what ``dump`` wrote."""
        texts = tuple(unpack_strings(arrays["texts"], arrays["text_lengths"]))
        return TupleReferences(
            texts, arrays["vectors"], arrays["index"], arrays["support"], arrays["sizes"]
        )

    def chosen(
        self, prepared: TupleReferences, references: References, places: Sequence[int]
    ) -> TupleReferences:
        """Tuples of some clips, among the same texts."""
        clips = np.array(places, np.int64)
        rows = rows_of(prepared.sizes, clips)
        return TupleReferences(
            prepared.texts,
            prepared.vectors,
            prepared.index[rows],
            prepared.support[rows],
            prepared.sizes[clips],
        )

    def score(
        self,
        candidates: Candidates,
        references: References,
        prepared: TupleReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score the first candidate of every clip."""
        mine = self.candidate_texts(candidates, workspace)
        return self.score_texts(mine, references, prepared, workspace)

    def score_texts(
        self,
        mine: CandidateTexts,
        references: References,
        prepared: TupleReferences,
        workspace: Workspace,
    ) -> dict[str, MetricScore]:
        """Score what ``candidate_texts`` found."""
        clips = len(mine)
        # Each text has one row: the graphs of more and more candidates repeat most of theirs.
        rows = {text: None for graphs in mine for texts in graphs for text in texts}
        known = TextVectors(tuple(rows), self._embedded(list(rows), workspace, clips))
        theirs = np.split(np.arange(prepared.index.size), np.cumsum(prepared.sizes)[:-1])
        scores = np.zeros((clips, 3))
        details: list[Mapping[str, Any]] = []
        for i in range(clips):
            there, support = prepared.index[theirs[i]], prepared.support[theirs[i]]
            vectors = prepared.vectors[there]
            cosines = cosines_of(known.of(mine[i][0]), vectors)
            scores[i] = self._scores(cosines, support)
            if workspace.details:
                detail = best_matches(cosines, mine[i][0], [prepared.texts[j] for j in there])
                details.append(detail | self._by_candidates(mine[i], known, vectors, support))
            if i % EVERY == 0:
                workspace.progress(self.name, i, clips)
        workspace.progress(self.name, clips, clips)
        return {
            name: mean_score(self, name, scores[:, column], references, details or None)
            for column, name in enumerate(NAMES)
        }

    def candidate_texts(self, candidates: Candidates, workspace: Workspace) -> CandidateTexts:
        """Tuples of the graphs of each clip's first 1, 2, ... candidates.

        Without details of the first candidate alone, as nothing else is shown.
        """
        heartbeat = workspace.waiting(self.name, len(candidates))
        depth = None if workspace.details else 1
        ranked = [captions[:depth] for captions in candidates.captions]
        flat = [caption for captions in ranked for caption in captions]
        graphs = iter(caption_graphs(flat, self._rule_set, workspace, heartbeat=heartbeat))
        return [
            growing_graphs([next(graphs) for _ in captions], self._rule_set) for captions in ranked
        ]

    def _by_candidates(
        self, graphs: list[list[str]], known: TextVectors, vectors: Vectors, support: Ints
    ) -> dict[str, Any]:
        if len(graphs) < 2:
            return {}
        scores = (self._scores(cosines_of(known.of(texts), vectors), support) for texts in graphs)
        return {"by_candidates": [[round(value, 6) for value in row] for row in scores]}

    def _embedded(self, texts: Sequence[str], workspace: Workspace, clips: int) -> Vectors:
        if not texts:
            return np.zeros((0, 1), np.float32)
        heartbeat = workspace.waiting(self.name, clips)
        return workspace.embeddings(texts, self._encoder, heartbeat=heartbeat)

    def _scores(self, cosines: Floats, support: Ints) -> tuple[float, float, float]:
        """Precision, recall and F of one clip; all 0 where a side is empty."""
        if not cosines.size:
            return 0.0, 0.0, 0.0
        best_mine, best_theirs = cosines.max(axis=1), cosines.max(axis=0)
        if self.threshold > 0:
            best_mine = (best_mine >= self.threshold).astype(np.float64)
            best_theirs = (best_theirs >= self.threshold).astype(np.float64)
        weights = support if self.tuple_weights == "consensus" else np.ones(support.size)
        precision = float(best_mine.mean())
        recall = float(np.average(best_theirs, weights=weights))
        square = self.recall_weight**2
        below = square * precision + recall
        f = (1 + square) * precision * recall / below if below > 0 else 0.0
        return precision, recall, f
