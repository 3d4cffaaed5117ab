"""Who stands where, from the ranking metric alone: fit for thousands of systems.

Two queries give one row for each system. What a page shows of a system besides is
read for the few that it shows (``board.rows``).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from earmark.metric_labels import signed_metric
from earmark.registry import MetricInfo
from leaderboard.models import Kind, MetricResult, Phase, Submission
from leaderboard.ranking import RankingEntry, counting_entries, place
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import (
    EVERYTHING,
    Visibility,
    blind_team,
    system_alias,
)
from leaderboard.selectors.visibility.visible_submissions import AnySubmission, frozen_of
from leaderboard.web.version_cache import kept_for_version


@dataclass(frozen=True, slots=True)
class Ranking:
    """The lines of a phase in rank order, and the ids of what does not compete.

    ``view`` is the reader's visibility, to which all that is read for it keeps.
    ``values`` are those of the metrics that were asked for, by metric and submission.
    """

    phase: Phase
    every_system: bool
    rows: tuple[RankedRow, ...]
    unranked: tuple[int, ...] = ()
    view: Visibility = EVERYTHING
    values: Mapping[str, Mapping[int, MetricValue]] = field(default_factory=dict)

    @property
    def info(self) -> MetricInfo:
        """The metric that decides, as the values that are shown were computed."""
        frozen = frozen_of(self.phase.pk, self.view).systems.values()
        signatures = (row.ranking_value.signature for row in frozen if row.ranking_value)
        first = next(signatures, "")
        return signed_metric(self.phase.ranking_metric, first) if first else self.phase.ranking

    @property
    def stamp(self) -> str:
        """Change whenever the clip scores that the ranking rests on may have changed."""
        held = sorted(
            (line.key, line.ranking_value.result, line.value)
            for line in self.rows
            if line.ranking_value is not None and line.rank is not None
        )
        rules = (self.phase.ranking_metric, self.phase.ranking.direction, self.every_system)
        return sha256(repr((rules, held)).encode()).hexdigest()


def ranking_of(
    phase: Phase,
    *,
    view: Visibility = EVERYTHING,
    every_system: bool = False,
    details: bool = False,
    more: Collection[str] = (),
) -> Ranking:
    """Rank one system per team, or with ``every_system`` all of them.

    With ``details`` the lines have what the teams say of their systems; the values
    of the metrics in ``more`` are read as well. Names are those that ``view`` shows;
    ranks and values too, where it is frozen. Two queries where something has changed, else one.
    """
    options = (view, every_system, details, frozenset(more))
    kept = kept_for_version(
        ("ranking", *rules_key(phase), *options),
        lambda: _ranking(phase, view, every_system=every_system, details=details, more=more),
    )
    # What is known of this request's reader stands in its phase.
    return replace(kept, phase=phase)


def rules_key(phase: Phase) -> tuple[object, ...]:
    """What of a phase decides its ranking, for keys of what is kept."""
    return (phase.pk, phase.ranking_metric, phase.precision, phase.counting)


def _ranking(
    phase: Phase,
    view: Visibility,
    *,
    every_system: bool,
    details: bool,
    more: Collection[str],
) -> Ranking:
    values = values_of(phase, {phase.ranking_metric, *more}, view=view)
    if view.until is not None:
        return _frozen(phase, view, values, every_system=every_system, details=details)
    lines, unranked = _unordered(phase, values.get(phase.ranking_metric, {}), details=details)
    shown = (_named(line, phase, view) for line in lines)
    ranked = rank_lines(phase, shown, every_system=every_system)
    return Ranking(phase, every_system, ranked, tuple(unranked), view, values)


def _frozen(
    phase: Phase,
    view: Visibility,
    values: Mapping[str, Mapping[int, MetricValue]],
    *,
    every_system: bool,
    details: bool,
) -> Ranking:
    """The lines as they were frozen, with the ranks of then."""
    systems = frozen_of(phase.pk, view).systems.values()
    metadata: dict[int, Any] = {}
    if details:
        rows = Submission.objects.filter(phase=phase).values_list("pk", "metadata")
        metadata = dict(rows.iterator(chunk_size=5000))
    lines = (
        _named(
            row._replace(
                rank=row.rank_of_all if every_system else row.rank,
                metadata=metadata.get(row.key, {}),
            ),
            phase,
            view,
        )
        for row in systems
        if row.kind == Kind.SYSTEM and (every_system or row.counts)
    )
    unranked = (system.key for system in systems if system.kind != Kind.SYSTEM)
    # In the order of the ranking; of the teams it is that of every system.
    return Ranking(phase, every_system, tuple(lines), tuple(unranked), view, values)


def _named(line: RankedRow, phase: Phase, view: Visibility) -> RankedRow:
    if view.knows(line.team):
        return line
    team = blind_team(phase.pk, line.team)
    return line._replace(
        team_slug=team.slug,
        team_name=team.name,
        system_name=system_alias(phase.pk, line.key),
        metadata={},
    )


def rank_lines(
    phase: Phase, lines: Iterable[RankedRow], *, every_system: bool
) -> tuple[RankedRow, ...]:
    """Lines with their ranks, in rank order; those that the table does not show are left out."""
    by_key = {line.key: line for line in lines}
    entries = [
        RankingEntry(line.key, line.team, line.value, line.submitted_at, line.key, line.chosen)
        for line in by_key.values()
    ]
    direction = phase.ranking.direction
    counting = counting_entries(entries, counting=phase.counting_rule, direction=direction)
    counts = {entry.key for entry in counting}
    shown = entries if every_system else counting
    return tuple(
        by_key[placed.key]._replace(rank=placed.rank, counts=placed.key in counts)
        for placed in place(shown, direction=direction, precision=phase.precision)
    )


def _unordered(
    phase: Phase, values: Mapping[int, MetricValue], *, details: bool
) -> tuple[list[RankedRow], list[int]]:
    """The lines of what competes, and the ids of what does not."""
    # In the order of the first fields of a row.
    names = ["pk", "kind", "public_id", "team_id", "team__slug", "team__name", "system_name"]
    names += ["created_at", "chosen", *(["metadata"] if details else [])]
    rows: Iterable[tuple[Any, ...]] = (
        Submission.objects.eligible().filter(phase=phase).order_by("pk").values_list(*names)
    )
    lines, unranked = [], []
    for key, kind, *fields in rows:
        if kind != Kind.SYSTEM:
            unranked.append(key)
            continue
        metadata = fields.pop() if details else {}
        row = RankedRow(key, *fields)
        lines.append(row._replace(ranking_value=values.get(key), metadata=metadata))
    return lines, unranked


def ranking_values(submissions: Iterable[AnySubmission]) -> dict[int, float]:
    """The value of each submission's ranking metric, where it has one; one query."""
    metric = {row.pk: row.phase.ranking_metric for row in submissions}
    rows = MetricResult.objects.filter(
        submission__in=list(metric),
        metric__in=set(metric.values()),
        evaluation__published=True,
        value__isnull=False,
    ).values_list("submission_id", "metric", "value")
    return {key: value for key, name, value in rows if metric[key] == name and value is not None}


def values_of(
    phase: Phase, metrics: Collection[str], *, view: Visibility = EVERYTHING
) -> dict[str, dict[int, MetricValue]]:
    """The values of some metrics for every submission of a phase; one query.

    They are the published ones, or those that were frozen where ``view`` is.
    """
    by_metric: dict[str, dict[int, MetricValue]] = defaultdict(dict)
    if view.until is not None:
        for row in frozen_of(phase.pk, view).systems.values():
            for metric in set(metrics) & row.values.keys():
                by_metric[metric][row.key] = row.values[metric]
        return by_metric
    rows = MetricResult.objects.filter(
        submission__phase=phase, metric__in=set(metrics), evaluation__published=True
    ).values_list("metric", "submission_id", "value", "low", "high", "pk")
    for metric, submission, value, low, high, result in rows:
        by_metric[metric][submission] = MetricValue(metric, value, low, high, result)
    return by_metric
