"""Challenges, their phases and what the references of a phase are like."""

from datetime import datetime
from typing import Annotated, Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router, Schema
from pydantic import BeforeValidator, Field

from earmark.registry import Direction
from leaderboard import access
from leaderboard.models import Challenge, Counting, Phase
from leaderboard.selectors.clips.corpus import card_for, described_references
from leaderboard.selectors.outside import host_asked
from leaderboard.starter.package import kit_name, kit_packed
from leaderboard.web.api_auth import ANYONE, VisitorRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.file_responses import attachment
from leaderboard.web.page_cache import cached_json
from leaderboard.web.refusals import Refused


class ChallengeLine(Schema):
    """A challenge in the list."""

    slug: str
    title: str
    summary: str


class PhaseOut(Schema):
    """A phase with its rules."""

    slug: str
    name: str
    is_open: bool = Field(description="Whether a submission would be taken now.")
    opens_at: datetime | None
    closes_at: datetime | None
    clips: Annotated[int | None, BeforeValidator(lambda found: found and found.clip_count)] = Field(
        validation_alias="reference_set", description="Clips to describe; null: no references yet."
    )
    ranking_metric: str
    ranking_label: str = Field(
        validation_alias="ranking.label",
        description="With what differs from the metric's defaults.",
    )
    direction: Direction = Field(validation_alias="ranking.direction")
    metrics: list[str] = Field(description="The metrics that are computed.")
    precision: int = Field(description="Values equal at this number of decimals are tied.")
    counting: Counting = Field(
        validation_alias="counting_rule",
        description="Which of a team's systems is on the leaderboard.",
    )
    quota_per_day: int | None = Field(description="Per team and day (UTC); null: no limit.")
    quota_total: int | None = Field(description="Per team in all; null: no limit.")
    quota_shared: bool = Field(
        description="Whether submissions of all teams that one person made count together."
    )
    systems_per_team: int | None = Field(
        description="How many systems a team may have in the phase at once; null: no limit."
    )
    references_public: bool
    scores_public: bool
    captions_sent_to: str = Field(
        description="Host of the language model that judges captions and references of this phase; "
        "empty: nothing is sent anywhere."
    )

    @staticmethod
    def resolve_captions_sent_to(phase: Phase) -> str:
        """The host that organisers agreed to, where they turned a language model on."""
        return host_asked(phase)

    @staticmethod
    def resolve_metrics(phase: Phase) -> list[str]:
        """Names of the metrics that are computed, in the order used everywhere."""
        return list(phase.computed)

    @staticmethod
    def resolve_is_open(phase: Phase) -> bool:
        """Whether the phase is open now."""
        return phase.is_open(timezone.now())


class AnnouncementOut(Schema):
    """What the organisers told everyone."""

    title: str
    body: str = Field(description="Markdown.")
    published_at: datetime
    edited_at: datetime | None = Field(description="When it was last corrected; null: never.")


class ChallengeOut(ChallengeLine):
    """A challenge with its phases in order."""

    description: str = Field(description="Markdown.")
    terms: str = Field(
        description="Markdown. What a team accepts on the challenge's page before it submits; "
        "empty: nothing."
    )
    approval: bool = Field(description="Whether organisers admit a team before it submits.")
    time_zone: str = Field(description="In which its organisers write times; here all are UTC.")
    announcements: list[AnnouncementOut] = Field(description="The latest first.")
    phases: list[PhaseOut]

    @staticmethod
    def resolve_phases(challenge: Challenge) -> QuerySet[Phase]:
        """The phases without their references, in order."""
        phases = challenge.phases.select_related("reference_set")
        return phases.defer("reference_set__payload").order_by("position", "id")


class ClipsToDescribe(Schema):
    """What a file of captions must hold."""

    file_names: list[str] = Field(description="In the order of the template.")
    max_bytes: int = Field(description="How large a file may be.")


router = Router(tags=["For everyone"], auth=ANYONE)


@router.get(
    "/challenges",
    response={200: list[ChallengeLine]},
    operation_id="challenges",
    summary="List the challenges",
)
def challenge_list(request: VisitorRequest) -> QuerySet[Challenge]:
    """The challenges that you may see, by title."""
    return access.challenges_visible(request.auth).order_by("title", "slug")


@router.get(
    "/challenges/{slug:challenge}",
    response={200: ChallengeOut},
    operation_id="challenge",
    summary="Read a challenge and its phases",
)
def challenge_detail(request: VisitorRequest, challenge: str) -> Challenge:
    """A challenge with the rules of each phase and what its organisers announced."""
    return access.challenge_for(request.auth, challenge)


@router.get(
    "/phases/{slug:challenge}/{slug:phase}",
    response={200: PhaseOut},
    operation_id="phase",
    summary="Read a phase",
)
def phase_detail(request: VisitorRequest, challenge: str, phase: str) -> Phase:
    """The rules of a phase."""
    return access.phase_for(request.auth, challenge, phase)


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/starter-kit",
    tags=["For participants"],
    operation_id="starter_kit",
    summary="Download the starter kit of a phase",
    openapi_extra={
        "responses": {
            200: {
                "description": "A zip with two baselines and a README of the phase.",
                "content": {"application/zip": {}},
            }
        },
    },
)
def starter_kit(request: VisitorRequest, challenge: str, phase: str) -> HttpResponse:
    """Code to train a first system with; the same file as on the pages of the phase."""
    found = access.phase_for(request.auth, challenge, phase)
    return attachment(kit_packed(found), f"{kit_name(found)}.zip", "application/zip")


@router.get(
    "/phases/{slug:challenge}/{slug:phase}/clips",
    tags=["For participants"],
    response={200: ClipsToDescribe},
    operation_id="clips_to_describe",
    summary="List the clips of a phase",
)
def clips_to_describe(request: VisitorRequest, challenge: str, phase: str) -> ClipsToDescribe:
    """The names of the clips that a file of captions must have, once the phase has opened."""
    found = access.phase_for(request.auth, challenge, phase)
    references = found.reference_set
    if references is None or not access.may_see_clip_names(request.auth, found, timezone.now()):
        raise Http404
    return ClipsToDescribe(
        file_names=list(references.read().file_names), max_bytes=settings.MAX_UPLOAD_BYTES
    )


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
