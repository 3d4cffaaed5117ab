"""Teams: the list, making one, its page, and who is in it: inviting, joining, roles, leaving."""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_safe

from leaderboard import access, tasks
from leaderboard.forms.people import InvitationForm, TeamForm
from leaderboard.models import Membership, Team, TeamInvitation, TeamRole
from leaderboard.selectors.people.teams import members_of, owns, team_history, team_rows
from leaderboard.services.people import teams as services
from leaderboard.views.pages import (
    act_on,
    asked_rendered,
    form_rendered,
    row_named,
    with_acts,
)
from leaderboard.web.mail import link_invalid
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import Refused, refusal_in, refusal_shown, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form

RATE = ("leaderboard.teams", "20/m")
# Who is invited may get a mail, in which the name of the team stands.
INVITATIONS = ("leaderboard.invitations", "100/d")


@signed_in_form(*RATE)
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


@with_acts(new=team_create)
@login_required
@require_GET
def team_list(request: SignedInRequest) -> HttpResponse:
    """List one's own teams, and the invitations to others."""
    context = {
        "rows": team_rows(request.user),
        "invitations": TeamInvitation.objects.filter(
            invited=request.user, expires_at__gt=timezone.now()
        )
        .select_related("created_by", "team")
        .order_by("-created_at", "-pk"),
    }
    return render(request, "leaderboard/people/teams.html", context)


@signed_in_form(*RATE)
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


@signed_in_act(*RATE)
@rate_limited(*INVITATIONS)
def team_invite(request: SignedInRequest, team: str) -> HttpResponse:
    """Invite somebody by name or, where none is given, make a link that anybody may use."""
    found = access.owned_team_for(request.user, team)
    now = timezone.now()
    if "username" not in request.POST:
        with refusal_told(request):
            services.invitation_create(team=found, actor=request.user, now=now)
            messages.success(request, "Copy the link below and send it to those who should join.")
        return redirect("leaderboard:team", team=found.slug)
    form = InvitationForm(request.POST)
    if form.is_valid():
        with refusal_in(form):
            sent = services.invitation_send(
                team=found, username=form.cleaned_data["username"], actor=request.user, now=now
            )
            tasks.notices_enqueue()
            invited = sent.invited.username if sent.invited else ""
            messages.success(request, f"{invited} was invited, and finds it under Teams.")
            return redirect("leaderboard:team", team=found.slug)
    context = {"form": form, "team": found}
    return render(
        request,
        "leaderboard/people/team_invite.html",
        context,
        status=HTTPStatus.UNPROCESSABLE_ENTITY,
    )


@act_on(access.owned_team_for)
def team_revoke(request: SignedInRequest, team: Team) -> None:
    """Make an invitation useless."""
    invitation = row_named(request, "invitation", TeamInvitation.objects.filter(team=team))
    services.invitation_revoke(invitation=invitation, actor=request.user, now=timezone.now())
    messages.success(request, "The invitation no longer works.")


@signed_in_act(*RATE)
def team_decline(request: SignedInRequest, token: str) -> HttpResponse:
    """Turn down an invitation to oneself."""
    now = timezone.now()
    try:
        team = services.invitation_decline(token=token, user=request.user, now=now)
    except Refused as invalid:
        return link_invalid(request, invalid, back="leaderboard:teams", label="Your teams")
    tasks.notices_enqueue()
    messages.success(request, f"You declined to join {team.name}.")
    return redirect("leaderboard:teams")


@with_acts(decline=team_decline)
@signed_in_form(*RATE)
def team_join(request: SignedInRequest, token: str) -> HttpResponse:
    """Show whose invitation this is; join when confirmed."""
    now = timezone.now()
    try:
        if request.method == "POST":
            team = services.invitation_accept(token=token, user=request.user, now=now)
            tasks.notices_enqueue()
            messages.success(request, f"You are now a member of {team.name}.")
            return redirect("leaderboard:team", team=team.slug)
        invitation = services.invitation_find(token=token, user=request.user, now=now)
    except Refused as invalid:
        return link_invalid(request, invalid, back="leaderboard:teams", label="Your teams")
    team = invitation.team
    context = {
        "team": team,
        "invitation": invitation,
        "member": access.is_member(request.user, team.pk),
    }
    return render(request, "leaderboard/people/team_join.html", context)


@act_on(access.owned_team_for, *RATE)
def member_role(request: SignedInRequest, team: Team) -> None:
    """Make a member an owner, or an owner a member."""
    membership = row_named(request, "member", members_of(team))
    role = TeamRole.OWNER if request.POST.get("role") == TeamRole.OWNER else TeamRole.MEMBER
    services.role_set(membership=membership, role=role, actor=request.user, now=timezone.now())
    tasks.notices_enqueue()
    name = "an owner" if role == TeamRole.OWNER else "a member"
    messages.success(request, f"{membership.user.username} is now {name}.")


@signed_in_form(*RATE)
def member_remove(request: SignedInRequest, team: str) -> HttpResponse:
    """Ask whether to take somebody out of a team; do it when confirmed."""
    membership = row_named(request, "member", members_of(access.owned_team_for(request.user, team)))
    done = f"{membership.user.username} is no longer in the team."
    remove = partial(services.member_remove, membership=membership, actor=request.user)
    return _when_confirmed(request, "remove", membership, remove, done)


@signed_in_form(*RATE)
def team_hand_over(request: SignedInRequest, team: str) -> HttpResponse:
    """Ask whether to make another member the owner in one's place; do it when confirmed."""
    heir = row_named(request, "member", members_of(access.owned_team_for(request.user, team)))
    done = f"{heir.user.username} owns {heir.team.name} now; you are a member."
    hand_over = partial(services.team_hand_over, to=heir, actor=request.user)
    return _when_confirmed(request, "hand_over", heir, hand_over, done)


@signed_in_form(*RATE)
def team_leave(request: SignedInRequest, team: str) -> HttpResponse:
    """Ask whether to leave a team, or to dissolve it where one is alone; do it when confirmed."""
    membership = access.own_membership_for(request.user, team)
    alone = membership.team.memberships.count() == 1
    dissolves = "dissolve" in request.POST
    leave = services.team_dissolve if dissolves else services.team_leave
    done = f"{membership.team.name} {'was dissolved' if dissolves else 'goes on without you'}."
    act = "dissolve" if alone else "leave"
    return _when_confirmed(request, act, membership, partial(leave, membership=membership), done)


def _when_confirmed(
    request: SignedInRequest,
    act: str,
    membership: Membership,
    service: Callable[..., object],
    done: str,
) -> HttpResponse:
    team, own = membership.team, membership.user == request.user
    context: dict[str, Any] = {"act": act, "membership": membership, "team": team, "own": own}
    if request.method == "POST":
        with refusal_shown(context):
            service(now=timezone.now())
            tasks.notices_enqueue()
            messages.success(request, done)
            if own and act != "hand_over":
                return redirect("leaderboard:teams")
            return redirect("leaderboard:team", team=team.slug)
    context["submissions"] = team.submissions.count()
    return asked_rendered(request, "leaderboard/people/team_confirm.html", context)


@with_acts(
    edit=team_edit,
    invite=team_invite,
    revoke=team_revoke,
    role=member_role,
    remove=member_remove,
    hand_over=team_hand_over,
    leave=team_leave,
)
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
    phase_pk = request.GET.get("phase", "")
    chosen = [row for row in phases if str(row.phase.pk) == phase_pk]
    return {
        "team": team,
        "manages": manages,
        "members": members_of(team),
        "invitations": TeamInvitation.objects.filter(team=team, expires_at__gt=now)
        .select_related("created_by", "invited")
        .order_by("-expires_at", "-pk")
        if manages
        else [],
        "form": InvitationForm(),
        "phases": phases,
        "shown": chosen or phases,
        "chosen": phase_pk if chosen else "",
        "history": team_history(team),
        "join_root": request.build_absolute_uri(reverse("leaderboard:teams")),
    }
