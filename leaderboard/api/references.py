"""What the references of a phase are like, as on its page."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import Field

from leaderboard import access
from leaderboard.selectors.clips.reference_card import card_for, described_references
from leaderboard.web.api_auth import ANYONE, PUBLIC, VisitorRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.page_cache import cached_json
from leaderboard.web.refusals import Refused

router = Router(tags=["For everyone"], auth=ANYONE)


class ReferencesOut(Schema):
    """Statistics of references and their data card."""

    statistics: dict[str, Any] | None = Field(
        description="As `describe_captions --json` writes them; none of hidden references."
    )
    card: dict[str, Any] | None = Field(
        description="How they were made, where they were made on this site; of hidden references "
        "without anything of the captions."
    )


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/references",
    response={200: ReferencesOut, 503: Problem},
    operation_id="phase_references",
    summary="Read what the references of a phase are like",
    openapi_extra=PUBLIC,
)
def phase_references(request: VisitorRequest, challenge: str, phase: str) -> HttpResponse:
    """Statistics where the captions are public, and how they were made."""
    found = access.phase_for(request.auth, challenge, phase)
    stored = found.reference_set
    if stored is None:
        raise Refused("This phase has no references yet.", status=404)
    shown = access.may_see_clips(request.auth, found)
    card = card_for(stored, shown=shown)

    def make() -> ReferencesOut:
        statistics = described_references(stored.content_hash) if shown else None
        return ReferencesOut(statistics=statistics, card=card)

    plain: HttpRequest = request
    return cached_json(plain, "references", (stored.content_hash, shown, str(card)), make)
