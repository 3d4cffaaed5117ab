"""Findings in a text, for who is writing it."""

from django.http import Http404
from ninja import Router, Schema
from pydantic import Field

from annotation import access
from annotation.api.tasks import require_same_person
from annotation.selectors.text_findings import text_findings
from earmark.datasets.findings import KINDS, CheckFinding
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.rate_limits import Rate

router = Router(tags=["For labelling"])


class TextIn(Schema):
    """A text as it stands."""

    item: int = Field(ge=1, le=2**63 - 1, description="The id of the task that it is for.")
    text: str = Field(max_length=1000)


class TextFindingOut(Schema):
    """A place of the text that may need another look."""

    kind: str
    start: int = Field(description="First code point.")
    end: int = Field(description="Code point after the last.")
    text: str
    message: str = Field(description="What is found there.")
    suggestions: list[str] = Field(description='Possible replacements; "": none, remove it.')

    @staticmethod
    def resolve_message(finding: CheckFinding) -> str:
        """What its kind finds."""
        return KINDS[finding.kind].explanation


class TextFindingsOut(Schema):
    """What is found in a text, in the order of the places."""

    findings: list[TextFindingOut]


@router.post(
    "/labelling/{slug:project}/check",
    auth=KNOWN,
    throttle=Rate("check", "120/m"),
    response={200: TextFindingsOut},
    operation_id="labelling_check",
    summary="Look at a text that you are writing",
)
def check(request: UserRequest, project: str, told: TextIn) -> dict[str, list[CheckFinding]]:
    """Findings in a text for a sound that was handed to you; nothing is stored."""
    require_same_person(request)
    item = access.item_for(request.auth, project, told.item)
    if not item.project.work_kind.checks_text:
        raise Http404
    return {"findings": text_findings(item, told.text)}
