"""How often metrics agree with the judges of a phase or of one's own file, for page and API."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from leaderboard.models import JudgmentSet
from leaderboard.selectors.analysis.human_judgments import MetricShares, shares_of
from scoring.benchmark import TOTAL, Preferences
from scoring.benchmark_results import (
    KINDS,
    BenchmarkedMetric,
    accuracy_from_row,
    differences_from_kept,
)
from scoring.judgment_files import FACETS
from scoring.registry import METRICS, MetricInfo


@dataclass(frozen=True, slots=True)
class JudgedMetrics:
    """What was measured: ``decided`` of ``pairs`` are those on which judges are not split.

    ``kinds`` are the kinds of pairs that there are, all of them together first.
    """

    pairs: int
    decided: int
    judges: int
    votes: int
    sha256: str
    kinds: tuple[str, ...]
    rows: tuple[MetricShares, ...]
    unavailable: Mapping[str, str]

    def ranked(self, kind: str) -> list[MetricShares]:
        """The metrics, the one that agrees most on this kind of pair first."""
        return sorted(self.rows, key=lambda row: -row.of(kind).value)


def judged_metrics(judgments: JudgmentSet) -> JudgedMetrics | None:
    """Read the stored results; None before there are any.

    Metrics that are gone, or that the phase does not compute any more, are left out.
    """
    stored: dict[str, Any] = judgments.results
    if not stored:
        return None
    computed = _computed(judgments)
    rows = tuple(_row(row) for row in stored["metrics"] if row["name"] in computed)
    first = {share.kind: share.counts.pairs for share in rows[0].shares} if rows else {}
    return JudgedMetrics(
        pairs=stored["pairs"],
        decided=stored["decided"],
        judges=stored["judges"],
        votes=stored["votes"],
        sha256=stored["sha256"],
        kinds=(TOTAL, *(facet for facet in FACETS if first.get(facet))),
        rows=rows,
        unavailable={name: why for name, why in stored["unavailable"].items() if name in computed},
    )


def judged_preferences(judgments: JudgmentSet) -> Preferences:
    """What judges and metrics prefer in each decided pair, for metrics that the phase computes.

    Without any metric where the results are of other judgments than those that are there now, or
    from before differences were kept.
    """
    computed = _computed(judgments)
    decided = [row for row in judgments.pairs if row["truth"]]
    stored = judgments.results if judgments.results.get("sha256") == judgments.sha256 else {}
    return Preferences(
        np.array([row["facet"] for row in decided], np.str_),
        np.array([row["clip"] for row in decided], np.int64),
        np.array([row["truth"] for row in decided], np.float64),
        {
            row["name"]: differences_from_kept(row["differences"])
            for row in stored.get("metrics", ())
            if "differences" in row and row["name"] in computed
        },
    )


def _computed(judgments: JudgmentSet) -> Mapping[str, MetricInfo]:
    """The metrics that are there: of a phase those that it computes."""
    return METRICS if judgments.phase is None else judgments.phase.computed


def _row(stored: Mapping[str, Any]) -> MetricShares:
    accuracies = {kind: accuracy_from_row(stored["shares"][kind]) for kind in KINDS}
    return shares_of(BenchmarkedMetric(stored["name"], stored["signature"], accuracies))
