"""What the ranking would be, as the API gives it: the numbers of the ranking lab."""

import math
from typing import Literal

from ninja import Schema
from pydantic import Field

from leaderboard.models import Counting
from leaderboard.selectors.lab.query import MOST_CLIPS, MOST_DECIMALS, MOST_METRICS, LabQuery
from leaderboard.selectors.lab.report import LabPlacement, LabReport, LabReportRow


class LabParameters(Schema):
    """The rules to try; what is left out is as in the phase. As in the address of the page."""

    metric: str = Field(
        "",
        max_length=400,
        description=f"At most {MOST_METRICS} metrics with weights: fense, or fense:2,spider:1.",
    )
    mix: Literal["z", "ranks"] = Field("z", description="What is averaged of several metrics.")
    precision: int | None = Field(None, ge=0, le=MOST_DECIMALS, description="Decimals of a tie.")
    counting: Counting | None = Field(None, description="Which submission of a team counts.")
    teams: str = Field("", max_length=4000, description="Slugs of teams to leave out, with commas.")
    systems: str = Field("", max_length=4000, description="Ids of systems to leave out.")
    clips: str = Field(
        "", max_length=4000, description="Numbers of clips to leave out, from 1: 3,7-9."
    )
    telling: int = Field(
        0, ge=0, le=MOST_CLIPS, description="Leave out so many clips that separate most."
    )
    baselines: bool = Field(False, description="Whether baselines compete.")

    @property
    def query(self) -> dict[str, str]:
        """The same as the address of the page says it."""
        told = self.model_dump(mode="json", exclude_none=True)
        return {key: str(value) for key, value in told.items()} | {
            "baselines": "1" if self.baselines else ""
        }


class LabSide(Schema):
    """Where a system stands; null where no range of ranks is known."""

    id: str
    system_name: str
    rank: int
    rank_low: int | None
    rank_high: int | None
    value: float

    @classmethod
    def of(cls, side: LabPlacement) -> "LabSide":
        """Describe a side."""
        return cls(
            id=side.line.public_id,
            system_name=side.line.system_name,
            rank=side.rank,
            rank_low=side.range.low if side.range else None,
            rank_high=side.range.high if side.range else None,
            value=side.value,
        )


class LabRow(Schema):
    """A team, or a baseline, now and then; null where it is not ranked."""

    team: str
    team_name: str
    baseline: bool
    now: LabSide | None
    then: LabSide | None
    change: int | None = Field(description="By how many ranks it rises.")
    why_not_ranked: str

    @classmethod
    def of(cls, row: LabReportRow) -> "LabRow":
        """Describe a row."""
        return cls(
            team=row.line.team_slug,
            team_name=row.line.team_name,
            baseline=row.baseline,
            now=LabSide.of(row.now) if row.now else None,
            then=LabSide.of(row.then) if row.then else None,
            change=row.change,
            why_not_ranked=row.why,
        )


class LabOut(Schema):
    """What the ranking would be, beside what it is; nothing is written."""

    metric: dict[str, float] = Field(description="Weights by metric.")
    precision: int
    counting: Counting
    clips: int
    clips_left_out: list[int] = Field(description="Numbers of clips, from 1.")
    kendall_tau: float | None = Field(description="Tau-b between both; null: not defined.")
    moved: int = Field(description="How many of those ranked both times have another rank.")
    note: str = Field(description="Why there are no ranges of ranks; empty where there are.")
    rows: list[LabRow]

    @classmethod
    def of(cls, asked: LabQuery, report: LabReport) -> "LabOut":
        """Describe a report."""
        return cls(
            metric=dict(asked.weights),
            precision=asked.precision,
            counting=asked.counting,
            clips=report.clips,
            clips_left_out=list(report.clips_left_out),
            kendall_tau=report.tau if math.isfinite(report.tau) else None,
            moved=report.moved,
            note=report.note,
            rows=[LabRow.of(row) for row in report.rows],
        )
