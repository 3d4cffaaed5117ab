"""Teams: the list, making one, its page, and joining by a link."""

from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from leaderboard import access
from leaderboard.forms.teams import TeamForm
from leaderboard.models import Team, TeamInvitation
from leaderboard.selectors.submissions import submissions_of
from leaderboard.selectors.teams import invitations_of, members_of, owns, team_rows
from leaderboard.services import teams as services
from leaderboard.services.teams import InvitationInvalid, TeamNameTaken, TooManyTeams
from leaderboard.views.rate_limits import rate_limited
from leaderboard.views.requests import SignedInRequest


@login_required
@require_GET
def team_list(request: SignedInRequest) -> HttpResponse:
    """List one's own teams."""
    return render(request, "leaderboard/teams.html", {"rows": team_rows(request.user)})


@login_required
@rate_limited("leaderboard.teams", "20/m")
@require_http_methods(["GET", "HEAD", "POST"])
def team_create(request: SignedInRequest) -> HttpResponse:
    """Make a team, then go on to ``next`` or to the team's page."""
    form = TeamForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            team = services.team_create(**form.cleaned_data, owner=request.user, now=timezone.now())
        except (TeamNameTaken, TooManyTeams) as refused:
            form.add_error("name", str(refused))
        else:
            messages.success(request, f"{team.name} was made. You are its owner.")
            return redirect(_next(request) or reverse("leaderboard:team", args=[team.slug]))
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    context = {"form": form, "next": _next(request)}
    return render(request, "leaderboard/team_new.html", context, status=status)


def _next(request: HttpRequest) -> str:
    """Give the page to go on to, where it is one of this site."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if safe else ""


@login_required
@require_GET
def team_detail(request: SignedInRequest, team: str) -> HttpResponse:
    """Show a team to its members: who is in it, and what it handed in."""
    found = access.team_for_member(request.user, team)
    manages = owns(request.user, found)
    context = {
        "team": found,
        "manages": manages,
        "members": members_of(found),
        "invitations": _links(request, found) if manages else [],
        "submissions": submissions_of(found),
    }
    return render(request, "leaderboard/team.html", context)


@dataclass(frozen=True, slots=True)
class InvitationLink:
    """An invitation with the address to send to those invited."""

    invitation: TeamInvitation
    address: str


def _links(request: HttpRequest, team: Team) -> list[InvitationLink]:
    return [
        InvitationLink(
            invitation,
            request.build_absolute_uri(reverse("leaderboard:team-join", args=[invitation.token])),
        )
        for invitation in invitations_of(team, timezone.now())
    ]


@login_required
@rate_limited("leaderboard.teams", "20/m")
@require_POST
def team_invite(request: SignedInRequest, team: str) -> HttpResponse:
    """Make an invitation link."""
    found = access.owned_team_for(request.user, team)
    services.invitation_create(team=found, actor=request.user, now=timezone.now())
    messages.success(request, "Copy the link below and send it to those who should join.")
    return redirect("leaderboard:team", team=found.slug)


@login_required
@require_POST
def team_revoke(request: SignedInRequest, team: str, pk: int) -> HttpResponse:
    """Make an invitation link useless."""
    found = access.owned_team_for(request.user, team)
    invitation = get_object_or_404(TeamInvitation, team=found, pk=pk)
    services.invitation_revoke(invitation=invitation, actor=request.user, now=timezone.now())
    messages.success(request, "The link no longer works.")
    return redirect("leaderboard:team", team=found.slug)


@login_required
@never_cache
@rate_limited("leaderboard.teams", "20/m")
@require_http_methods(["GET", "HEAD", "POST"])
def team_join(request: SignedInRequest, token: str) -> HttpResponse:
    """Show whose invitation this is; join when confirmed."""
    now = timezone.now()
    try:
        if request.method == "POST":
            team = services.invitation_accept(token=token, user=request.user, now=now)
            messages.success(request, f"You are now a member of {team.name}.")
            return redirect("leaderboard:team", team=team.slug)
        team = services.invitation_find(token=token, now=now).team
    except InvitationInvalid as invalid:
        gone = {"invalid": str(invalid)}
        return render(request, "leaderboard/team_join.html", gone, status=HTTPStatus.NOT_FOUND)
    context = {"team": team, "member": access.is_member(request.user, team)}
    return render(request, "leaderboard/team_join.html", context)
