"""The table of a run."""

from collections.abc import Iterable

from tests.chaos.invariants import Outcome


def say(text: str) -> None:
    """Print a line now."""
    print(text, flush=True)  # noqa: T201


HEAD = ("Fault", "Tried", "Survived", "Lost", "Stuck", "Seconds")


def row(outcome: Outcome) -> str:
    """One line of the table."""
    cells = (
        outcome.fault,
        outcome.tried,
        outcome.survived,
        len(outcome.lost),
        len(outcome.stuck),
        f"{outcome.seconds:.0f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def head() -> str:
    """The first two lines of the table."""
    return f"| {' | '.join(HEAD)} |\n|---|{'---:|' * (len(HEAD) - 1)}"


def total(outcomes: Iterable[Outcome]) -> str:
    """The last line of the table: all faults together."""
    outcomes = list(outcomes)
    cells = (
        f"{len(outcomes)} faults",
        sum(one.tried for one in outcomes),
        sum(one.survived for one in outcomes),
        sum(len(one.lost) for one in outcomes),
        sum(len(one.stuck) for one in outcomes),
        f"{sum(one.seconds for one in outcomes):.0f}",
    )
    return f"| {' | '.join(f'**{cell}**' for cell in cells)} |"
