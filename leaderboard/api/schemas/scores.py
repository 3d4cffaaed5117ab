"""Numbers as the API gives them: never rounded, null where there is none."""

from ninja import Schema
from pydantic import Field

from leaderboard.selectors.phases import Cell
from scoring.registry import METRICS, Direction


class Score(Schema):
    """A metric's corpus value with its 95 % interval."""

    value: float | None
    low: float | None
    high: float | None
    coverage: int = Field(description="Clips that the metric has a value for.")
    clips: int
    signature: str = Field(description="Compare numbers only where signatures are equal.")

    @classmethod
    def of(cls, cell: Cell) -> "Score":
        """Take over a number of the leaderboard."""
        return cls(
            value=cell.value,
            low=cell.low,
            high=cell.high,
            coverage=cell.coverage,
            clips=cell.clips,
            signature=cell.signature,
        )


def scores(cells: dict[str, Cell]) -> dict[str, Score]:
    """Give the scores by metric, in the order used everywhere."""
    return {name: Score.of(cells[name]) for name in METRICS if name in cells}


class Metric(Schema):
    """A metric of the registry."""

    name: str
    label: str
    family: str
    low: float | None = Field(description="Lowest value; null: unbounded.")
    high: float | None = Field(description="Highest value; null: unbounded.")
    direction: Direction = Field(description="Which values are better.")
    decimals: int = Field(description="Decimals that pages show.")
    summary: str
    source: str
