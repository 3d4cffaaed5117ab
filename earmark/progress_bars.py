"""Progress of a run on standard error: bars in a terminal or a notebook, else a line a family."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from earmark.runtime import Progress as Report


def progress_bars(console: Console) -> Progress:
    """Bars that say what is done, how much of how much, and how long the rest takes."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True)


@contextmanager
def shown_progress(families: Sequence[str], clips: int) -> Iterator[Report]:
    """Show the clips done of each family while the block runs."""
    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        finished: set[str] = set()

        def tell(family: str, done: int, total: int) -> None:
            if done >= total and family not in finished:
                finished.add(family)
                console.print(f"{family}: {done:,} clips done", highlight=False, soft_wrap=True)

        yield tell
        return
    with progress_bars(console) as bars:
        tasks = {name: bars.add_task(name, total=clips) for name in families}

        def report(family: str, done: int, total: int) -> None:
            # A family may report work that it does under another's name.
            if family in tasks:
                bars.update(tasks[family], completed=done, total=total)

        yield report
