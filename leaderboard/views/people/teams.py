"""Teams: the list, making one, its page for its members and for all others."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_http_methods, require_safe

from leaderboard import access
from leaderboard.forms.people import InvitationForm, TeamForm
from leaderboard.models import Team
from leaderboard.selectors.people.teams import (
    invitations_of,
    invitations_to,
    members_of,
    owns,
    team_history,
    team_rows,
)
from leaderboard.services.people import teams as services
from leaderboard.views.pages import form_rendered
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import refusal_in
from leaderboard.web.requests import SignedInRequest


@login_required
@require_GET
def team_list(request: SignedInRequest) -> HttpResponse:
    """List one's own teams, and the invitations to others."""
    context = {
        "rows": team_rows(request.user),
        "invitations": invitations_to(request.user, timezone.now()),
    }
    return render(request, "leaderboard/people/teams.html", context)


@login_required
@rate_limited("leaderboard.teams", "20/m")
@require_http_methods(["GET", "HEAD", "POST"])
def team_create(request: SignedInRequest) -> HttpResponse:
    """Make a team, then go on to ``next`` or to the team's page."""
    form = TeamForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refusal_in(form):
            team = services.team_create(**form.cleaned_data, owner=request.user, now=timezone.now())
            messages.success(request, f"{team.name} was made. You are its owner.")
            return redirect(_next(request) or reverse("leaderboard:team", args=[team.slug]))
    context = {"form": form, "next": _next(request)}
    return form_rendered(request, "leaderboard/people/team_new.html", context)


def _next(request: HttpRequest) -> str:
    """The page to go on to, where it is one of this site."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    safe = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if safe else ""


@require_safe
def team_detail(request: HttpRequest, team: str) -> HttpResponse:
    """Show a team: all of it to its members, to others what they may see under its name."""
    found = access.teams_of(request.user).filter(slug=team).first()
    if found is not None:
        return render(request, "leaderboard/people/team.html", _for_members(request, found))
    found = Team.objects.filter(slug=team).first()
    organises = found is not None and access.organises_for(request.user, found)
    systems = access.visible_systems_of(request.user, found, timezone.now()) if found else []
    if found is None or not (systems or organises):
        if request.user.is_authenticated:
            raise Http404
        # Only its members learn whether there is such a team.
        return redirect_to_login(request.get_full_path())
    context = {
        "team": found,
        "systems": systems,
        "organises": organises,
        "members": members_of(found) if organises else [],
    }
    return render(request, "leaderboard/people/team_public.html", context)


def _for_members(request: HttpRequest, team: Team) -> dict[str, Any]:
    user, now = request.user, timezone.now()
    manages = user.is_authenticated and owns(user, team)
    phases = access.team_phases_for(user, team, now)
    asked = request.GET.get("phase", "")
    chosen = [row for row in phases if str(row.phase.pk) == asked]
    return {
        "team": team,
        "manages": manages,
        "members": members_of(team),
        "invitations": invitations_of(team, now) if manages else [],
        "form": InvitationForm(),
        "phases": phases,
        "shown": chosen or phases,
        "chosen": asked if chosen else "",
        "history": team_history(team),
        "join_root": request.build_absolute_uri(reverse("leaderboard:teams")),
    }


@login_required
@rate_limited("leaderboard.teams", "20/m")
@require_http_methods(["GET", "HEAD", "POST"])
def team_edit(request: SignedInRequest, team: str) -> HttpResponse:
    """Change what a team is called and where it is from."""
    found = access.team_to_edit_for(request.user, team)
    present = {"name": found.name, "affiliation": found.affiliation}
    form = TeamForm(request.POST if request.method == "POST" else None, initial=present)
    if form.is_valid():
        with refusal_in(form):
            changed = services.team_edit(
                team=found,
                **form.cleaned_data,
                actor=request.user,
                organised=access.organised_challenges(request.user),
                now=timezone.now(),
            )
            messages.success(request, "The team was changed." if changed else "Nothing changed.")
            return redirect("leaderboard:team", team=found.slug)
    context = {"form": form, "team": found}
    return form_rendered(request, "leaderboard/people/team_edit.html", context)
