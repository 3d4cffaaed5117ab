"""One attempt at comparing the metrics of a phase with judgments, from claim to results."""

import logging
import math
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import numpy as np
from django.conf import settings
from django.db import close_old_connections, connection

from leaderboard.job_memory import memory_reason
from leaderboard.lease_heartbeat import (
    LeaseHeartbeat,
    LeaseLost,
    TimeLimitExceeded,
    database_now,
)
from leaderboard.models import Phase, PhaseJudgments
from leaderboard.scorer import family_arguments
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.services.judgments.states import (
    JudgmentsClaim,
    judgments_beat,
    judgments_claim,
    judgments_fail,
    judgments_finish,
)
from leaderboard.web.redaction import without_paths
from scoring.benchmark import (
    FACETS,
    TOTAL,
    Judgments,
    MetricPreferences,
    accuracies,
    benchmark_metrics,
    judged_pair,
    metric_preferences,
)
from scoring.captions import References
from scoring.errors import ScoringError
from scoring.registry import METRICS, families_of
from scoring.statistics import Floats, grouped_share_interval
from scoring.workspace import Workspace

logger = logging.getLogger(__name__)

RESAMPLES = 2000
NO_REFERENCES = "The phase has no references any more."


class _Progress:
    """How far an attempt is: the family that is computed, and its captions done."""

    def __init__(self, claim: JudgmentsClaim, families: int) -> None:
        self._claim = claim
        self._now: dict[str, Any] = {}
        self._written: dict[str, Any] = {}
        self._families, self._met = families, set[str]()
        self.heartbeat = LeaseHeartbeat(
            write=self._write,
            has_news=lambda: self._now != self._written,
            limit=families * settings.TIME_LIMIT,
            lease=settings.LEASE,
        )

    def note(self, family: str, done: int, total: int) -> None:
        """Note captions done; raises what ended the right to go on."""
        self._met.add(family)
        self._now = {
            "family": family,
            "done": done,
            "total": total,
            "number": min(len(self._met), self._families),
            "families": self._families,
        }
        self.heartbeat.check()

    def _write(self, now: Any) -> None:
        told = self._now
        judgments_beat(claim=self._claim, progress=told, now=now, lease=settings.LEASE)
        self._written = told


def time_limit() -> timedelta:
    """How long an attempt may take: the limit of an evaluation for each metric family."""
    return len(families_of(benchmark_metrics())) * settings.TIME_LIMIT


def judgments_attempt(*, pk: int, token: int) -> None:
    """Claim judgments, measure the metrics and store the results; do nothing if they are taken."""
    claim = judgments_claim(pk=pk, token=token, now=database_now(), lease=settings.LEASE)
    if claim is None:
        return
    found = PhaseJudgments.objects.select_related("phase__reference_set").get(pk=pk)
    progress = _Progress(claim, len(families_of(benchmark_metrics())))
    with progress.heartbeat:
        _attempt(found, claim, progress)


def _attempt(found: PhaseJudgments, claim: JudgmentsClaim, progress: _Progress) -> None:
    try:
        results = _measured(found, progress)
        _renew_connection()
        judgments_finish(claim=claim, results=results, now=database_now())
    except LeaseLost:
        logger.warning("The judgments %s were handed over anew or taken by another", found.pk)
    except TimeLimitExceeded:
        _fail(claim, "It took longer than the time limit. Judge fewer pairs.", final=True)
    except ScoringError as error:
        _fail(claim, memory_reason(error) or str(error), final=True)
    except Exception as error:
        logger.exception("Measuring on the judgments %s failed", found.pk)
        # The text of an unexpected error may hold a caption.
        reason = memory_reason(error) or f"Unexpected error ({type(error).__name__})."
        _fail(claim, reason, final=False)


def _fail(claim: JudgmentsClaim, reason: str, *, final: bool) -> None:
    _renew_connection()
    judgments_fail(claim=claim, reason=without_paths(reason), final=final)


def _renew_connection() -> None:
    """Drop a connection that the work outlived, unless a transaction depends on it."""
    if not connection.in_atomic_block:
        close_old_connections()


def _measured(found: PhaseJudgments, progress: _Progress) -> dict[str, Any]:
    """The results as they are stored.

    The metrics are those of the phase: with its parameters, and words weighed by its references.
    """
    stored = found.phase.reference_set
    if stored is None:
        raise ScoringError(NO_REFERENCES)
    references = references_of(stored.content_hash)
    judgments = _judgments(found, references)
    parameters, faults = _parameters(found.phase)
    names = [name for name in benchmark_metrics() if METRICS[name].family not in faults]
    workspace = Workspace(
        cache_dir=settings.SCORING_CACHE_DIR, device=settings.SCORING_DEVICE, progress=progress.note
    )
    measured = metric_preferences(judgments, names, workspace, parameters)
    unavailable = {row.name: row.reason for row in measured.unavailable.values()} | {
        name: faults[METRICS[name].family]
        for name in benchmark_metrics()
        if METRICS[name].family in faults
    }
    return {
        "pairs": len(found.pairs),
        "decided": len(measured.pairs),
        "judges": found.judges,
        "votes": found.votes,
        "sha256": found.sha256,
        "metrics": _rows(found, measured),
        "unavailable": {name: without_paths(reason) for name, reason in unavailable.items()},
    }


def _judgments(found: PhaseJudgments, references: References) -> Judgments:
    rows = [
        judged_pair(
            row["facet"],
            tuple(row["captions"]),
            references.clips[row["clip"]].references,
            row["truth"],
        )
        for row in found.pairs
    ]
    return Judgments(tuple(rows), references)


def _parameters(phase: Phase) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """The arguments of each family in the phase, and why a family has none."""
    arguments, faults = {}, {}
    for family in families_of(benchmark_metrics()):
        try:
            arguments[family] = family_arguments(family, phase.parameters.get(family))
        except ScoringError as error:
            faults[family] = str(error)
    return arguments, faults


def _rows(found: PhaseJudgments, measured: MetricPreferences) -> list[dict[str, Any]]:
    """Each metric with its shares by kind of pair; intervals are from draws of the clips."""
    truth = np.array([row["truth"] for row in found.pairs if row["truth"]])
    clips = np.array([row["clip"] for row in found.pairs if row["truth"]])
    facet = np.array([row["facet"] for row in found.pairs if row["truth"]])
    masks = {name: facet == name for name in FACETS} | {TOTAL: facet != ""}
    rows = []
    for name, differences in measured.differences.items():
        right: Floats = (differences * truth > 0).astype(np.float64)
        shares = {}
        for kind, counts in accuracies(measured.pairs, differences).items():
            interval = grouped_share_interval(
                right[masks[kind]], clips[masks[kind]], resamples=RESAMPLES
            )
            shares[kind] = {
                "correct": counts.correct,
                "pairs": counts.pairs,
                "undecided": counts.undecided,
                **_per_cent({"low": interval.low, "high": interval.high}),
            }
        rows.append({"name": name, "signature": measured.signatures[name], "shares": shares})
    return rows


def _per_cent(ends: Mapping[str, float]) -> dict[str, float | None]:
    return {name: round(100 * end, 4) if math.isfinite(end) else None for name, end in ends.items()}
