"""One attempt at comparing the metrics of a phase with judgments, from claim to results."""

from datetime import timedelta
from typing import Any

from django.conf import settings

from earmark.benchmark import (
    AS_PUBLISHED,
    Judgments,
    MetricPreferences,
    benchmark_metrics,
    judged_pair,
    metric_preferences,
)
from earmark.benchmark_results import accuracy_row, kept_differences
from earmark.captions import References
from earmark.errors import ScoringError
from earmark.registry import FAMILIES, METRICS, families_of
from earmark.runtime import Progress
from earmark.workspace import Workspace
from leaderboard.leases import database_now
from leaderboard.models import JudgmentSet
from leaderboard.scorer import family_arguments
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.selectors.labellers.use import new_phase_parameters
from leaderboard.services.jobs.attempts import JobProgress, connection_renew, job_work
from leaderboard.services.jobs.states import job_finish
from leaderboard.services.judgments.states import JUDGMENTS
from leaderboard.web.redaction import without_paths

NO_REFERENCES = "The phase has no references any more. Add them, then measure again."


def _noted(progress: JobProgress, families: int) -> Progress:
    """A progress that notes the family that is computed, and its captions done."""
    met: dict[str, None] = {}

    def note(family: str, done: int, total: int) -> None:
        met[family] = None
        number = min(len(met), families)
        step = {"family": family, "done": done, "total": total, "number": number}
        progress.note(progress={**step, "families": families})

    return note


def time_limit() -> timedelta:
    """How long an attempt may take: the limit of an evaluation for each metric family."""
    return len(families_of(benchmark_metrics(unseen=True))) * settings.TIME_LIMIT


def judgments_attempt(*, pk: int, token: int) -> None:
    """Claim judgments, measure the metrics and store the results; do nothing if they are taken."""
    limit = time_limit()
    job_work(kind=JUDGMENTS, pk=pk, token=token, limit=limit, work=_measure, progress={})


def _measure(progress: JobProgress) -> None:
    rows = JudgmentSet.objects.select_related("phase__reference_set")
    judgments = rows.get(pk=progress.claim.pk)
    results = _measured(judgments, _noted(progress, len(families_of(_names(judgments)))))
    connection_renew()
    now = database_now()
    job_finish(claim=progress.claim, now=now, results=results, measured_at=now, progress={})


def _measured(judgments: JudgmentSet, note: Progress) -> dict[str, Any]:
    """The results as they are stored.

    The metrics of a phase are measured with its parameters, and words weighed by its references;
    for a person's own judgments all are, with what the site is installed with and, where that
    differs, what the published numbers were computed with.
    """
    references = _references(judgments)
    pairs = tuple(
        judged_pair(
            row["facet"],
            tuple(row["captions"]),
            references.clips[row["clip"]].references,
            row["truth"],
            row["clip"],
        )
        for row in judgments.pairs
    )
    parameters, faults = _parameters(judgments)
    names = [name for name in _names(judgments) if METRICS[name].family not in faults]
    workspace = Workspace(
        cache_dir=settings.SCORING_CACHE_DIR,
        cache_bytes=settings.SCORING_CACHE_BYTES,
        device=settings.SCORING_DEVICE,
        progress=note,
    )
    measured = metric_preferences(Judgments(pairs, references), names, workspace, parameters)
    unavailable = dict(measured.unavailable) | {
        name: faults[METRICS[name].family]
        for name in _names(judgments)
        if METRICS[name].family in faults
    }
    return {
        "pairs": len(judgments.pairs),
        "decided": len(measured.pairs),
        "judges": judgments.judges,
        "votes": judgments.votes,
        "sha256": judgments.sha256,
        "metrics": _rows(measured),
        "unavailable": {name: without_paths(reason) for name, reason in unavailable.items()},
    }


def _references(judgments: JudgmentSet) -> References:
    if judgments.phase is None:
        return References.build((clip["name"], clip["references"]) for clip in judgments.clips)
    stored = judgments.phase.reference_set
    if stored is None:
        raise ScoringError(NO_REFERENCES)
    return references_of(stored.content_hash)


def _names(judgments: JudgmentSet) -> tuple[str, ...]:
    """The metrics that can be compared with judgments: of a phase those that it computes."""
    if judgments.phase is None:
        return benchmark_metrics(unseen=True)
    computed = judgments.phase.computed
    return tuple(name for name in benchmark_metrics(unseen=True) if name in computed)


def _parameters(judgments: JudgmentSet) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """The arguments of each family, and why a family has none."""
    if judgments.phase:
        own = judgments.phase.parameters
    else:  # what a new phase would score with, and for the rest what was published
        new = new_phase_parameters()
        own = {name: {**AS_PUBLISHED.get(name, {}), **new.get(name, {})} for name in FAMILIES}
    arguments, faults = {}, {}
    for family in families_of(_names(judgments)):
        try:
            arguments[family] = family_arguments(family, own.get(family))
        except ScoringError as error:
            faults[family] = str(error)
    return arguments, faults


def _rows(measured: MetricPreferences) -> list[dict[str, Any]]:
    """Each metric with its shares by kind of pair, and how much it prefers the first caption."""
    return [
        {
            "name": name,
            "signature": measured.signatures[name],
            "shares": {kind: accuracy_row(share) for kind, share in accuracies.items()},
            "differences": kept_differences(measured.differences[name]),
        }
        for name, accuracies in measured.accuracies.items()
    ]
