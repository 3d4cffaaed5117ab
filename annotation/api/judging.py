"""What judges of pairs say."""

import math
from typing import Annotated

from django.http import Http404
from ninja import Router, Schema
from pydantic import BeforeValidator, Field

from annotation import access
from annotation.api.agreement import EstimateOut
from annotation.models import Role
from annotation.selectors.judging.results import JudgingResults, judging_results
from annotation.selectors.judging.votes import phase_of
from leaderboard.web.api_auth import KNOWN, UserRequest

# An end of an interval; null where there is none.
End = Annotated[float | None, BeforeValidator(lambda end: end if math.isfinite(end) else None)]

router = Router(tags=["For labelling"])


class FacetVotesOut(Schema):
    """The pairs of a kind."""

    facet: str
    drawn: int
    judged: int
    votes: int
    first: float | None = Field(
        description="Share of the votes for the first caption: the clip's own, a person's."
    )
    alike: float | None = Field(description="Share of the votes for both alike.")


class JudgedSystemOut(Schema):
    """A system by what judges say; people's captions are one of them."""

    system: str = Field(
        validation_alias="public_id",
        description="Its id; empty for people, and where names are hidden.",
    )
    name: str
    strength: float = Field(description="Log strength by Davidson's model; 0 is the average.")
    low: End = Field(validation_alias="interval.low")
    high: End = Field(validation_alias="interval.high")
    votes: int
    rank: int | None = Field(description="By the ranking metric of the phase.")
    value: float | None


class JudgeOut(Schema):
    """A judge against the majority of the others."""

    name: str
    answers: int = Field(validation_alias="agreement.answers")
    agreed: int = Field(validation_alias="agreement.agreed")
    pairs: int = Field(
        validation_alias="agreement.pairs", description="Pairs on which the others have a majority."
    )
    low: End = Field(
        validation_alias="agreement.interval.low", description="95 % interval of the share."
    )
    high: End = Field(validation_alias="agreement.interval.high")
    first: float | None = Field(description="Share of choices for the caption shown first.")


class JudgingOut(Schema):
    """What the judgments of a project say of systems and judges."""

    phase: str = Field(description="Address of the phase, challenge/phase; empty before a draw.")
    facets: list[FacetVotesOut]
    systems: list[JudgedSystemOut]
    alike: float | None = Field(
        description="How often two systems of equal strength are found alike, 0 to 1."
    )
    alpha_nominal: EstimateOut = Field(validation_alias="nominal")
    alpha_ordinal: EstimateOut = Field(validation_alias="ordinal")
    judges: list[JudgeOut]

    @staticmethod
    def resolve_phase(result: JudgingResults) -> str:
        """The address of the phase."""
        return "" if result.phase is None else f"{result.phase.challenge.slug}/{result.phase.slug}"


@router.get(
    "/labelling/{slug:project}/judging",
    auth=KNOWN,
    response={200: JudgingOut},
    operation_id="labelling_judging",
    summary="Read what judges say",
)
def judging(request: UserRequest, project: str) -> JudgingResults:
    """Results of a project in which pairs are judged, for its managers.

    Names and ranks of systems are told to who organises the phase.
    """
    found = access.project_for(request.auth, project, role=Role.MANAGER, any_kind=True)
    if found.kind != "judge":
        raise Http404
    phase = phase_of(found)
    named = access.draws_from(request.auth, phase)
    return judging_results(found, phase, named=named)
