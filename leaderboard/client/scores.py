"""Following the scoring of a submission, and its scores as a table."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from leaderboard.client.server import Server
from leaderboard.client.showing import Screen
from scoring.captions.faults import one_line

SETTLED = {"scored", "partly", "failed"}
FINAL = {"done", "failed"}
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
Show = Callable[[Mapping[str, Any]], None]


def follow(server: Server, submission: dict[str, Any], screen: Screen) -> dict[str, Any]:
    """Show how far the scoring is until nothing will change any more."""
    pause = FIRST_PAUSE
    with _display(screen) as show:
        while True:
            show(submission)
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
        number(score["value"], decimals),
        "" if low is None or high is None else f"{low:.{decimals}f} to {high:.{decimals}f}",
    ]


def number(value: float | None, decimals: int) -> str:
    """Write a score; none where there is no value."""
    return "none" if value is None else f"{value:.{decimals}f}"


@contextmanager
def _display(screen: Screen) -> Iterator[Show]:
    """Give what shows progress: bars on a terminal, elsewhere a line per family."""
    if not screen.err.is_terminal:
        yield _lines(screen)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=screen.err) as bars:
        yield _bars(bars)


def _lines(screen: Screen) -> Show:
    told: set[str] = set()

    def show(submission: Mapping[str, Any]) -> None:
        for family in submission["families"]:
            if family["state"] in FINAL and family["family"] not in told:
                told.add(family["family"])
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
