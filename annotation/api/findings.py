"""Data sets: what is found in their captions, and what was decided."""

from datetime import datetime
from typing import Any, Literal

from ninja import P, QueryEx, Router, Schema
from pydantic import Field

from annotation import access
from annotation.models import CaptionDecision, CheckState, DataSet, DataSetCheck
from annotation.selectors.data_sets.decisions import decision_record
from annotation.selectors.data_sets.findings import (
    STATES,
    FindingFilter,
    FindingRow,
    finding_rows,
    findings_of,
)
from annotation.selectors.data_sets.overview import DataSetRow, data_set_rows
from leaderboard.models import User
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.refusals import Refused
from scoring.captions.faults import in_quotes
from scoring.datasets.findings import KINDS

_MOST = 2**31 - 1
StateName = Literal["open", "accepted", "edited", "dismissed", "gone"]


class DataSetOut(Schema):
    """A data set and how much is in it."""

    slug: str
    name: str
    source: str | None = Field(description="The project that its captions are from; null: none.")
    clips: int
    captions: int

    @classmethod
    def of(cls, row: DataSetRow) -> "DataSetOut":
        """Describe a data set."""
        source = row.data_set.source
        return cls(
            slug=row.data_set.slug,
            name=row.data_set.name,
            source=source.slug if source else None,
            clips=row.clips,
            captions=row.captions,
        )


class DataSetsOut(Schema):
    """The data sets that you work on."""

    data_sets: list[DataSetOut]


class DataSetCheckOut(Schema):
    """How far the last check of all captions is."""

    state: CheckState | Literal["never"]
    done: int
    total: int
    reason: str = Field(description="Why it failed.")
    finished_at: datetime | None

    @classmethod
    def of(cls, check: DataSetCheck | None) -> "DataSetCheckOut":
        """Describe a check, or that there was none."""
        if check is None:
            return cls(state="never", done=0, total=0, reason="", finished_at=None)
        return cls(
            state=CheckState(check.state),
            done=check.done,
            total=check.total,
            reason=check.reason,
            finished_at=check.finished_at,
        )


class CaptionFindingOut(Schema):
    """A place of a caption that somebody should look at, and what was decided."""

    id: int
    file_name: str
    number: int = Field(description="Of the caption, among those of its clip, from 1.")
    caption: str = Field(description="As it is now.")
    kind: str
    start: int = Field(description="First code point.")
    end: int = Field(description="Code point after the last.")
    text: str
    suggestions: list[str] = Field(description='Possible replacements; "": none, remove it.')
    state: StateName
    decided_by: str | None
    decided_at: datetime | None

    @classmethod
    def of(cls, row: FindingRow) -> "CaptionFindingOut":
        """Describe a finding."""
        found, states = row.finding, {verdict.value: name for name, verdict in STATES.items()}
        by: User | None = row.decision.by if row.decision else None
        return cls.model_validate(
            {
                "id": found.pk,
                "file_name": row.caption.clip.file_name,
                "number": row.caption.number,
                "caption": row.caption.text,
                "kind": found.kind,
                "start": found.start,
                "end": found.end,
                "text": found.text,
                "suggestions": found.suggestions,
                "state": states[found.verdict],
                "decided_by": by.get_username() if by else None,
                "decided_at": row.decision.at if row.decision else None,
            }
        )


class CaptionFindingsOut(Schema):
    """Findings in the order of the clips and captions."""

    total: int
    findings: list[CaptionFindingOut]


class CaptionDecisionOut(Schema):
    """One act on a caption."""

    file_name: str
    number: int
    act: str
    kind: str
    start: int
    end: int
    text: str
    before: str
    after: str
    by: str | None
    at: datetime
    taken_back: bool


class CaptionDecisionsOut(Schema):
    """Decisions in the order in which they were made."""

    total: int
    decisions: list[CaptionDecisionOut]


router = Router(tags=["Data sets"])


@router.get(
    "/data-sets",
    auth=KNOWN,
    response={200: DataSetsOut},
    operation_id="data_sets",
    summary="List the data sets that you work on",
)
def data_set_list(request: UserRequest) -> DataSetsOut:
    """Your own ones, and those of projects that you manage."""
    rows = data_set_rows(access.data_sets_of(request.auth))
    return DataSetsOut(data_sets=[DataSetOut.of(row) for row in rows])


@router.get(
    "/data-sets/{slug:data_set}/check",
    auth=KNOWN,
    response={200: DataSetCheckOut},
    operation_id="data_set_check",
    summary="Read how far the check of a data set is",
)
def check_read(request: UserRequest, data_set: str) -> DataSetCheckOut:
    """The last check of all its captions."""
    found = access.data_set_for(request.auth, data_set)
    return DataSetCheckOut.of(found.checks.first())


@router.get(
    "/data-sets/{slug:data_set}/findings",
    auth=KNOWN,
    response={200: CaptionFindingsOut},
    operation_id="data_set_findings",
    summary="List what is found in the captions of a data set",
)
def finding_list(
    request: UserRequest,
    data_set: str,
    kind: QueryEx[str, P(max_length=20, description="Empty: every kind.")] = "",
    state: StateName = "open",
    offset: QueryEx[int, P(ge=0, le=_MOST)] = 0,
    limit: QueryEx[int, P(ge=1, le=200)] = 50,
) -> CaptionFindingsOut:
    """Findings of a kind and state, in the order of the clips and captions."""
    found = access.data_set_for(request.auth, data_set)
    if kind and kind not in KINDS:
        detail = f"{in_quotes(kind)} is not a kind of finding. Choose from: {', '.join(KINDS)}."
        raise Refused(detail, status=422)
    rows = findings_of(found, FindingFilter(kind, state))
    shown = finding_rows(found, rows[offset : offset + limit], hears=False)
    return CaptionFindingsOut(
        total=rows.count(), findings=[CaptionFindingOut.of(row) for row in shown]
    )


@router.get(
    "/data-sets/{slug:data_set}/decisions",
    auth=KNOWN,
    response={200: CaptionDecisionsOut},
    operation_id="data_set_decisions",
    summary="List what was decided about the captions of a data set",
)
def decision_list(
    request: UserRequest,
    data_set: str,
    offset: QueryEx[int, P(ge=0, le=_MOST)] = 0,
    limit: QueryEx[int, P(ge=1, le=500)] = 100,
) -> CaptionDecisionsOut:
    """Every decision in the order in which they were made, those taken back among them."""
    found: DataSet = access.data_set_for(request.auth, data_set)
    rows = CaptionDecision.objects.filter(caption__clip__data_set=found).order_by("pk")
    shown = rows.select_related("by", "caption__clip")[offset : offset + limit]
    records: list[dict[str, Any]] = [decision_record(row) for row in shown]
    return CaptionDecisionsOut(
        total=rows.count(), decisions=[CaptionDecisionOut(**record) for record in records]
    )
