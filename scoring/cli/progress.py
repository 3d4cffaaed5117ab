"""Progress on standard error: bars on a terminal, one line per family elsewhere."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from scoring.running import Progress as Report


@contextmanager
def progress_shown(families: Sequence[str], clips: int) -> Iterator[Report]:
    """Show the clips done of each family while the block runs."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _plain_report()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bars:
        tasks = {name: bars.add_task(name, total=clips) for name in families}

        def report(family: str, done: int, total: int) -> None:
            # A family may tell of work that it does under another's name.
            if family in tasks:
                bars.update(tasks[family], completed=done, total=total)

        yield report


def _plain_report() -> Report:
    finished: set[str] = set()

    def report(family: str, done: int, total: int) -> None:
        if done >= total and family not in finished:
            finished.add(family)
            sys.stderr.write(f"{family}: {done:,} clips done\n")
            sys.stderr.flush()

    return report
