"""Who runs a challenge: letting others in, and joining by an invitation."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from leaderboard import access
from leaderboard.forms.people import OrganiserForm
from leaderboard.models import Challenge, OrganiserInvitation, User
from leaderboard.services.organising import organisers as services
from leaderboard.services.people.teams import INVITATION_LASTS
from leaderboard.tasks import notices_enqueue
from leaderboard.views.pages import form_rendered
from leaderboard.web.invitations import invitation_mail, link_invalid
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import Refused, refusal_told
from leaderboard.web.requests import SignedInRequest
from leaderboard.web.signed_in import signed_in_act, signed_in_form


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
    added = services.organiser_add(
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
        made = services.organiser_invite(
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


@signed_in_act()
def person_remove(request: SignedInRequest, challenge: str, pk: int) -> HttpResponse:
    """Take an organiser out, or leave."""
    found = access.organised_challenge_for(request.user, challenge)
    user = get_object_or_404(found.organisers, pk=pk)
    with refusal_told(request):
        services.organiser_remove(
            challenge=found, user=user, actor=request.user, now=timezone.now()
        )
        gone = "" if user == request.user else " Open invitations no longer work."
        messages.success(request, f"{user.get_username()} no longer organises {found.title}.{gone}")
    if access.is_organiser(request.user, found):
        return redirect("leaderboard:manage-people", challenge=found.slug)
    return redirect("leaderboard:manage")


@signed_in_act()
def invitation_revoke(request: SignedInRequest, challenge: str, pk: int) -> HttpResponse:
    """Take an invitation back."""
    found = access.organised_challenge_for(request.user, challenge)
    invitation = get_object_or_404(
        OrganiserInvitation.objects.select_related("challenge"), challenge=found, pk=pk
    )
    services.organiser_invitation_revoke(
        invitation=invitation, actor=request.user, now=timezone.now()
    )
    messages.success(request, "The invitation no longer works.")
    return redirect("leaderboard:manage-people", challenge=found.slug)


@signed_in_form("leaderboard.people", "20/m")
def join(request: SignedInRequest, token: str) -> HttpResponse:
    """Show whose invitation this is; accept it when confirmed."""
    now = timezone.now()
    try:
        if request.method == "POST":
            challenge = services.organiser_invitation_accept(
                token=token, user=request.user, now=now
            )
            messages.success(request, f"You are an organiser of {challenge.title}.")
            return redirect("leaderboard:manage-overview", challenge=challenge.slug)
        invitation = services.organiser_invitation_find(token=token, now=now)
    except Refused as gone:
        return link_invalid(request, gone, back="leaderboard:home", label="See the challenges")
    return render(request, "leaderboard/organising/organiser_join.html", {"invitation": invitation})
