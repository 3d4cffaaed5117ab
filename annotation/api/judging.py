"""What judges of pairs say."""

import math

from django.http import Http404
from ninja import Router, Schema
from pydantic import Field

from annotation import access
from annotation.api.agreement import EstimateOut
from annotation.models import Role
from annotation.selectors.judging.results import FacetVotes, JudgedSystem, JudgeRow, judging_results
from annotation.selectors.judging.votes import phase_of
from leaderboard.web.api_auth import KNOWN, UserRequest
from scoring.results import Interval

router = Router(tags=["Labelling"])


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

    @classmethod
    def of(cls, row: FacetVotes) -> "FacetVotesOut":
        """Describe it."""
        return cls(
            facet=row.facet,
            drawn=row.drawn,
            judged=row.judged,
            votes=row.votes,
            first=row.first,
            alike=row.alike,
        )


class JudgedSystemOut(Schema):
    """A system by what judges say; people's captions are one of them."""

    system: str = Field(description="Its id; empty for people, and where names are hidden.")
    name: str
    strength: float = Field(description="Log strength by Davidson's model; 0 is the average.")
    low: float | None
    high: float | None
    votes: int
    rank: int | None = Field(description="By the ranking metric of the phase.")
    value: float | None

    @classmethod
    def of(cls, row: JudgedSystem) -> "JudgedSystemOut":
        """Describe it."""
        low, high = _ends(row.interval)
        return cls(
            system=row.public_id,
            name=row.name,
            strength=row.strength,
            low=low,
            high=high,
            votes=row.votes,
            rank=row.rank,
            value=row.value,
        )


class JudgeOut(Schema):
    """A judge against the majority of the others."""

    name: str
    answers: int
    agreed: int
    pairs: int = Field(description="Pairs on which the others have a majority.")
    low: float | None = Field(description="95 % interval of the share.")
    high: float | None
    first: float | None = Field(description="Share of choices for the caption shown first.")

    @classmethod
    def of(cls, row: JudgeRow) -> "JudgeOut":
        """Describe it."""
        low, high = _ends(row.agreement.interval)
        return cls(
            name=row.name,
            answers=row.agreement.answers,
            agreed=row.agreement.agreed,
            pairs=row.agreement.pairs,
            low=low,
            high=high,
            first=row.first,
        )


class JudgingOut(Schema):
    """What the judgments of a project say of systems and judges."""

    phase: str = Field(description="Address of the phase, challenge/phase; empty before a draw.")
    facets: list[FacetVotesOut]
    systems: list[JudgedSystemOut]
    alike: float | None = Field(
        description="How often two systems of equal strength are found alike, 0 to 1."
    )
    alpha_nominal: EstimateOut
    alpha_ordinal: EstimateOut
    judges: list[JudgeOut]


def _ends(interval: Interval) -> tuple[float | None, float | None]:
    low, high = (end if math.isfinite(end) else None for end in (interval.low, interval.high))
    return low, high


@router.get(
    "/labelling/{slug:project}/judging",
    auth=KNOWN,
    response={200: JudgingOut},
    operation_id="labelling_judging",
    summary="Read what judges say",
)
def judging(request: UserRequest, project: str) -> JudgingOut:
    """Results of a project in which pairs are judged, for its managers.

    Names and ranks of systems are told to who organises the phase.
    """
    found = access.project_for(request.auth, project, role=Role.MANAGER, any_kind=True)
    if found.kind != "judge":
        raise Http404
    phase = phase_of(found)
    named = access.draws_from(request.auth, phase)
    told = judging_results(found, phase, named=named)
    return JudgingOut(
        phase="" if phase is None else f"{phase.challenge.slug}/{phase.slug}",
        facets=[FacetVotesOut.of(row) for row in told.facets],
        systems=[JudgedSystemOut.of(row) for row in told.systems],
        alike=told.alike,
        alpha_nominal=EstimateOut.from_orm(told.nominal),
        alpha_ordinal=EstimateOut.from_orm(told.ordinal),
        judges=[JudgeOut.of(row) for row in told.judges],
    )
