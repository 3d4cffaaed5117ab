"""Who is in a team: inviting, joining, roles, leaving."""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from leaderboard import access, tasks
from leaderboard.forms.people import InvitationForm
from leaderboard.models import Membership, TeamInvitation, TeamRole
from leaderboard.services.people import teams
from leaderboard.views.pages import asked_rendered, refusal_shown
from leaderboard.web.invitations import link_invalid
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import Refused, refusal_in, refusal_told
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.signed_in import signed_in_act, signed_in_form

RATE = ("leaderboard.teams", "20/m")
# Who is invited may get a mail, in which the name of the team stands.
INVITATIONS = ("leaderboard.invitations", "100/d")


@signed_in_act(*RATE)
@rate_limited(*INVITATIONS)
def team_invite(request: SignedInRequest, team: str) -> HttpResponse:
    """Invite somebody by name or, where none is given, make a link that anybody may use."""
    found = access.owned_team_for(request.user, team)
    now = timezone.now()
    if "username" not in request.POST:
        with refusal_told(request):
            teams.invitation_create(team=found, actor=request.user, now=now)
            messages.success(request, "Copy the link below and send it to those who should join.")
        return redirect("leaderboard:team", team=found.slug)
    form = InvitationForm(request.POST)
    if form.is_valid():
        with refusal_in(form):
            sent = teams.invitation_send(
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


@signed_in_act()
def team_revoke(request: SignedInRequest, team: str, pk: int) -> HttpResponse:
    """Make an invitation useless."""
    found = access.owned_team_for(request.user, team)
    invitation = get_object_or_404(TeamInvitation, team=found, pk=pk)
    teams.invitation_revoke(invitation=invitation, actor=request.user, now=timezone.now())
    messages.success(request, "The invitation no longer works.")
    return redirect("leaderboard:team", team=found.slug)


@signed_in_form(*RATE)
def team_join(request: SignedInRequest, token: str) -> HttpResponse:
    """Show whose invitation this is; join when confirmed."""
    now = timezone.now()
    try:
        if request.method == "POST":
            team = teams.invitation_accept(token=token, user=request.user, now=now)
            tasks.notices_enqueue()
            messages.success(request, f"You are now a member of {team.name}.")
            return redirect("leaderboard:team", team=team.slug)
        invitation = teams.invitation_find(token=token, user=request.user, now=now)
    except Refused as invalid:
        return link_invalid(request, invalid, back="leaderboard:teams", label="Your teams")
    team = invitation.team
    context = {
        "team": team,
        "invitation": invitation,
        "member": access.is_member(request.user, team.pk),
    }
    return render(request, "leaderboard/people/team_join.html", context)


@signed_in_act(*RATE)
def team_decline(request: SignedInRequest, token: str) -> HttpResponse:
    """Turn down an invitation to oneself."""
    now = timezone.now()
    try:
        team = teams.invitation_decline(token=token, user=request.user, now=now)
    except Refused as invalid:
        return link_invalid(request, invalid, back="leaderboard:teams", label="Your teams")
    tasks.notices_enqueue()
    messages.success(request, f"You declined to join {team.name}.")
    return redirect("leaderboard:teams")


@signed_in_act(*RATE)
def member_role(request: SignedInRequest, team: str, pk: int) -> HttpResponse:
    """Make a member an owner, or an owner a member."""
    membership = access.managed_membership_for(request.user, team, pk)
    role = TeamRole.OWNER if request.POST.get("role") == TeamRole.OWNER else TeamRole.MEMBER
    with refusal_told(request):
        teams.role_set(membership=membership, role=role, actor=request.user, now=timezone.now())
        tasks.notices_enqueue()
        name = "an owner" if role == TeamRole.OWNER else "a member"
        messages.success(request, f"{membership.user.username} is now {name}.")
    return redirect("leaderboard:team", team=membership.team.slug)


@signed_in_form(*RATE)
def member_remove(request: SignedInRequest, team: str, pk: int) -> HttpResponse:
    """Ask whether to take somebody out of a team; do it when confirmed."""
    membership = access.managed_membership_for(request.user, team, pk)
    done = f"{membership.user.username} is no longer in the team."
    remove = partial(teams.member_remove, membership=membership, actor=request.user)
    return _when_confirmed(request, "remove", membership, remove, done)


@signed_in_form(*RATE)
def team_hand_over(request: SignedInRequest, team: str, pk: int) -> HttpResponse:
    """Ask whether to make another member the owner in one's place; do it when confirmed."""
    heir = access.managed_membership_for(request.user, team, pk)
    done = f"{heir.user.username} owns {heir.team.name} now; you are a member."
    hand_over = partial(teams.team_hand_over, to=heir, actor=request.user)
    return _when_confirmed(request, "hand_over", heir, hand_over, done)


@signed_in_form(*RATE)
def team_leave(request: SignedInRequest, team: str) -> HttpResponse:
    """Ask whether to leave a team, or to dissolve it where one is alone; do it when confirmed."""
    membership = access.own_membership_for(request.user, team)
    alone = membership.team.memberships.count() == 1
    dissolves = "dissolve" in request.POST
    leave = teams.team_dissolve if dissolves else teams.team_leave
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
