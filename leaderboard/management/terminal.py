"""Files that commands read, and what they write: faults, progress, scores and backups."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError, OutputWrapper
from django.utils import timezone
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as Bars

from earmark.captions import Fault
from earmark.registry import METRICS
from leaderboard.models import EvaluationState, Phase, Submission
from leaderboard.selectors.evaluations.metric_value import MetricValue
from leaderboard.selectors.evaluations.progress import Progress, progress_of
from leaderboard.selectors.evaluations.waiting_time import waiting_time
from leaderboard.selectors.ranking.snapshots import LeaderboardComparison
from leaderboard.services.backups.folder import Manifest


def file_read(path: Path) -> bytes:
    """Read a file whole, or raise ``CommandError``."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def phase_named(address: str) -> Phase:
    """The phase at CHALLENGE/PHASE; raises ``CommandError``."""
    challenge, _, slug = address.partition("/")
    phases = Phase.objects.select_related("challenge", "reference_set")
    phase = phases.filter(challenge__slug=challenge, slug=slug).first()
    if phase is None:
        raise CommandError(f"There is no phase {address}. Write it as CHALLENGE/PHASE.")
    return phase


def faults_write(out: OutputWrapper, faults: Iterable[Fault]) -> None:
    """Write faults, one per line."""
    for fault in faults:
        out.write(f"{fault.severity}: {fault}")


POLL_SECONDS = 0.5
HINT_AFTER = 10.0
START = " Start one with: celery -A leaderboard worker -B -Q cpu,gpu,maintenance"

FINAL = {EvaluationState.DONE, EvaluationState.FAILED}
Show = Callable[[Progress], None]


def wait_for_scores(submission: Submission, out: OutputWrapper) -> Progress | None:
    """Show the progress until nothing will change any more; None where someone interrupts."""
    began = time.monotonic()
    hinted = False
    try:
        with _display(out) as show:
            while True:
                evaluations = submission.evaluations.filter(published=True).defer("detail")
                progress = progress_of(evaluations)
                show(progress)
                if progress.settled:
                    return progress
                late = time.monotonic() - began > HINT_AFTER
                if late and progress.state == "waiting" and not hinted:
                    hinted = True
                    waiting = waiting_time(submission, evaluations, timezone.now())
                    more = ""
                    if waiting is not None:
                        more = f" {waiting.sentence}{START if waiting.unserved else ''}"
                    out.write(f"Nothing has started yet.{more}")
                time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        return None


def scores_lines(cells: dict[str, MetricValue], progress: Progress) -> Iterator[str]:
    """The scores as lines of a table, then what is unavailable and why."""
    width = max(len(cell.info.label) for cell in cells.values()) if cells else 0
    for name, info in METRICS.items():
        cell = cells.get(name)
        if cell is None:
            continue
        value = "none" if cell.value is None else f"{cell.value:.{info.decimals}f}"
        start = f"{cell.info.label:<{width}}  {value:>7}  {_interval(cell, info.decimals):<18}"
        yield f"{start}{cell.coverage:,} of {cell.clips:,} clips"
    for family in progress.failed:
        yield f"{family.label}: unavailable. {family.reason}"


def _interval(cell: MetricValue, decimals: int) -> str:
    if cell.low is None or cell.high is None:
        return ""
    return f"[{cell.low:.{decimals}f}, {cell.high:.{decimals}f}]"


@contextmanager
def _display(out: OutputWrapper) -> Iterator[Show]:
    """A function that shows progress: bars on a terminal, elsewhere a line per family."""
    if not out.isatty():
        yield _lines(out)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bars(*columns) as bars:
        yield _bars(bars)


def _lines(out: OutputWrapper) -> Show:
    written: set[str] = set()

    def show(progress: Progress) -> None:
        for family in progress.families:
            if family.state in FINAL and family.family not in written:
                written.add(family.family)
                out.write(f"{family.label}: {family.state.label.lower()}")

    return show


def _bars(bars: Bars) -> Show:
    tasks: dict[str, TaskID] = {}

    def show(progress: Progress) -> None:
        for family in progress.families:
            task = tasks.get(family.family)
            if task is None:
                task = bars.add_task(family.label, total=family.clips_total)
                tasks[family.family] = task
            text = f"{family.label} ({family.state.label.lower()})"
            bars.update(task, completed=family.clips_done, description=text)

    return show


def backup_lines(manifest: Manifest) -> Iterator[str]:
    """What a backup holds."""
    kinds = [name.partition("/")[0] for name in manifest.files]
    labellers = {name.split("/")[1] for name in manifest.files if name.startswith("labellers/")}
    yield f"Earmark {manifest.earmark} at {manifest.taken_at}, on {manifest.database}"
    yield f"{sum(manifest.rows.values()):>12,} rows in {len(manifest.rows)} tables"
    yield f"{kinds.count('recordings'):>12,} recordings"
    yield f"{len(labellers):>12,} labellers"
    yield f"{manifest.size / 1e6:>12,.1f} MB"
    yield from (f"Not in the backup: {missing}" for missing in manifest.missing)


def comparison_lines(leaderboards: Iterable[LeaderboardComparison]) -> Iterator[str]:
    """A table of leaderboards then and now, each change on a line of its own."""
    boards = list(leaderboards)
    width = max([len("Phase"), *(len(board.phase) for board in boards)])
    yield f"{'Phase':<{width}}  {'Systems':>7}  {'Ranked':>6}  Leaderboard"
    for board in boards:
        state = "has changed" if board.changes else "as it was"
        yield f"{board.phase:<{width}}  {board.systems:>7}  {board.ranked:>6}  {state}"
        yield from (f"  {change}" for change in board.changes)
