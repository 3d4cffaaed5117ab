"""Reading one system: its numbers beside the best of its phase."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from leaderboard.models import Kind, Phase, Submission
from leaderboard.selectors.boards import TableCell, table_cell
from leaderboard.selectors.extremes import Extremes, Measure, extremes_of
from leaderboard.selectors.groups import grouped
from leaderboard.selectors.phases import Cell, Row, row_of
from leaderboard.selectors.progress import progress_of
from leaderboard.selectors.rankings import Line, Ranking, ranking_of
from leaderboard.selectors.scales import Scale
from leaderboard.selectors.scores import scores_of
from leaderboard.selectors.seen import all_seen, evaluations_seen, results_seen
from leaderboard.selectors.view import EVERYTHING, View
from scoring.registry import METRICS, MetricInfo

RANKING = "Decides this phase"


@dataclass(frozen=True, slots=True)
class Best:
    """The best value of a metric in the phase; ``here`` where this system has it.

    Where this system has a value, only those with the same signature compete.
    """

    cell: Cell
    system: Line
    here: bool


@dataclass(frozen=True, slots=True)
class Score:
    """One metric of the system; ``best`` and the scale's ticks only where all may be seen."""

    item: TableCell
    ranking: bool
    best: Best | None
    scale: Scale | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a system stands among ``teams``; rank None where it has none.

    ``counts`` tells whether it is the one that counts for its team.
    """

    rank: int | None
    teams: int
    counts: bool


@dataclass(frozen=True, slots=True)
class Report:
    """A system's page: its place (None where not to be seen) and its scores."""

    row: Row
    place: Place | None
    scores: tuple[Score, ...]

    @property
    def ticked(self) -> bool:
        """Whether the values of other systems are drawn."""
        return any(score.scale is not None and score.scale.ticks for score in self.scores)

    @property
    def groups(self) -> tuple[tuple[str, tuple[Score, ...]], ...]:
        """The scores for reading: what decides by itself, then the others by kind.

        What is still to be computed is left to the progress.
        """
        decided = [score for score in self.scores if not score.item.pending]
        first = tuple(score for score in decided if score.ranking)
        rest = grouped(
            (score for score in decided if not score.ranking),
            lambda score: score.item.info.family,
        )
        return (*([(RANKING, first)] if first else []), *rest)


def systems_of(phase: Phase, *, view: View = EVERYTHING) -> list[Submission]:
    """List the systems of a phase that have a ranking value, best first."""
    ranking = ranking_of(phase, view=view, every_system=True)
    return systems_read([line.key for line in scored_lines(ranking)], view)


def scored_lines(ranking: Ranking) -> list[Line]:
    """Give the lines that have a ranking value, best first."""
    sign = 1 if ranking.phase.ranking.direction == "lower" else -1
    scored = [(sign * line.value, line) for line in ranking.lines if line.value is not None]
    return [line for _, line in sorted(scored, key=lambda one: _order(*one))]


def _order(value: float, line: Line) -> tuple[float, datetime, int]:
    return value, line.submitted_at, line.key


def systems_read(keys: Sequence[int], view: View) -> list[Submission]:
    """Read systems of one phase by their keys, in this order, with what their clips need."""
    if not keys:
        return []
    place = {key: at for at, key in enumerate(keys)}
    found = all_seen(_with_clips(Submission.objects.filter(pk__in=list(keys))), view)
    return sorted(found, key=lambda system: place[system.pk])


def beside_of(phase: Phase, *, view: View = EVERYTHING) -> list[Submission]:
    """List what stands beside the systems of a phase and has been scored."""
    return beside_in(ranking_of(phase, view=view, every_system=True))


def beside_in(ranking: Ranking) -> list[Submission]:
    """List what stands beside the systems of a ranking and has been scored."""
    if not ranking.beside:
        return []
    rows = _with_clips(Submission.objects.filter(pk__in=ranking.beside))
    beside = [row for row in all_seen(rows, ranking.view) if row.kind != Kind.SYSTEM]
    scored = set(results_seen(*beside).values_list("submission", flat=True))
    return [system for system in beside if system.pk in scored]


def _with_clips(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Read what is needed to read the clips besides, without the references themselves."""
    return submissions.select_related("team", "phase__reference_set", "other_references").defer(
        "phase__reference_set__payload", "other_references__payload"
    )


def report_of(submission: Submission, *, with_others: bool, view: View = EVERYTHING) -> Report:
    """Give a system's numbers; without ``with_others`` nothing of other systems is in it."""
    ranking = ranking_of(submission.phase, view=view, every_system=True)
    lines = {line.key: line for line in ranking.lines}
    stands = submission.pk in lines or submission.pk in ranking.beside
    # A team sees its own live beside a frozen table.
    alike = (view.until is None) == (submission.held is None)
    row = row_of(ranking, submission.pk) if stands and alike else _row_alone(submission)
    families = {family.family: family for family in row.progress.families}
    others = extremes_of(ranking) if with_others else None
    scores = [
        _score(ranking, row, table_cell(info, row.cells, families), others)
        for info in METRICS.values()
        if info.name in row.cells or (info.family in families and not info.several)
    ]
    # What decides comes first; the others keep the order used everywhere.
    scores.sort(key=lambda score: not score.ranking)
    placed = lines.get(submission.pk) if with_others else None
    place = None if placed is None else _place(ranking, placed)
    return Report(row, place, tuple(scores))


def _row_alone(submission: Submission) -> Row:
    """Give the row of what stands in no table: withdrawn, or handed in since a freeze."""
    progress = progress_of(evaluations_seen(submission).defer("detail"))
    return Row(submission, None, False, progress, scores_of(submission))


def _score(
    ranking: Ranking, here: Row, item: TableCell, others: Mapping[Measure, Extremes] | None
) -> Score:
    info = item.info
    decides = info.name == ranking.phase.ranking_metric
    if others is None:
        return Score(item, decides, None, _whole_range(info))
    found = _comparable(others, here, info)
    return Score(item, decides, _best(found, here), found.scale if found else None)


def _whole_range(info: MetricInfo) -> Scale | None:
    return Scale(info.low, info.high) if math.isfinite(info.high) else None


def _comparable(others: Mapping[Measure, Extremes], here: Row, info: MetricInfo) -> Extremes | None:
    """Give the extremes of what may be compared with this system's value.

    Where it has none: those of the signature with the best value.
    """
    mine = here.cells.get(info.name)
    if mine is not None:
        return others.get((info.name, mine.signature))
    sign = -1 if info.direction == "higher" else 1
    found = [extremes for (name, _), extremes in others.items() if name == info.name]
    return min(found, key=lambda one: sign * (one.best[0][1].value or 0.0), default=None)


def _best(found: Extremes | None, here: Row) -> Best | None:
    """Give who has the best value; of equals this system, else the one that ranks higher."""
    if found is None:
        return None
    own = [(line, cell) for line, cell in found.best if line.key == here.submission.pk]
    line, cell = (own or found.best)[0]
    return Best(cell, line, line.key == here.submission.pk)


def _place(ranking: Ranking, here: Line) -> Place:
    """Rank among those that count; ties carry over, since equals share their rank among all."""
    ranks = [line.rank for line in ranking.lines if line.counts and line.rank is not None]
    rank = None
    if here.counts and here.rank is not None:
        rank = 1 + sum(other < here.rank for other in ranks)
    return Place(rank, len(ranks), here.counts)
