"""Snapshots of a ranking: both tables of a phase with all their numbers, as plain values.

A snapshot is one JSON object. ``systems`` has what stands in a phase, in the order of the
ranking of every system, then what does not compete; ``rank`` is that among the teams (None
where the system does not count for its team), ``rank_of_all`` that among every system.
Values are ``[value, low, high, coverage, clips, signature]``, the last a place in
``signatures``; families are ``[id of the evaluation, family, state, reason, clips]``.
``estimates`` are the ranges of ranks of "teams" and "all", where they were known.

``leaderboards`` are those of all phases, to compare a site with itself at another time.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from earmark.metric_labels import signed_metric
from earmark.registry import METRICS, MetricInfo
from earmark.signature import with_revision
from leaderboard.models import (
    Evaluation,
    EvaluationState,
    Kind,
    MetricResult,
    Phase,
    RankEstimates,
    RankSnapshot,
    Submission,
)
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.ranking.ranking import Ranking, rank_lines
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visible_submissions import row_of_submission, rows_in


def snapshots_of(phase: Phase) -> QuerySet[RankSnapshot]:
    """Kept rankings of a phase, the latest first, without what is in them."""
    return phase.snapshots.defer("content").select_related("taken_by")


def kept_rows(snapshot: RankSnapshot, *, every_system: bool) -> list[RankedRow]:
    """The rows of a kept ranking: of the systems that counted, or of all."""
    return [row for row in rows_in(snapshot.content) if every_system or row.counts]


def kept_metric(snapshot: RankSnapshot) -> MetricInfo | None:
    """The metric of a kept ranking as its values were computed; None where it is not known now."""
    metric = snapshot.ranking_metric
    if metric not in METRICS:
        return None
    return signed_metric(metric, _signature_of(snapshot.pk, snapshot.sha256, metric))


@lru_cache(maxsize=256)
def _signature_of(pk: int, _sha256: str, metric: str) -> str:
    """The signature of a kept ranking's values, read once per process: it never changes."""
    content = RankSnapshot.objects.values_list("content", flat=True).get(pk=pk)
    places = (row["values"][metric][-1] for row in content["systems"] if metric in row["values"])
    at = next(places, None)
    return "" if at is None else with_revision(content["signatures"][at])


FORMAT = 1


def canonical(content: Mapping[str, Any]) -> str:
    """Write as JSON, one way only: keys in order, no spaces, no escapes where none is needed."""
    return json.dumps(
        content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(content: Mapping[str, Any]) -> str:
    """The sha256 of the canonical JSON, in UTF-8."""
    return sha256(canonical(content).encode()).hexdigest()


def being_scored(phase: Phase, until: datetime) -> int:
    """Number of systems, handed in by a moment, that a ranking of now has without their values."""
    under_way = Evaluation.objects.filter(
        submission=OuterRef("pk"),
        published=True,
        state__in=(EvaluationState.PENDING, EvaluationState.RUNNING),
    )
    rows = Submission.objects.eligible().filter(Exists(under_way), phase=phase)
    return rows.filter(created_at__lte=until).count()


def whole_ranking(phase: Phase, now: datetime, until: datetime | None = None) -> dict[str, Any]:
    """Read both tables in four queries; ranks are made of the very values that are given.

    What was handed in after ``until`` is left out.
    """
    rows = Submission.objects.eligible().filter(phase=phase)
    if until is not None:
        rows = rows.filter(created_at__lte=until)
    systems = list(rows.select_related("team").order_by("pk"))
    evaluations = _evaluations(phase)
    numbers = _numbers(phase, evaluations)
    everyone, teams = _rankings(phase, systems, numbers)
    ranks = {line.key: line.rank for line in everyone.rows}
    of_teams = {line.key: line.rank for line in teams.rows}
    by_key = {system.pk: system for system in systems}
    beside = [system.pk for system in systems if system.pk not in ranks]
    return {
        "format": FORMAT,
        "challenge": phase.challenge.slug,
        "phase": phase.slug,
        "taken_at": now.isoformat(),
        "ranking_metric": phase.ranking_metric,
        "direction": phase.ranking.direction,
        "precision": phase.precision,
        "counting": phase.counting,
        "estimates": _estimates(phase, (everyone, teams)),
        "signatures": list(numbers.signatures),
        "systems": [
            {
                **_system_record(by_key[key]),
                "rank": of_teams.get(key),
                "counts": key in of_teams,
                "rank_of_all": ranks.get(key),
                "families": evaluations[key],
                "values": numbers.values[key],
            }
            for key in (*ranks, *beside)
        ],
    }


def _system_record(system: Submission) -> dict[str, Any]:
    return {
        "key": system.pk,
        "id": system.public_id,
        "kind": system.kind,
        "team_key": system.team_id,
        "team": system.team.slug,
        "team_name": system.team.name,
        "system_name": system.system_name,
        "submitted_at": system.created_at.isoformat(),
        "chosen": system.chosen,
    }


def _evaluations(phase: Phase) -> dict[int, list[list[Any]]]:
    # Plain values: uploads wait for this, and there may be some 100,000 rows.
    rows = Evaluation.objects.filter(submission__phase=phase, published=True).values_list(
        "submission_id", "pk", "family", "state", "reason", "clips_total"
    )
    by_submission: dict[int, list[list[Any]]] = defaultdict(list)
    for submission, *family in rows.order_by("pk").iterator(chunk_size=5000):
        by_submission[submission].append(family)
    return by_submission


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The values of every submission by metric; ``results`` are the keys of those that rank."""

    values: dict[int, dict[str, list[Any]]]
    results: dict[int, int]
    signatures: dict[str, int]


_NUMBERS = "value", "low", "high", "coverage", "clips", "signature"


def _numbers(phase: Phase, evaluations: Mapping[int, list[list[Any]]]) -> _Numbers:
    done = {
        pk
        for families in evaluations.values()
        for pk, _, state, *_ in families
        if state == EvaluationState.DONE
    }
    result_numbers = _Numbers(defaultdict(dict), {}, {})
    rows = MetricResult.objects.filter(submission__phase=phase, evaluation__published=True)
    values = rows.order_by("pk").values_list(
        "pk", "evaluation_id", "submission_id", "metric", *_NUMBERS
    )
    for pk, evaluation, submission, metric, *row in values.iterator(chunk_size=5000):
        if evaluation not in done:
            continue
        value, low, high, coverage, clips, signature = row
        at = result_numbers.signatures.setdefault(signature, len(result_numbers.signatures))
        # -0.0 is written as 0.0, since PostgreSQL keeps no sign of it.
        numbers = (None if one is None else one + 0.0 for one in (value, low, high))
        result_numbers.values[submission][metric] = [*numbers, coverage, clips, at]
        if metric == phase.ranking_metric:
            result_numbers.results[submission] = pk
    return result_numbers


def _rankings(
    phase: Phase, systems: Iterable[Submission], numbers: _Numbers
) -> tuple[Ranking, Ranking]:
    lines = []
    for system in systems:
        if system.kind == Kind.SYSTEM:
            row = numbers.values[system.pk].get(phase.ranking_metric)
            value = None
            if row is not None:
                number, low, high = row[:3]
                result = numbers.results[system.pk]
                value = MetricValue(phase.ranking_metric, number, low, high, result)
            lines.append(row_of_submission(system, value))
    everyone = rank_lines(phase, lines, every_system=True)
    teams = rank_lines(phase, lines, every_system=False)
    return Ranking(phase, True, everyone), Ranking(phase, False, teams)


def _estimates(phase: Phase, rankings: Iterable[Ranking]) -> dict[str, Any]:
    """The rank ranges of both tables where they are those of these very rankings."""
    stored = {row.every_system: row for row in RankEstimates.objects.filter(phase=phase)}
    return {
        "all" if ranking.every_system else "teams": stored[ranking.every_system].content
        for ranking in rankings
        if ranking.every_system in stored and stored[ranking.every_system].stamp == ranking.stamp
    }


@dataclass(frozen=True, slots=True)
class LeaderboardComparison:
    """The leaderboard of a phase then and now; ``changes`` says what differs."""

    phase: str
    systems: int
    ranked: int
    changes: tuple[str, ...]


def leaderboards(*, now: datetime) -> Iterator[dict[str, Any]]:
    """Each phase with its systems in the order of the leaderboard, their ranks and values.

    ``systems`` is None where the metric that ranks is no longer known. Intervals are left out:
    they are estimates, which a later version may cut to the range of their metric.
    """
    for phase in Phase.objects.select_related("challenge").order_by("pk"):
        known = phase.ranking_metric in METRICS
        yield {
            "phase": f"{phase.challenge.slug}/{phase.slug}",
            "metric": phase.ranking_metric,
            "systems": _systems(whole_ranking(phase, now)) if known else None,
        }


def _systems(ranking: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **{key: one[key] for key in ("id", "system_name", "team", "rank", "rank_of_all")},
            "values": {metric: row[0] for metric, row in sorted(one["values"].items())},
        }
        for one in ranking["systems"]
    ]


def leaderboards_compared(
    then: list[dict[str, Any]], now: list[dict[str, Any]]
) -> Iterator[LeaderboardComparison]:
    """What became of each leaderboard of ``then``."""
    today = {board["phase"]: board["systems"] for board in now}
    for board in then:
        before, after = board["systems"] or [], today.get(board["phase"])
        ranked = sum(one["rank"] is not None for one in before)
        changes = tuple(_changes(board["systems"], after))
        yield LeaderboardComparison(board["phase"], len(before), ranked, changes)


def _changes(
    before: list[dict[str, Any]] | None, after: list[dict[str, Any]] | None
) -> Iterator[str]:
    if before is None or after is None:
        if before is not after:
            yield "the phase is gone, or its ranking metric is not known here"
        return
    rows = {one["id"]: one for one in after}
    for one in before:
        row = rows.pop(one["id"], None)
        name = f"{one['system_name']} ({one['id']})"
        if row is None:
            yield f"{name} is gone"
            continue
        for key, value in one.items():
            if row.get(key) != value:
                yield f"{name}: {key} was {value} and is {row.get(key)}"
    for key, one in rows.items():
        yield f"{one['system_name']} ({key}) is new"
    order = [one["id"] for one in before], [one["id"] for one in after]
    if not rows and len(order[0]) == len(order[1]) and order[0] != order[1]:
        yield "the order of the systems is another"
