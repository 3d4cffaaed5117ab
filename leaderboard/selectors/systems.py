"""Reading one system: its numbers beside the best of its phase."""

import math
from dataclasses import dataclass

from leaderboard.models import Kind, Phase, Submission
from leaderboard.selectors.boards import TableCell, table_cell
from leaderboard.selectors.groups import grouped
from leaderboard.selectors.phases import Board, Cell, Row, board_of
from leaderboard.selectors.scales import Scale, scale_of
from scoring.registry import MetricInfo

RANKING = "Decides this phase"


@dataclass(frozen=True, slots=True)
class Best:
    """The best value of a metric in the phase; ``here`` where this system has it.

    Where this system has a value, only those with the same signature compete.
    """

    cell: Cell
    submission: Submission
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


def systems_of(phase: Phase) -> list[Submission]:
    """List the systems of a phase that have a ranking value, best first, in one query."""
    direction = "" if phase.ranking.direction == "lower" else "-"
    return list(
        Submission.objects.filter(
            phase=phase,
            kind=Kind.SYSTEM,
            results__metric=phase.ranking_metric,
            results__evaluation__published=True,
            results__value__isnull=False,
        )
        .select_related("team", "phase__reference_set", "other_references")
        .defer("phase__reference_set__payload", "other_references__payload")
        .order_by(f"{direction}results__value", "created_at", "pk")
    )


def beside_of(phase: Phase) -> list[Submission]:
    """List what stands beside the systems of a phase and has been scored."""
    return list(
        Submission.objects.filter(phase=phase, results__evaluation__published=True)
        .exclude(kind=Kind.SYSTEM)
        .select_related("team", "phase__reference_set", "other_references")
        .defer("phase__reference_set__payload", "other_references__payload")
        .distinct()
    )


def report_of(submission: Submission, *, with_others: bool) -> Report:
    """Give a system's numbers; without ``with_others`` nothing of other systems is in it."""
    board = board_of(submission.phase, every_system=True)
    rows = (*board.rows, *board.beside)
    row = next(row for row in rows if row.submission.pk == submission.pk)
    families = {family.family: family for family in row.progress.families}
    scores = [
        _score(board, info, row, table_cell(info, row.cells, families), with_others=with_others)
        for info in board.metrics
        if info.name in row.cells or (info.family in families and not info.several)
    ]
    # What decides comes first; the others keep the order used everywhere.
    scores.sort(key=lambda score: not score.ranking)
    place = _place(board, row) if with_others and submission.competes else None
    return Report(row, place, tuple(scores))


def _score(
    board: Board, info: MetricInfo, here: Row, item: TableCell, *, with_others: bool
) -> Score:
    others = _comparable(board, here, info.name) if with_others else []
    return Score(
        item=item,
        ranking=info.name == board.phase.ranking_metric,
        best=_best(others, here, info),
        scale=scale_of((cell for _, cell in others), ticks=True)
        if with_others
        else _whole_range(info),
    )


def _whole_range(info: MetricInfo) -> Scale | None:
    return Scale(info.low, info.high) if math.isfinite(info.high) else None


def _comparable(board: Board, here: Row, metric: str) -> list[tuple[Row, Cell]]:
    """Give the rows with a value that may be compared with this system's, best rank first."""
    mine = here.cells.get(metric)
    return [
        (row, cell)
        for row in board.rows
        if (cell := row.cells.get(metric)) is not None
        and cell.value is not None
        and (mine is None or mine.signature == cell.signature)
    ]


def _best(others: list[tuple[Row, Cell]], here: Row, info: MetricInfo) -> Best | None:
    """Find the best value; of equals this system's own, else the one that ranks higher."""

    def badness(entry: tuple[Row, Cell]) -> tuple[float, bool]:
        row, cell = entry
        value = cell.value or 0.0
        is_other = row.submission.pk != here.submission.pk
        return (-value if info.direction == "higher" else value), is_other

    if not others:
        return None
    row, cell = min(others, key=badness)
    return Best(cell, row.submission, row.submission.pk == here.submission.pk)


def _place(board: Board, here: Row) -> Place:
    """Rank among those that count; ties carry over, since equals share their rank among all."""
    ranks = [row.rank for row in board.rows if row.counts and row.rank is not None]
    rank = None
    if here.counts and here.rank is not None:
        rank = 1 + sum(other < here.rank for other in ranks)
    return Place(rank, len(ranks), here.counts)
