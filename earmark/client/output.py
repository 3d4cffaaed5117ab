"""What the client writes: tables, scores and messages for people, JSON for programs."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table
from rich.text import Text

from earmark.captions import Fault
from earmark.captions.faults import one_line
from earmark.client.server import Server

MAX_FAULTS = 200


@dataclass
class Screen:
    """Results on the standard output, all else on the other."""

    out: Console = field(default_factory=lambda: Console(file=sys.stdout, highlight=False))
    err: Console = field(default_factory=lambda: Console(file=sys.stderr, highlight=False))

    def say(self, text: str) -> None:
        """Write a message that is not the result."""
        self.err.print(Text(one_line(text)), soft_wrap=True)

    def line(self, text: str) -> None:
        """Write a line of the result."""
        self.out.print(Text(one_line(text)), soft_wrap=True)

    def json(self, value: Any) -> None:
        """Write the result for a program."""
        sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=True) + "\n")

    def table(self, titles: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
        """Write a table; columns after the first two are numbers and stand to the right."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for at, title in enumerate(titles):
            table.add_column(title, justify="left" if at < 2 else "right")
        for row in rows:
            table.add_row(*(Text(one_line(cell)) for cell in row))
        self.out.print(table)

    def faults(self, faults: Iterable[Fault]) -> None:
        """List faults as the server words them."""
        listed = list(faults)
        for fault in listed[:MAX_FAULTS]:
            self.say(f"{fault.severity}: {fault}")
        if len(listed) > MAX_FAULTS:
            self.say(f"{len(listed) - MAX_FAULTS:,} more are not listed.")


def faults_of(answer: Mapping[str, Any]) -> list[Fault]:
    """Read the faults of an answer of the server."""
    rows = answer.get("faults")
    return [
        Fault(
            row.get("line"),
            row.get("column"),
            str(row.get("value") or ""),
            str(row.get("message") or ""),
            "warning" if row.get("severity") == "warning" else "error",
            row.get("file"),
        )
        for row in (rows if isinstance(rows, list) else [])
        if isinstance(row, dict)
    ]


SETTLED = {"scored", "partly", "failed"}
FINAL = {"done", "failed"}
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
Show = Callable[[Mapping[str, Any]], None]


def wait_for_scores(server: Server, submission: dict[str, Any], screen: Screen) -> dict[str, Any]:
    """Show how far the scoring is until nothing will change any more.

    What the server says of the place and the time is written at first, and again each time
    that half of those before are served.
    """
    pause, before = FIRST_PAUSE, None
    with _display(screen) as show:
        while True:
            show(submission)
            waiting = submission.get("waiting")
            if waiting and (before is None or waiting["submissions_before"] < before / 2):
                before = waiting["submissions_before"]
                screen.say(waiting["sentence"])
            if submission["state"] in SETTLED:
                return submission
            server.sleep(pause)
            pause = min(pause * 1.3, LONGEST_PAUSE)
            submission = server.get(f"/submissions/{submission['id']}")


def write_scores(server: Server, submission: Mapping[str, Any], screen: Screen) -> None:
    """Write the scores, then what is unavailable and why."""
    known = {row["name"]: row for row in server.get("/metrics")}
    rows = [_row(known.get(name, {}), name, score) for name, score in submission["metrics"].items()]
    if rows:
        screen.table(("Metric", "Clips", "Score", "95 % interval"), rows)
    else:
        screen.line("No scores yet.")
    for family in submission["families"]:
        if family["state"] == "failed":
            screen.line(f"{family['label']}: unavailable. {family['reason']}")


def _row(metric: Mapping[str, Any], name: str, score: Mapping[str, Any]) -> list[str]:
    decimals = int(metric.get("decimals", 3))
    low, high = score["low"], score["high"]
    return [
        str(metric.get("label", name)),
        f"{score['coverage']:,} of {score['clips']:,}",
        score_text(score["value"], decimals),
        "" if low is None or high is None else f"{low:.{decimals}f} to {high:.{decimals}f}",
    ]


def score_text(value: float | None, decimals: int) -> str:
    """Write a score; none where there is no value."""
    return "none" if value is None else f"{value:.{decimals}f}"


@contextmanager
def _display(screen: Screen) -> Iterator[Show]:
    """A function that shows progress: bars on a terminal, elsewhere a line per family."""
    if not screen.err.is_terminal:
        yield _lines(screen)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=screen.err) as bars:
        yield _bars(bars)


def _lines(screen: Screen) -> Show:
    written: set[str] = set()

    def show(submission: Mapping[str, Any]) -> None:
        for family in submission["families"]:
            if family["state"] in FINAL and family["family"] not in written:
                written.add(family["family"])
                screen.say(f"{family['label']}: {family['state']}")

    return show


def _bars(bars: Progress) -> Show:
    tasks: dict[str, TaskID] = {}

    def show(submission: Mapping[str, Any]) -> None:
        for family in submission["families"]:
            name, state = family["family"], family["state"]
            if name not in tasks:
                tasks[name] = bars.add_task(one_line(family["label"]), total=family["clips_total"])
            bars.update(
                tasks[name],
                completed=family["clips_done"],
                description=one_line(f"{family['label']} ({state})"),
            )

    return show
