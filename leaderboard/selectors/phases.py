"""Reading phases and the leaderboard of one."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Prefetch

from leaderboard.models import Evaluation, MetricResult, Phase, Submission
from leaderboard.ranking import Entry, counting_entries, place
from leaderboard.selectors.progress import Progress, progress_of
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


def board_of(phase: Phase, *, every_system: bool = False) -> Board:
    """Give the leaderboard: one row per team, or with ``every_system`` all of them.

    With ``every_system`` each system with a value is ranked among all.
    """
    everything = list(_submissions(phase))
    submissions = [submission for submission in everything if submission.competes]
    cells = _cells(phase, everything)
    entries = [
        Entry(
            key=submission.pk,
            team=submission.team_id,
            value=_value(cells, submission.pk, phase.ranking_metric),
            submitted_at=submission.created_at,
            order=submission.pk,
            chosen=submission.chosen,
        )
        for submission in submissions
    ]
    direction = phase.ranking.direction
    counting = counting_entries(entries, counting=phase.counting_rule, direction=direction)
    counts = {entry.key for entry in counting}
    by_id = {submission.pk: submission for submission in submissions}
    placed = place(
        entries if every_system else counting, direction=direction, precision=phase.precision
    )
    rows = tuple(
        Row(
            submission=by_id[entry.key],
            rank=entry.rank,
            counts=entry.key in counts,
            progress=progress_of(by_id[entry.key].evaluations.all()),
            cells=cells.get(entry.key, {}),
        )
        for entry in placed
    )
    beside = (submission for submission in everything if not submission.competes)
    return Board(phase, tuple(METRICS.values()), rows, tuple(_beside(row, cells) for row in beside))


def _beside(submission: Submission, cells: dict[int, dict[str, Cell]]) -> Row:
    progress = progress_of(submission.evaluations.all())
    return Row(submission, None, False, progress, cells.get(submission.pk, {}))


def _submissions(phase: Phase) -> Iterable[Submission]:
    evaluations = Evaluation.objects.filter(published=True).defer("detail")
    return (
        Submission.objects.filter(phase=phase)
        .select_related("team")
        .prefetch_related(Prefetch("evaluations", queryset=evaluations))
    )


def _cells(phase: Phase, submissions: list[Submission]) -> dict[int, dict[str, Cell]]:
    results = MetricResult.objects.filter(
        submission__phase=phase, evaluation__published=True
    ).defer("per_clip")
    cells: dict[int, dict[str, Cell]] = {submission.pk: {} for submission in submissions}
    for row in results:
        # A submission that came in between the two queries is left to the next look.
        if row.submission_id in cells:
            cells[row.submission_id][row.metric] = Cell(
                row.value, row.low, row.high, row.coverage, row.clips, row.signature
            )
    return cells


def _value(cells: dict[int, dict[str, Cell]], submission_id: int, metric: str) -> float | None:
    cell = cells[submission_id].get(metric)
    return None if cell is None else cell.value
