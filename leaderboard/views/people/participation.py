"""Taking part in a challenge: its terms, and asking its organisers."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from leaderboard import access, tasks
from leaderboard.forms.people import TakePartForm, TeamForm
from leaderboard.models import Challenge, Team
from leaderboard.selectors.people.participation import MissingStep, taking_part
from leaderboard.services.people.participation import participation_ask
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.signed_in import signed_in_form


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
