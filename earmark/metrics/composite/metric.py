"""Composite: a weighted sum of the corpus values, and clip by clip, of other metrics."""

import math
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.captions import Candidates, References
from earmark.metrics.composite import FAMILY
from earmark.metrics.composite.formula import (
    Term,
    families_of_formula,
    formula_text,
    read_formula,
)
from earmark.metrics.family import Family, NothingPrepared, corpus_value
from earmark.prepared_cache import prepared_references
from earmark.registry import load_family
from earmark.results import NO_INTERVAL, Details, Interval, MetricScore
from earmark.signature import signature
from earmark.statistics import mean_and_interval
from earmark.workspace import Workspace

Floats = NDArray[np.float64]


class Composite(NothingPrepared):
    """What a formula makes of other metrics: of corpus values, and of the scores of each clip.

    ``formula`` as ``read_formula`` takes it, which only the ranking lab offers; ``parts`` maps
    families of its metrics to their keyword arguments. A formula that cannot be used raises
    ``FormulaUnusable`` as soon as anything is asked of the composite.
    """

    name = "composite"
    revision = FAMILY.signed_revision
    metrics: tuple[str, ...] = ("composite",)

    def __init__(
        self, *, formula: str | None = None, parts: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        self.formula = formula
        self.parts = parts or {}

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The metrics of the formula with their weights."""
        return read_formula(self.formula or "")

    @cached_property
    def _families(self) -> dict[str, Family[Any]]:
        return {
            name: load_family(name, **self.parts.get(name, {}))
            for name in families_of_formula(self.terms)
        }

    @property
    def parameters(self) -> Mapping[str, str | int | float]:
        """The formula, and a digest of all that its metrics depend on."""
        signed = [
            signature(name, family.parameters, "", family.revision)
            for name, family in self._families.items()
        ]
        digest = sha256("\n".join(signed).encode()).hexdigest()[:8]
        return {"formula": formula_text(self.terms), "parts": digest}

    def score(
        self, candidates: Candidates, references: References, prepared: None, workspace: Workspace
    ) -> dict[str, MetricScore]:
        """Score by every metric of the formula, and add up."""
        parts = self._scored(candidates, references, workspace)
        scores = [parts[term.metric] for term in self.terms]
        shares = np.array(
            [_share(term, score.per_clip) for term, score in zip(self.terms, scores, strict=True)]
        )
        per_clip: Floats = shares.sum(axis=0)
        workspace.progress(self.name, len(candidates), len(candidates))
        result = MetricScore(
            self.name,
            *_value(self.terms, [(score.value, score.interval) for score in scores], per_clip),
            per_clip.astype(np.float32),
            signature(self.name, self.parameters, references.counts_label, self.revision),
            _details(self.terms, scores, shares) if workspace.details else None,
            _counts(scores, per_clip),
        )
        return {self.name: result}

    @property
    def columns(self) -> int:
        """One for the sum of the clip, and those of each metric."""
        return 1 + sum(self._columns)

    @cached_property
    def _columns(self) -> list[int]:
        families = (self._families[term.info.family] for term in self.terms)
        return [getattr(family, "columns", 1) for family in families]

    def corpus_value(self, name: str, counts: Floats) -> tuple[float, Interval]:
        """Sum of the corpus values of the metrics, each from its own columns of ``_counts``."""
        per_clip, *metrics = np.split(counts, np.cumsum([1, *self._columns[:-1]]), axis=1)
        values = [
            corpus_value(
                self._families[term.info.family],
                term.metric,
                table[:, 0] if columns == 1 else table,
            )
            for term, columns, table in zip(self.terms, self._columns, metrics, strict=True)
        ]
        return _value(self.terms, values, per_clip[:, 0])

    def _scored(
        self, candidates: Candidates, references: References, workspace: Workspace
    ) -> dict[str, MetricScore]:
        """Scores of the metrics, none of whose clips counts as done yet."""
        quiet = workspace.quiet(self.name, len(candidates))
        scores: dict[str, MetricScore] = {}
        for family in self._families.values():
            ready = prepared_references(family, references, quiet)
            scores |= family.score(candidates, references, ready, quiet)
        return scores


def _share(term: Term, values: Any) -> Any:
    """What a metric adds, of a number or an array."""
    return term.weight * (np.asarray(values, np.float64) - term.centre) / term.scale


def _counts(scores: list[MetricScore], per_clip: Floats) -> Floats | None:
    """The sum of each clip and the counts of its metrics; None where a metric has no counts."""
    counts = [score.counts for score in scores]
    known = [table for table in counts if table is not None]
    return np.column_stack([per_clip, *known]) if len(known) == len(counts) else None


def _value(
    terms: tuple[Term, ...], values: list[tuple[float, Interval]], per_clip: Floats
) -> tuple[float, Interval]:
    """Sum of corpus values with its interval, that of a mean where the sum is one.

    Else, since corpus values such as those of BLEU are no means of clips, one that is at least
    as wide as it has to be: the intervals of the metrics, added up.
    """
    weighed = list(zip(terms, values, strict=True))
    value = math.fsum(float(_share(term, number)) for term, (number, _) in weighed)
    mean, interval = mean_and_interval(per_clip)
    if math.isclose(mean, value, rel_tol=1e-5, abs_tol=1e-6):
        return value, interval
    reach = sum(
        abs(term.factor) * max(own.high - number, number - own.low)
        for term, (number, own) in weighed
    )
    return value, Interval(value - reach, value + reach) if math.isfinite(reach) else NO_INTERVAL


def _details(terms: tuple[Term, ...], scores: list[MetricScore], shares: Floats) -> Details:
    """List per clip what each metric adds; clips without a value of every metric have no terms."""
    return [
        {
            "terms": [
                {
                    "name": term.metric,
                    "label": term.info.label,
                    "value": round(float(score.per_clip[clip]), 6),
                    "weight": float(f"{term.weight:.6g}"),
                    "centre": term.centre,
                    "scale": term.scale,
                    "share": round(float(share), 6),
                }
                for term, score, share in zip(terms, scores, shares[:, clip], strict=True)
            ]
            if np.isfinite(shares[:, clip]).all()
            else []
        }
        for clip in range(shares.shape[1])
    ]
