"""The people of a challenge: who runs it and lets others in, and who takes part or asks to."""

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.forms.judging import ParticipantsFilter, ReasonForm
from leaderboard.forms.people import OrganiserForm
from leaderboard.models import (
    Challenge,
    ChallengeParticipation,
    OrganiserInvitation,
    ParticipationState,
    Team,
    User,
)
from leaderboard.selectors.people.participation import (
    PAGE,
    ParticipantRow,
    participant_rows,
    participants_of,
    waiting_count,
)
from leaderboard.services.organising import organisers
from leaderboard.services.people.participation import participation_decide
from leaderboard.services.people.teams import INVITATION_LASTS
from leaderboard.tasks import notices_enqueue
from leaderboard.views.pages import (
    act_on,
    csv_streamed,
    form_rendered,
    in_chunks,
    row_named,
    with_acts,
)
from leaderboard.web.csv_cells import csv_line, csv_text
from leaderboard.web.mail import invitation_mail, link_invalid
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import Refused, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_form, signed_in_page


@act_on(access.organised_challenge_for)
def person_remove(request: SignedInRequest, found: Challenge) -> HttpResponse | None:
    """Take an organiser out, or leave."""
    user = row_named(request, "person", found.organisers.all())
    with refusal_told(request):
        organisers.organiser_remove(
            challenge=found, user=user, actor=request.user, now=timezone.now()
        )
        gone = "" if user == request.user else " Open invitations no longer work."
        messages.success(request, f"{user.get_username()} no longer organises {found.title}.{gone}")
    return None if access.is_organiser(request.user, found) else redirect("leaderboard:manage")


@act_on(access.organised_challenge_for)
def invitation_revoke(request: SignedInRequest, found: Challenge) -> None:
    """Take an invitation back."""
    rows = OrganiserInvitation.objects.select_related("challenge").filter(challenge=found)
    organisers.organiser_invitation_revoke(
        invitation=row_named(request, "invited", rows), actor=request.user, now=timezone.now()
    )
    messages.success(request, "The invitation no longer works.")


@with_acts(remove=person_remove, revoke=invitation_revoke)
@signed_in_form("leaderboard.people", "20/m")
@rate_limited("leaderboard.invitations", "100/d")
def people(request: SignedInRequest, challenge: str) -> HttpResponse:
    """List the organisers of a challenge and let others in."""
    found = access.organised_challenge_for(request.user, challenge)
    form = OrganiserForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        if form.user is None:
            _invite(request, found, form.cleaned_data["who"])
        else:
            _add(request, found, form.user)
        return redirect("leaderboard:manage-people", challenge=found.slug)
    context = {
        "challenge": found,
        "form": form,
        "organisers": found.organisers.order_by("username"),
        "invitations": _open(found),
    }
    return form_rendered(request, "leaderboard/organising/organisers.html", context)


def _add(request: SignedInRequest, challenge: Challenge, user: User) -> None:
    added = organisers.organiser_add(
        challenge=challenge, user=user, actor=request.user, now=timezone.now()
    )
    name = user.get_username()
    if added:
        notices_enqueue()
        messages.success(request, f"{name} is an organiser of {challenge.title}.")
    else:
        messages.info(request, f"{name} was an organiser already.")


def _invite(request: SignedInRequest, challenge: Challenge, email: str) -> None:
    with refusal_told(request):
        made = organisers.organiser_invite(
            challenge=challenge, email=email, actor=request.user, now=timezone.now()
        )
        context = {"challenge": challenge, "address": _address(made), "days": INVITATION_LASTS.days}
        invitation_mail(
            request,
            email=made.email,
            subject=f"Organise {challenge.title}",
            template="leaderboard/organising/invitation_email.txt",
            context=context,
        )


def _address(invitation: OrganiserInvitation) -> str:
    # Not from the request, whose host the sender may have made up.
    return f"{settings.SITE_URL}{reverse('leaderboard:manage-join', args=[invitation.token])}"


def _open(challenge: Challenge) -> list[tuple[OrganiserInvitation, str]]:
    """Invitations with their links, in case a mail does not arrive."""
    rows = challenge.organiser_invitations.filter(expires_at__gt=timezone.now())
    return [(row, _address(row)) for row in rows.select_related("created_by")]


@signed_in_form("leaderboard.people", "20/m")
def join(request: SignedInRequest, token: str) -> HttpResponse:
    """Show whose invitation this is; accept it when confirmed."""
    now = timezone.now()
    try:
        if request.method == "POST":
            challenge = organisers.organiser_invitation_accept(
                token=token, user=request.user, now=now
            )
            messages.success(request, f"You are an organiser of {challenge.title}.")
            return redirect("leaderboard:manage-overview", challenge=challenge.slug)
        invitation = organisers.organiser_invitation_find(token=token, now=now)
    except Refused as gone:
        return link_invalid(request, gone, back="leaderboard:home", label="See the challenges")
    return render(request, "leaderboard/organising/organiser_join.html", {"invitation": invitation})


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


# Act -> the decision, and what the organiser reads then.
_DECISIONS = {
    "admit": (ParticipationState.ADMITTED, "{} is admitted. Its members get a notice."),
    "withdraw": (
        ParticipationState.WITHDRAWN,
        "The admission of {} is withdrawn. Its members get a notice with the reason.",
    ),
    "refuse": (
        ParticipationState.REFUSED,
        "{} is refused. Its members get a notice with the reason.",
    ),
}


def _decide(
    request: SignedInRequest, part: ChallengeParticipation, act: str, form: ReasonForm
) -> None:
    decision, message = _DECISIONS.get(act, _DECISIONS["refuse"])
    with refusal_told(request):
        participation_decide(
            participation=part,
            decision=decision,
            reason="" if act == "admit" else form.cleaned_data["reason"],
            actor=request.user,
            now=timezone.now(),
        )
        notices_enqueue()
        messages.success(request, message.format(part.team))
