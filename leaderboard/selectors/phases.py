"""The leaderboard of a phase: its rows with all their numbers."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from leaderboard.models import Evaluation, MetricResult, Phase, Submission
from leaderboard.selectors.progress import Progress, family_progress, progress_from
from leaderboard.selectors.rankings import Ranking, ranking_of
from leaderboard.selectors.seen import all_seen, frozen_of
from leaderboard.selectors.view import EVERYTHING, View
from scoring.registry import METRICS, MetricInfo


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of the leaderboard."""

    value: float | None
    low: float | None
    high: float | None
    coverage: int
    clips: int
    signature: str


@dataclass(frozen=True, slots=True)
class Row:
    """One system of the leaderboard; ``rank`` None where it has no rank.

    ``counts`` tells whether it is the one that counts for its team.
    """

    submission: Submission
    rank: int | None
    counts: bool
    progress: Progress
    cells: dict[str, Cell] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Board:
    """The leaderboard of a phase: metrics in the order used everywhere, rows in rank order.

    ``beside`` stands what does not compete, such as what people wrote.
    """

    phase: Phase
    metrics: tuple[MetricInfo, ...]
    rows: tuple[Row, ...]
    beside: tuple[Row, ...] = ()


def board_of(phase: Phase, *, view: View = EVERYTHING, every_system: bool = False) -> Board:
    """Give the whole leaderboard: one row per team, or with ``every_system`` all of them.

    With ``every_system`` each system with a value is ranked among all. Pages, which
    show a part of it, take ``ranking_of`` and ``board_with``.
    """
    ranking = ranking_of(phase, view=view, every_system=every_system)
    return board_with(ranking, [line.key for line in ranking.lines])


def board_with(
    ranking: Ranking, keys: Collection[int], *, metrics: Collection[str] | None = None
) -> Board:
    """Give the rows of some systems, in the order of ``keys``, and what stands beside.

    Ranks and names are those of the ranking. ``metrics`` leaves out the cells of all others.
    """
    lines = {line.key: line for line in ranking.lines}
    shown = [*keys, *ranking.beside]
    submissions = _submissions(ranking, shown)
    if ranking.view.until is None:
        progress, cells = _progress(shown), _cells(shown, metrics)
    else:
        progress, cells = _held(ranking, shown), frozen_cells(ranking, shown, metrics)
    # A submission that went away in between the queries is left out.
    rows = {
        key: Row(
            submission=submissions[key],
            rank=lines[key].rank if key in lines else None,
            counts=key in lines and lines[key].counts,
            progress=progress[key],
            cells=cells[key],
        )
        for key in shown
        if key in submissions
    }
    return Board(
        phase=ranking.phase,
        metrics=tuple(METRICS.values()),
        rows=tuple(rows[key] for key in keys if key in rows),
        beside=tuple(rows[key] for key in ranking.beside if key in rows),
    )


def row_of(ranking: Ranking, key: int) -> Row:
    """Give the row of one submission, whether it is ranked, stands beside or neither."""
    (row,) = board_with(replace(ranking, beside=()), [key]).rows
    return row


def _submissions(ranking: Ranking, keys: Collection[int]) -> dict[int, Submission]:
    rows = (
        Submission.objects.filter(pk__in=keys)
        .select_related("team")
        .defer("description", "warnings")
    )
    found = all_seen(rows, ranking.view)
    for submission in found:
        submission.phase = ranking.phase
    return {submission.pk: submission for submission in found}


def frozen_cells(
    ranking: Ranking, keys: Collection[int], metrics: Collection[str] | None = None
) -> dict[int, dict[str, Cell]]:
    """Give the numbers of some systems as they were frozen."""
    frozen = frozen_of(ranking.phase.pk, ranking.view)
    return {
        key: {
            metric: Cell(value, low, high, coverage, clips, frozen.signatures[at])
            for metric, (value, low, high, coverage, clips, at) in frozen.systems[
                key
            ].values.items()
            if metrics is None or metric in metrics
        }
        for key in keys
    }


def _held(ranking: Ranking, keys: Collection[int]) -> dict[int, Progress]:
    """Give progress as it was frozen."""
    systems = frozen_of(ranking.phase.pk, ranking.view).systems
    return {key: systems[key].progress for key in keys}


def _progress(keys: Collection[int]) -> dict[int, Progress]:
    rows = Evaluation.objects.filter(submission__in=keys, published=True).values_list(
        "submission_id", "family", "state", "clips_done", "clips_total", "reason", "attempts"
    )
    found = defaultdict(list)
    for key, family, state, clips_done, clips_total, reason, attempts in rows:
        found[key].append(family_progress(family, state, clips_done, clips_total, reason, attempts))
    return {key: progress_from(found[key]) for key in keys}


def _cells(keys: Collection[int], metrics: Collection[str] | None) -> dict[int, dict[str, Cell]]:
    rows = MetricResult.objects.filter(submission__in=keys, evaluation__published=True)
    if metrics is not None:
        rows = rows.filter(metric__in=metrics)
    found: dict[int, dict[str, Cell]] = {key: {} for key in keys}
    columns = rows.values_list(
        "submission_id", "metric", "value", "low", "high", "coverage", "clips", "signature"
    )
    for key, metric, value, low, high, coverage, clips, signature in columns:
        found[key][metric] = Cell(value, low, high, coverage, clips, signature)
    return found
