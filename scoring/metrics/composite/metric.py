"""Composite: a weighted sum of the corpus values, and clip by clip, of other metrics."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.captions import Candidates, References
from scoring.metrics.composite import FAMILY
from scoring.metrics.composite.formula import (
    Term,
    families_of_formula,
    formula_text,
    read_formula,
)
from scoring.metrics.family import Arrays, Family
from scoring.prepared_cache import prepared_references
from scoring.registry import load_family
from scoring.results import NO_INTERVAL, Details, Interval, MetricScore
from scoring.signature import signature
from scoring.statistics import mean_and_interval
from scoring.workspace import Workspace

Floats = NDArray[np.float64]


class Composite:
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

    def prepare(self, references: References, workspace: Workspace) -> None:
        """Nothing of its own: what its metrics prepare is kept under their names."""

    def dump(self, prepared: None) -> Arrays:
        """Nothing, as there is nothing prepared."""
        return {}

    def load(self, arrays: Arrays) -> None:
        """Nothing, as there is nothing prepared."""

    def chosen(self, prepared: None, references: References, places: Sequence[int]) -> None:
        """Nothing, as there is nothing prepared."""

    def score(
        self, candidates: Candidates, references: References, prepared: None, workspace: Workspace
    ) -> dict[str, MetricScore]:
        """Score by every metric of the formula, and add up."""
        found = self._scored(candidates, references, workspace)
        scores = [found[term.metric] for term in self.terms]
        shares = np.array(
            [_share(term, score.per_clip) for term, score in zip(self.terms, scores, strict=True)]
        )
        per_clip: Floats = shares.sum(axis=0)
        value = math.fsum(
            float(_share(term, score.value)) for term, score in zip(self.terms, scores, strict=True)
        )
        workspace.progress(self.name, len(candidates), len(candidates))
        result = MetricScore(
            self.name,
            value,
            _interval(self.terms, scores, per_clip, value),
            per_clip.astype(np.float32),
            signature(self.name, self.parameters, references.counts_label, self.revision),
            _details(self.terms, scores, shares) if workspace.details else None,
        )
        return {self.name: result}

    def _scored(
        self, candidates: Candidates, references: References, workspace: Workspace
    ) -> dict[str, MetricScore]:
        """Scores of the metrics, none of whose clips counts as done yet."""
        clips = len(candidates)
        quiet = replace(
            workspace,
            details=False,
            progress=lambda _family, _done, _total: workspace.progress(self.name, 0, clips),
        )
        found: dict[str, MetricScore] = {}
        for family in self._families.values():
            ready = prepared_references(family, references, quiet)
            found |= family.score(candidates, references, ready, quiet)
        return found


def _share(term: Term, values: Any) -> Any:
    """What a metric adds, of a number or an array."""
    return term.weight * (np.asarray(values, np.float64) - term.centre) / term.scale


def _interval(
    terms: tuple[Term, ...], scores: list[MetricScore], per_clip: Floats, value: float
) -> Interval:
    """The interval of a mean where the value is one.

    Else, since corpus values such as those of BLEU are no means of clips, one that is at least
    as wide as it has to be: the intervals of the metrics, added up.
    """
    mean, interval = mean_and_interval(per_clip)
    if math.isclose(mean, value, rel_tol=1e-5, abs_tol=1e-6):
        return interval
    reach = sum(
        abs(term.factor) * max(score.interval.high - score.value, score.value - score.interval.low)
        for term, score in zip(terms, scores, strict=True)
    )
    return Interval(value - reach, value + reach) if math.isfinite(reach) else NO_INTERVAL


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
