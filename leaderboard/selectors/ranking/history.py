"""Who stood where after each submission: replayed from their times with present values."""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from earmark.registry import MetricInfo
from leaderboard.models import Phase
from leaderboard.models.challenge import Counting
from leaderboard.ranking import rounded
from leaderboard.selectors.ranking.ranking import Ranking, rank_lines, ranking_of, rules_key
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.selectors.visibility.visibility import EVERYTHING, Visibility
from leaderboard.web.version_cache import kept_for_version

MOST_TEAMS = 15
# More moments than this are drawn by day, week or month.
MOST_MOMENTS = 60
Step = Literal["submission", "day", "week", "month"]
_STEPS: dict[Step, str] = {"day": "%Y-%m-%d", "week": "%G-%V", "month": "%Y-%m"}


@dataclass(frozen=True, slots=True)
class RankMoment:
    """The ranks after a moment, one for each of ``systems``; null: not ranked yet."""

    at: datetime
    ranks: tuple[int | None, ...]
    scores: Annotated[
        tuple[float | None, ...],
        Field(description="Values of the ranking metric, at the precision of the phase."),
    ]


@dataclass(frozen=True, slots=True)
class History:
    """The way of some teams to their ranks; ``lines`` are what counts for them now.

    ``own`` are those of ``lines`` that belong to the reader's teams; ``teams`` counts
    all that have a rank now; ``step`` says after what ranks are given.
    """

    phase: Phase
    info: MetricInfo
    lines: tuple[RankedRow, ...]
    own: frozenset[int]
    teams: int
    moments: tuple[RankMoment, ...]
    step: Step


def history_of(
    phase: Phase, *, view: Visibility = EVERYTHING, own_teams: Collection[int] = ()
) -> History:
    """Replay the ranking of teams: the best 15 of now and the reader's own; two queries."""
    own = frozenset(own_teams)
    kept = kept_for_version(
        ("history", *rules_key(phase), view, own), lambda: _history(phase, view, own)
    )
    return replace(kept, phase=phase)


def _history(phase: Phase, view: Visibility, own: frozenset[int]) -> History:
    every = ranking_of(phase, view=view, every_system=True)
    now = [
        line for line in rank_lines(phase, every.rows, every_system=False) if line.rank is not None
    ]
    shown = [line for at, line in enumerate(now) if at < MOST_TEAMS or line.team in own]
    moments = list(_replayed(every, [line.team for line in shown]))
    step, kept = _thinned(moments)
    return History(phase, every.info, tuple(shown), own, len(now), tuple(kept), step)


def _replayed(ranking: Ranking, teams: list[int]) -> Iterator[RankMoment]:
    """The ranks and scores of some teams whenever one of them changes."""
    phase = ranking.phase
    places = {team: at for at, team in enumerate({line.team: None for line in ranking.rows})}
    best = np.full(len(places), np.inf)
    counting: dict[int, RankedRow] = {}
    shown = [places[team] for team in teams]
    before: list[tuple[int | None, float | None]] = [(None, None)] * len(teams)
    for line in sorted(ranking.rows, key=lambda line: (line.submitted_at, line.key)):
        kept = _counting(phase, counting.get(line.team), line)
        counting[line.team] = kept
        best[places[line.team]] = _badness(phase, _score(phase, kept))
        better = (best < best[shown][:, None]).sum(axis=1).tolist()
        ranks = tuple(
            None if np.isinf(best[at]) else count + 1
            for at, count in zip(shown, better, strict=True)
        )
        scores = tuple(_score(phase, counting.get(team)) for team in teams)
        now = list(zip(ranks, scores, strict=True))
        if now != before:
            yield RankMoment(line.submitted_at, ranks, scores)
            before = now


def _score(phase: Phase, line: RankedRow | None) -> float | None:
    value = rounded(None if line is None else line.value, phase.precision)
    return None if value is None else float(value)


def _counting(phase: Phase, old: RankedRow | None, new: RankedRow) -> RankedRow:
    """Choose which of a team's systems counted then; what it chose later, it had chosen."""
    if old is None:
        return new
    if phase.counting_rule == Counting.CHOSEN:
        return old if old.chosen else new
    if phase.counting_rule == Counting.LAST:
        return new
    return new if _badness(phase, new.value) < _badness(phase, old.value) else old


def _badness(phase: Phase, value: float | None) -> float:
    """A key that sorts values from the best to the worst, infinity where there is none."""
    if value is None or not math.isfinite(value):
        return math.inf
    return -value if phase.ranking.direction == "higher" else value


def _thinned(moments: list[RankMoment]) -> tuple[Step, list[RankMoment]]:
    """Keep few enough moments to be read: the last one of each day, week or month."""
    if len(moments) <= MOST_MOMENTS:
        return "submission", moments
    for step, pattern in _STEPS.items():
        kept = list({f"{moment.at:{pattern}}": moment for moment in moments}.values())
        if len(kept) <= MOST_MOMENTS or step == "month":
            return step, kept
    return "month", moments
