"""Tuples of scene graphs as texts, and how near they come to each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.spice.graph import SceneGraph, SceneTuple
from scoring.metrics.spice.graphs import merged
from scoring.metrics.spice.rules import RuleSet
from scoring.models.encoder import Vectors

Floats = NDArray[np.float64]


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
    """Tuples, as texts, of the first graph, of the first two merged, and so on."""
    merges = (merged(graphs[:many], rule_set) for many in range(1, len(graphs) + 1))
    return [[tuple_text(row) for row in whole.graph.tuples] for whole in merges]


def tuple_text(row: SceneTuple) -> str:
    """Write a tuple as the text that is embedded: its lemmas with spaces between.

    >>> tuple_text(("person", "walk on", "path"))
    'person walk on path'
    """
    return " ".join(row)


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
