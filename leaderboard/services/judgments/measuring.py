"""One attempt at comparing the metrics of a phase with judgments, from claim to results."""

from datetime import timedelta
from functools import partial
from typing import Any

from django.conf import settings

from leaderboard.lease_heartbeat import database_now
from leaderboard.models import Phase, PhaseJudgments
from leaderboard.scorer import family_arguments
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.services.jobs.attempts import JobProgress, connection_renew, job_attempt
from leaderboard.services.jobs.states import job_claim, job_finish
from leaderboard.services.judgments.states import JUDGMENTS
from leaderboard.web.redaction import without_paths
from scoring.benchmark import (
    Judgments,
    MetricPreferences,
    benchmark_metrics,
    judged_pair,
    metric_preferences,
    shares,
)
from scoring.benchmark_results import accuracy_row, kept_differences
from scoring.captions import References
from scoring.errors import ScoringError
from scoring.registry import METRICS, families_of
from scoring.runtime import Progress
from scoring.workspace import Workspace

NO_REFERENCES = "The phase has no references any more. Add them, then measure again."


def _noted(progress: JobProgress, families: int) -> Progress:
    """A progress that notes the family that is computed, and its captions done."""
    met: dict[str, None] = {}

    def note(family: str, done: int, total: int) -> None:
        met[family] = None
        number = min(len(met), families)
        told = {"family": family, "done": done, "total": total, "number": number}
        progress.note(progress={**told, "families": families})

    return note


def time_limit() -> timedelta:
    """How long an attempt may take: the limit of an evaluation for each metric family."""
    return len(families_of(benchmark_metrics())) * settings.TIME_LIMIT


def judgments_attempt(*, pk: int, token: int) -> None:
    """Claim judgments, measure the metrics and store the results; do nothing if they are taken."""
    now, lease = database_now(), settings.LEASE
    claim = job_claim(kind=JUDGMENTS, pk=pk, token=token, now=now, lease=lease, progress={})
    if claim is None:
        return
    found = PhaseJudgments.objects.select_related("phase__reference_set").get(pk=pk)
    progress = JobProgress(claim, limit=time_limit())
    job_attempt(progress, partial(_measure, found, progress))


def _measure(found: PhaseJudgments, progress: JobProgress) -> None:
    results = _measured(found, _noted(progress, len(families_of(_names(found.phase)))))
    connection_renew()
    now = database_now()
    job_finish(claim=progress.claim, now=now, results=results, measured_at=now, progress={})


def _measured(found: PhaseJudgments, note: Progress) -> dict[str, Any]:
    """The results as they are stored.

    The metrics are those of the phase: with its parameters, and words weighed by its references.
    """
    stored = found.phase.reference_set
    if stored is None:
        raise ScoringError(NO_REFERENCES)
    references = references_of(stored.content_hash)
    judgments = _judgments(found, references)
    parameters, faults = _parameters(found.phase)
    names = [name for name in _names(found.phase) if METRICS[name].family not in faults]
    workspace = Workspace(
        cache_dir=settings.SCORING_CACHE_DIR, device=settings.SCORING_DEVICE, progress=note
    )
    measured = metric_preferences(judgments, names, workspace, parameters)
    unavailable = {row.name: row.reason for row in measured.unavailable.values()} | {
        name: faults[METRICS[name].family]
        for name in _names(found.phase)
        if METRICS[name].family in faults
    }
    return {
        "pairs": len(found.pairs),
        "decided": len(measured.pairs),
        "judges": found.judges,
        "votes": found.votes,
        "sha256": found.sha256,
        "metrics": _rows(measured),
        "unavailable": {name: without_paths(reason) for name, reason in unavailable.items()},
    }


def _names(phase: Phase) -> tuple[str, ...]:
    """The metrics of a phase that can be compared with judgments."""
    return tuple(name for name in benchmark_metrics() if name in phase.computed)


def _judgments(found: PhaseJudgments, references: References) -> Judgments:
    rows = [
        judged_pair(
            row["facet"],
            tuple(row["captions"]),
            references.clips[row["clip"]].references,
            row["truth"],
            row["clip"],
        )
        for row in found.pairs
    ]
    return Judgments(tuple(rows), references)


def _parameters(phase: Phase) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """The arguments of each family in the phase, and why a family has none."""
    arguments, faults = {}, {}
    for family in families_of(_names(phase)):
        try:
            arguments[family] = family_arguments(family, phase.parameters.get(family))
        except ScoringError as error:
            faults[family] = str(error)
    return arguments, faults


def _rows(measured: MetricPreferences) -> list[dict[str, Any]]:
    """Each metric with its shares by kind of pair, and how much it prefers the first caption."""
    preferences = measured.preferences
    return [
        {
            "name": name,
            "signature": measured.signatures[name],
            "shares": {
                kind: accuracy_row(share)
                for kind, share in shares(preferences, differences).items()
            },
            "differences": kept_differences(differences),
        }
        for name, differences in measured.differences.items()
    ]
