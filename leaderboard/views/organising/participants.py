"""Who takes part in a challenge or asks to, and what its organisers decide."""

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access, tasks
from leaderboard.forms.judging import ParticipantsFilter, ReasonForm
from leaderboard.models import Challenge, ChallengeParticipation, Team, User
from leaderboard.selectors.organising.participants import (
    PAGE,
    ParticipantRow,
    participant_rows,
    participants_of,
)
from leaderboard.selectors.people.participation import waiting_count
from leaderboard.services.people import participation as services
from leaderboard.views.pages import csv_streamed, form_rendered, in_chunks
from leaderboard.web.csv_cells import csv_line, csv_text
from leaderboard.web.refusals import refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_form, signed_in_page

COLUMNS = (
    *("team", "address", "affiliation", "people", "state", "submissions"),
    *("asked_at", "asked_by", "note"),
    *("terms_accepted_at", "terms_accepted_by", "terms_sha256"),
    *("decided_at", "decided_by", "reason"),
)


@signed_in_page
def participant_list(request: SignedInRequest, challenge: str) -> HttpResponse:
    """List the teams that take part, ask to, or submitted; who waits comes first."""
    found = access.organised_challenge_for(request.user, challenge)
    form = ParticipantsFilter(request.GET)
    page = Paginator(participants_of(found, **form.asked), PAGE).get_page(request.GET.get("page"))
    context = {
        "challenge": found,
        "form": form,
        "page": page,
        "rows": participant_rows(found, page.object_list),
        "waiting": waiting_count(found),
        "filtered": bool(form.kept),
        "query": urlencode(form.kept),
    }
    return render(request, "leaderboard/organising/participants.html", context)


@login_required
@require_safe
def participants_csv(request: SignedInRequest, challenge: str) -> HttpResponseBase:
    """Send all participants that match as CSV."""
    found = access.organised_challenge_for(request.user, challenge)
    teams = participants_of(found, **ParticipantsFilter(request.GET).asked)
    return csv_streamed(_lines(found, teams), f"{found.slug}-participants.csv")


def _lines(challenge: Challenge, teams: QuerySet[Team]) -> Iterator[str]:
    yield csv_line(COLUMNS)
    for chunk in in_chunks(teams):
        for row in participant_rows(challenge, chunk):
            yield csv_line(map(csv_text, _cells(row)))


def _cells(row: ParticipantRow) -> Iterator[str]:
    part = row.part or ChallengeParticipation()
    yield from (row.team.name, row.team.slug, row.team.affiliation)
    yield ", ".join(person.username for person in row.people)
    yield from (row.state_name, str(row.submissions))
    yield from (_moment(part.asked_at), _name(part.asked_by), part.note)
    yield from (_moment(part.accepted_at), _name(part.accepted_by), part.terms_id or "")
    yield from (_moment(part.decided_at), _name(part.decided_by), part.reason)


def _moment(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).isoformat(timespec="seconds")


def _name(user: User | None) -> str:
    return "" if user is None else user.get_username()


@signed_in_form("leaderboard.judge", "60/m")
def participant(request: SignedInRequest, challenge: str, pk: int) -> HttpResponse:
    """Show a team that asked, with its note and the terms that it accepted; decide about it."""
    found = access.organised_challenge_for(request.user, challenge)
    part = get_object_or_404(
        ChallengeParticipation.objects.select_related(
            "challenge", "team", "asked_by", "accepted_by", "decided_by", "terms"
        ),
        challenge=found,
        pk=pk,
    )
    form = ReasonForm()
    if request.method == "POST":
        form = ReasonForm(request.POST)
        act = request.POST.get("act", "")
        if act == "admit" or form.is_valid():
            _decide(request, part, act, form)
            return redirect("leaderboard:manage-participants", challenge=found.slug)
    [row] = participant_rows(found, [part.team])
    context = {
        "challenge": found,
        "part": part,
        "row": row,
        "form": form,
        "accepted": bytes(part.terms.content).decode() if part.terms else "",
    }
    return form_rendered(request, "leaderboard/organising/participant.html", context)


def _decide(
    request: SignedInRequest, part: ChallengeParticipation, act: str, form: ReasonForm
) -> None:
    actor, now, team = request.user, timezone.now(), part.team
    with refusal_told(request):
        if act == "admit":
            services.participation_admit(participation=part, actor=actor, now=now)
            said = f"{team} is admitted. Its members get a notice."
        elif act == "withdraw":
            reason = form.cleaned_data["reason"]
            services.participation_withdraw(participation=part, reason=reason, actor=actor, now=now)
            said = (
                f"The admission of {team} is withdrawn. Its members get a notice with the reason."
            )
        else:
            reason = form.cleaned_data["reason"]
            services.participation_refuse(participation=part, reason=reason, actor=actor, now=now)
            said = f"{team} is refused. Its members get a notice with the reason."
        tasks.notices_enqueue()
        messages.success(request, said)
