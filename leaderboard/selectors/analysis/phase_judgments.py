"""How often the metrics of a phase agree with its judges, as page and API give it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.models import PhaseJudgments
from leaderboard.selectors.analysis.human_judgments import MetricShares, Share
from scoring.benchmark import FACETS, TOTAL, Accuracy
from scoring.benchmark_results import KINDS
from scoring.registry import METRICS
from scoring.results import Interval


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


def judged_metrics(judgments: PhaseJudgments) -> JudgedMetrics | None:
    """Read the stored results; None before there are any.

    Metrics that are gone, or that the phase does not compute any more, are left out.
    """
    stored: dict[str, Any] = judgments.results
    if not stored:
        return None
    computed = judgments.phase.computed
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


def _row(stored: Mapping[str, Any]) -> MetricShares:
    shares = tuple(_share(kind, stored["shares"][kind]) for kind in KINDS)
    return MetricShares(METRICS[stored["name"]], stored["signature"], shares)


def _share(kind: str, row: Mapping[str, Any]) -> Share:
    drawn = None if row["low"] is None else Interval(row["low"], row["high"])
    return Share(kind, Accuracy(row["correct"], row["pairs"], row["undecided"]), None, drawn)
