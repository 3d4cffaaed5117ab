"""The front page, the page of a challenge, and taking part in it."""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access, tasks
from leaderboard.forms.people import TakePartForm, TeamForm
from leaderboard.models import Challenge, Phase, Team
from leaderboard.selectors.board.query import BoardQuery, Sort
from leaderboard.selectors.board.table import BY_TEAM, all_phases, table_of
from leaderboard.selectors.clips.audio import example_of
from leaderboard.selectors.clips.corpus import card_for, described_references
from leaderboard.selectors.figures.captions import caption_statistics
from leaderboard.selectors.organising.challenges import (
    PhaseStatus,
    announcements_of,
    images_of,
    leading_phase,
    overviews_of,
    phase_statuses,
    timeline_of,
)
from leaderboard.selectors.organising.overview import managed_rows
from leaderboard.selectors.people.participation import MissingStep, taking_part
from leaderboard.selectors.results.packing import results_packed
from leaderboard.selectors.submissions.team_systems import own_work_of
from leaderboard.selectors.visibility.ranked_row import RankedRow
from leaderboard.services.people.participation import participation_ask
from leaderboard.views.board import page_number
from leaderboard.views.clips.clips import with_recordings
from leaderboard.views.pages import phase_context
from leaderboard.web.file_responses import file_attachment
from leaderboard.web.page_cache import cached_fragment, parts_rate_check
from leaderboard.web.rate_limits import visitor
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest, signed_in_form
from leaderboard.web.visitors_cache import cached_for_visitors


@require_safe
@cached_for_visitors()
def home(request: HttpRequest) -> HttpResponse:
    """Show what the site is, what is somebody's own, and the challenges, the open ones first."""
    now = timezone.now()
    overviews = overviews_of(
        access.challenges_visible(request.user),
        now,
        organised=access.organised_challenges(request.user),
    )
    context: dict[str, object] = {"overviews": overviews}
    if request.user.is_authenticated:
        teams = list(access.teams_of(request.user))
        context["own"] = own_work_of(teams, overviews, now)
        context["organised"] = managed_rows(access.organised_challenges_of(request.user), now)
    elif overviews:
        context |= _lead(request, overviews[0].challenge, overviews[0].statuses, now)
    page = render(request, "leaderboard/challenges/home.html", context)
    return with_recordings(request, page, *(one.phase for row in overviews for one in row.statuses))


@require_safe
@cached_for_visitors()
def challenge(request: HttpRequest, challenge: str) -> HttpResponse:
    """Show what a challenge is about, its phases and who leads."""
    found = access.challenge_for(request.user, challenge)
    is_organiser = access.is_organiser(request.user, found)
    now = timezone.now()
    statuses = phase_statuses(found.phases.all(), now, organised={found.pk} if is_organiser else ())
    teams = access.teams_of(request.user) if found.asks_to_take_part else []
    parts = taking_part(found, teams)
    context = {
        **_lead(request, found, statuses, now),
        "parts": parts,
        # A team that has to ask first, or waits, is told so below.
        "may_submit": not found.asks_to_take_part
        or any(part.missing == MissingStep.NOTHING for part in parts),
        "may_ask": not parts or any(part.may_ask for part in parts),
        "statuses": statuses,
        "has_results": any(is_organiser or status.phase.scores_public for status in statuses),
        "with_scores": sum(status.leaders is not None for status in statuses),
        "timeline": timeline_of([status.phase for status in statuses], now),
        "is_organiser": is_organiser,
        "announcements": announcements_of(found),
        "images": images_of(found),
    }
    page = render(request, "leaderboard/challenges/challenge.html", context)
    return with_recordings(request, page, *(status.phase for status in statuses))


def _lead(
    request: HttpRequest, challenge: Challenge, statuses: Sequence[PhaseStatus], now: datetime
) -> dict[str, Any]:
    """What a challenge is about: its phase of now, the best systems there, one of its sounds."""
    lead = leading_phase(statuses)
    return {
        "challenge": challenge,
        "lead": lead,
        "best": _best(request, lead, now) if lead else [],
        "example": _example(request, [status.phase for status in statuses]),
    }


def _best(request: HttpRequest, lead: PhaseStatus, now: datetime) -> list[RankedRow]:
    """The three best systems of a phase, where their scores are to be seen."""
    if lead.leaders is None:
        return []
    view = access.visibility_for(request.user, lead.phase, now)
    rows = table_of(lead.phase, BoardQuery(), view=view).rows
    return [row for row in rows[:3] if row.rank is not None]


def _example(request: HttpRequest, phases: list[Phase]) -> dict[str, Any] | None:
    """A sound with its captions, of the first phase whose clips have both and may be seen."""
    seen = (phase.reference_set for phase in phases if access.may_see_clips(request.user, phase))
    found = (example_of(references) for references in seen if references)
    return next((example for example in found if example), None)


@require_safe
def challenge_image(request: HttpRequest, challenge: str, sha256: str) -> HttpResponse:
    """Send an image of a challenge's text; its address changes with its content."""
    found = access.challenge_for(request.user, challenge)
    image = get_object_or_404(found.images.defer("content"), sha256__startswith=sha256)
    answer: HttpResponse = HttpResponseNotModified()
    if request.headers.get("If-None-Match") != f'"{image.sha256}"':
        answer = HttpResponse(bytes(image.content), content_type="image/webp")
    answer["ETag"] = f'"{image.sha256}"'
    # Kept by this browser alone: who may see the challenge can change.
    answer["Cache-Control"] = "private, max-age=3600"
    return answer


@require_safe
@cached_for_visitors("sort", "page")
def phases(request: HttpRequest, challenge: str) -> HttpResponse:
    """Show the ranks of each team in all phases whose scores the reader sees."""
    found = access.challenge_for(request.user, challenge)
    now = timezone.now()
    shown = access.phases_with_scores(request.user, found, now)
    table = all_phases(
        shown,
        Sort.read(request.GET.get("sort", "")),
        page=page_number(request.GET.get("page", "")),
        own_teams=frozenset(access.teams_of(request.user).values_list("pk", flat=True)),
    )
    there = {phase.pk for phase, _ in shown}
    context = {
        "challenge": found,
        "table": table,
        "without": [phase for phase in found.phases.all() if phase.pk not in there],
        "frozen": [(phase, view) for phase, view in shown if view.until is not None],
        "nameless": [phase for phase, view in shown if not view.names],
        "by_team": BY_TEAM,
    }
    return render(request, "leaderboard/challenges/phases.html", context)


@require_safe
def results(request: HttpRequest, challenge: str, phase: str = "") -> HttpResponseBase:
    """Send all results of a phase, or of all phases of a challenge, as one file."""
    now = timezone.now()
    found, shown = access.results_for(request.user, challenge, phase, now)
    parts_rate_check(request, visitor(request))
    file = results_packed(found, shown, now)
    name = "-".join(filter(None, (found.slug, phase, "results.zip")))
    return file_attachment(file, name, "application/zip")


@signed_in_form("leaderboard.taking_part", "20/m")
def take_part(request: SignedInRequest, challenge: str) -> HttpResponse:
    """Show what a challenge asks of teams and how one's own stand; accept and ask for one."""
    found = access.challenge_for(request.user, challenge)
    if not found.asks_to_take_part:
        raise Http404
    parts = taking_part(found, access.teams_of(request.user))
    asking = [part.team.pk for part in parts if part.may_ask]
    form = TakePartForm(
        request.POST if request.method == "POST" else None,
        challenge=found,
        teams=Team.objects.filter(pk__in=asking),
    )
    if form.is_valid() and _ask(request, found, form):
        return redirect("leaderboard:challenge", challenge=found.slug)
    context = {
        "challenge": found,
        "parts": parts,
        "form": form if asking else None,
        "team_form": None if parts else TeamForm(),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    return render(request, "leaderboard/people/take_part.html", context, status=status)


def _ask(request: SignedInRequest, challenge: Challenge, form: TakePartForm) -> bool:
    """Whether it could be asked; else the form says why not."""
    values = form.cleaned_data
    try:
        part = participation_ask(
            challenge=challenge,
            team=values["team"],
            user=request.user,
            terms_read=values["terms_read"],
            note=values["note"],
            now=timezone.now(),
        )
    except Refused as refused:
        form.show_again(challenge, str(refused))
        return False
    tasks.notices_enqueue()
    submits = " You can submit." if part.missing == MissingStep.NOTHING else ""
    messages.success(request, f"{part.sentence}{submits}")
    return True


@require_safe
def references(request: HttpRequest, challenge: str, phase: str) -> HttpResponse:
    """Show what the references of a phase are like; of hidden ones only how they were made."""
    found = access.phase_for(request.user, challenge, phase)
    if found.reference_set is None:
        raise Http404
    shown = access.may_see_clips(request.user, found)
    context = {
        **phase_context(found),
        "shown": shown,
        "card": card_for(found.reference_set, shown=shown),
    }
    if shown:
        content_hash = found.reference_set.content_hash
        context["statistics"] = cached_fragment(
            request,
            "leaderboard/references/_statistics.html",
            (content_hash,),
            lambda: {"statistics": caption_statistics(described_references(content_hash))},
        )
    return render(request, "leaderboard/references/references.html", context)
