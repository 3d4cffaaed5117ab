"""The table of a run."""

from collections.abc import Sequence

from tests.chaos.invariants import Outcome


def say(text: str) -> None:
    """Print a line now."""
    print(text, flush=True)  # noqa: T201


HEAD = ("Fault", "Tried", "Survived", "Lost", "Stuck", "Seconds")


def row(name: str, outcomes: Sequence[Outcome], mark: str = "") -> str:
    """A line of the table: of one fault, or of all together."""
    cells = (
        name,
        sum(one.tried for one in outcomes),
        sum(one.survived for one in outcomes),
        sum(len(one.lost) for one in outcomes),
        sum(len(one.stuck) for one in outcomes),
        f"{sum(one.seconds for one in outcomes):.0f}",
    )
    return f"| {' | '.join(f'{mark}{cell}{mark}' for cell in cells)} |"


def head() -> str:
    """The first two lines of the table."""
    return f"| {' | '.join(HEAD)} |\n|---|{'---:|' * (len(HEAD) - 1)}"
