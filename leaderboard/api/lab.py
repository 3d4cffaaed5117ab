"""What a ranking would be under other rules: the numbers of the ranking lab."""

from typing import Annotated, Literal

from ninja import Query, Router, Schema
from pydantic import BeforeValidator, Field

from leaderboard import access
from leaderboard.api.schemas.analysis import Finite
from leaderboard.models import Counting
from leaderboard.selectors.lab.pool import clip_names
from leaderboard.selectors.lab.query import MOST_CLIPS, MOST_DECIMALS, MOST_METRICS, LabQuery
from leaderboard.selectors.lab.report import LabReport, report_of
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.page_cache import parts_rate_check
from leaderboard.web.rate_limits import identity
from leaderboard.web.refusals import Refused


class LabParameters(Schema):
    """The rules to try; what is left out is as in the phase. As in the address of the page."""

    metric: str = Field(
        "",
        max_length=400,
        description=f"At most {MOST_METRICS} metrics with weights: fense, or fense:2,spider:1.",
    )
    mix: Literal["z", "values", "ranks"] = Field(
        "z", description="What is averaged of several metrics."
    )
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
        values = self.model_dump(mode="json", exclude_none=True)
        return {key: str(value) for key, value in values.items()} | {
            "baselines": "1" if self.baselines else ""
        }


class LabSide(Schema):
    """Where a system stands; null where no range of ranks is known."""

    id: str = Field(validation_alias="public_id")
    system_name: str
    rank: int
    rank_low: Annotated[int | None, BeforeValidator(lambda ends: ends and ends.low)] = Field(
        validation_alias="range"
    )
    rank_high: Annotated[int | None, BeforeValidator(lambda ends: ends and ends.high)] = Field(
        validation_alias="range"
    )
    value: float


class LabRow(Schema):
    """A team, or a baseline, now and then; null where it is not ranked."""

    team: str = Field(validation_alias="line.team_slug")
    team_name: str = Field(validation_alias="line.team_name")
    baseline: bool
    now: LabSide | None
    then: LabSide | None
    change: int | None = Field(description="By how many ranks it rises.")
    why_not_ranked: str = Field(validation_alias="why")


class LabOut(Schema):
    """What the ranking would be, beside what it is; nothing is written."""

    metric: Annotated[dict[str, float], BeforeValidator(dict)] = Field(
        validation_alias="asked.weights", description="Weights by metric."
    )
    precision: int = Field(validation_alias="asked.precision")
    counting: Counting = Field(validation_alias="asked.counting")
    clips: int
    clips_left_out: list[int] = Field(description="Numbers of clips, from 1.")
    kendall_tau: Finite = Field(
        validation_alias="tau", description="Tau-b between both; null: not defined."
    )
    moved: int = Field(description="How many of those ranked both times have another rank.")
    formula: str = Field(description="What is ranked by; empty where ranks are averaged.")
    note: str = Field(description="Why there are no ranges of ranks; empty where there are.")
    rows: list[LabRow]


router = Router(tags=["For organisers"], auth=KNOWN)


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/lab",
    response={200: LabOut, 409: Problem},
    operation_id="phase_lab",
    summary="Read what a ranking would be",
)
def phase_lab(
    request: UserRequest, challenge: str, phase: str, rules: Query[LabParameters]
) -> LabReport:
    """Rank a phase of a challenge that you run under other rules; nothing is written."""
    found = access.organised_phase_for(request.auth, challenge, phase)
    query = LabQuery.read(rules.query, found)
    names = clip_names(found)
    if not names:
        raise Refused("This phase has no references yet, so there is nothing to rank.")
    parts_rate_check(request, identity(request))
    return report_of(found, query, clips=len(names))
