"""Who stands where, from the ranking metric alone: fit for thousands of systems.

Two queries give one ``Line`` for each system. What a page shows of a system besides is
read for the few that it shows (``phases.rows_of``).
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from leaderboard.models import Kind, MetricResult, Phase, Submission
from leaderboard.ranking import Entry, counting_entries, place
from leaderboard.selectors.frozen import HeldSystem
from leaderboard.selectors.naming import masked_team, system_alias
from leaderboard.selectors.seen import frozen_of
from leaderboard.selectors.view import EVERYTHING, View


class Value(NamedTuple):
    """The corpus value of a metric; ``result`` is the id of its row, new whenever rescored."""

    value: float | None
    low: float | None
    high: float | None
    result: int


class Line(NamedTuple):
    """One system of a ranking, without its other numbers; ``rank`` None where it has none.

    ``counts`` tells whether it is the one that counts for its team.
    """

    key: int
    public_id: str
    team: int
    team_name: str
    system_name: str
    submitted_at: datetime
    chosen: bool
    metadata: Mapping[str, Any]
    of_ranking: Value | None
    rank: int | None = None
    counts: bool = False
    team_slug: str = ""

    @property
    def value(self) -> float | None:
        """The value that decides."""
        return None if self.of_ranking is None else self.of_ranking.value


@dataclass(frozen=True, slots=True)
class Ranking:
    """The lines of a phase in rank order, and the ids of what stands beside them.

    ``view`` is that of whom it is shown to; all that is read for it keeps to it.
    ``values`` are those of the metrics that were asked for, by metric and submission.
    """

    phase: Phase
    every_system: bool
    lines: tuple[Line, ...]
    beside: tuple[int, ...] = ()
    view: View = EVERYTHING
    values: Mapping[str, Mapping[int, Value]] = field(default_factory=dict)

    @property
    def stamp(self) -> str:
        """Change whenever the clip scores that the ranking rests on may have changed."""
        held = sorted(
            (line.key, line.of_ranking.result, line.value)
            for line in self.lines
            if line.of_ranking is not None and line.rank is not None
        )
        rules = (self.phase.ranking_metric, self.phase.ranking.direction, self.every_system)
        return sha256(repr((rules, held)).encode()).hexdigest()


def ranking_of(
    phase: Phase,
    *,
    view: View = EVERYTHING,
    every_system: bool = False,
    details: bool = False,
    more: Collection[str] = (),
) -> Ranking:
    """Rank one system per team, or with ``every_system`` all of them; two queries.

    With ``details`` the lines have what the teams say of their systems; the values
    of the metrics in ``more`` are read as well. Names are those that ``view`` shows;
    ranks and values too, where it is frozen.
    """
    values = values_of(phase, {phase.ranking_metric, *more}, view=view)
    if view.until is not None:
        return _frozen(phase, view, values, every_system=every_system, details=details)
    lines, beside = _standing(phase, values.get(phase.ranking_metric, {}), details=details)
    shown = (_named(line, phase, view) for line in lines)
    ranked = rank_lines(phase, shown, every_system=every_system)
    return Ranking(phase, every_system, ranked, tuple(beside), view, values)


def _frozen(
    phase: Phase,
    view: View,
    values: Mapping[str, Mapping[int, Value]],
    *,
    every_system: bool,
    details: bool,
) -> Ranking:
    """Give the lines as they were frozen, with the ranks of then."""
    systems = frozen_of(phase.pk, view).systems.values()
    said: dict[int, Any] = {}
    if details:
        rows = Submission.objects.filter(phase=phase).values_list("pk", "metadata")
        said = dict(rows.iterator(chunk_size=5000))
    lines = (
        _named(_held_line(phase, system, said, every_system=every_system), phase, view)
        for system in systems
        if system.kind == Kind.SYSTEM and (every_system or system.counts)
    )
    beside = (system.key for system in systems if system.kind != Kind.SYSTEM)
    # In the order of the ranking; of the teams it is that of every system.
    return Ranking(phase, every_system, tuple(lines), tuple(beside), view, values)


def _held_line(
    phase: Phase, system: HeldSystem, said: Mapping[int, Any], *, every_system: bool
) -> Line:
    value = system.values.get(phase.ranking_metric)
    return Line(
        key=system.key,
        public_id=system.public_id,
        team=system.team,
        team_name=system.team_name,
        system_name=system.system_name,
        submitted_at=system.submitted_at,
        chosen=system.chosen,
        metadata=said.get(system.key, {}),
        of_ranking=None if value is None else Value(value[0], value[1], value[2], 0),
        rank=system.rank_of_all if every_system else system.rank,
        counts=system.counts,
        team_slug=system.team_slug,
    )


def _named(line: Line, phase: Phase, view: View) -> Line:
    """Give a line as ``naming.named`` gives its submission."""
    if view.knows(line.team):
        return line
    team = masked_team(phase.pk, line.team)
    return line._replace(
        team_slug=team.slug,
        team_name=team.name,
        system_name=system_alias(phase.pk, line.key),
        metadata={},
    )


def rank_lines(phase: Phase, lines: Iterable[Line], *, every_system: bool) -> tuple[Line, ...]:
    """Give lines their ranks, in rank order; those that the table does not show are left out."""
    by_key = {line.key: line for line in lines}
    entries = [
        Entry(line.key, line.team, line.value, line.submitted_at, line.key, line.chosen)
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


def _standing(
    phase: Phase, values: Mapping[int, Value], *, details: bool
) -> tuple[list[Line], list[int]]:
    """Give the lines of what competes, and the ids of what stands beside."""
    names = ["pk", "kind", "public_id", "team_id", "team__slug", "team__name", "system_name"]
    names += ["created_at", "chosen", *(["metadata"] if details else [])]
    rows: Iterable[tuple[Any, ...]] = (
        Submission.objects.standing().filter(phase=phase).order_by("pk").values_list(*names)
    )
    lines, beside = [], []
    for key, kind, *said in rows:
        if kind == Kind.SYSTEM:
            metadata = said.pop() if details else {}
            public_id, team, slug, team_name, system_name, created_at, chosen = said
            lines.append(
                Line(
                    key,
                    public_id,
                    team,
                    team_name,
                    system_name,
                    created_at,
                    chosen,
                    metadata,
                    values.get(key),
                    team_slug=slug,
                )
            )
        else:
            beside.append(key)
    return lines, beside


def values_of(
    phase: Phase, metrics: Collection[str], *, view: View = EVERYTHING
) -> dict[str, dict[int, Value]]:
    """Give the values of some metrics for every submission of a phase; one query.

    They are the published ones, or those that were frozen where ``view`` is.
    """
    if view.until is not None:
        return _held_values(phase, metrics, view)
    rows = MetricResult.objects.filter(
        submission__phase=phase, metric__in=set(metrics), evaluation__published=True
    ).values_list("metric", "submission_id", "value", "low", "high", "pk")
    found: dict[str, dict[int, Value]] = defaultdict(dict)
    for metric, submission, value, low, high, result in rows:
        found[metric][submission] = Value(value, low, high, result)
    return found


def _held_values(phase: Phase, metrics: Collection[str], view: View) -> dict[str, dict[int, Value]]:
    found: dict[str, dict[int, Value]] = defaultdict(dict)
    for system in frozen_of(phase.pk, view).systems.values():
        for metric in set(metrics) & system.values.keys():
            value, low, high, *_ = system.values[metric]
            found[metric][system.key] = Value(value, low, high, 0)
    return found
