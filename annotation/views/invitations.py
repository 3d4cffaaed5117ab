"""Invitations into a project: making a link, withdrawing it, joining by it."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation.forms.people import ProjectInvitationForm
from annotation.models import Invitation, Member, Project, Role
from annotation.selectors.sessions import is_session, session_work
from annotation.services.invitations import (
    invitation_accept,
    invitation_create,
    invitation_find,
    invitation_withdraw,
)
from annotation.views.manage import act_of, managed
from annotation.views.pages import form_page, post_only, whole_number
from annotation.views.people import people_page
from leaderboard.web.invitations import invitation_mail, link_invalid
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import SignedInRequest


@form_page
@rate_limited("annotation.people", "30/m")
@rate_limited("leaderboard.invitations", "100/d")
def invite(request: SignedInRequest, project: str) -> HttpResponse:
    """Make an invitation; its link is on this one page, and in the mail where one was asked for."""
    found = managed(request, project, any_kind=True)
    if request.method != "POST":
        return redirect("annotation:people", project=found.slug)
    form = ProjectInvitationForm(request.POST, session=_session(request, found))
    if not form.is_valid():
        return people_page(request, found, invitation_form=form)
    try:
        token = invitation_create(project=found, terms=form.terms, act=act_of(request))
    except Refused as error:
        form.add_error(None, str(error))
        return people_page(request, found, invitation_form=form)
    # Not from the request, whose host the sender may have made up.
    link = f"{settings.SITE_URL}{reverse('annotation:join', args=[token])}"
    if form.terms.email:
        invitation_mail(
            request,
            email=form.terms.email,
            subject=f"Label captions of {found.name}",
            template="annotation/invitations/email.txt",
            context={"project": found, "terms": form.terms, "link": link},
        )
    return people_page(request, found, link=link, terms=form.terms)


def _session(request: SignedInRequest, project: Project) -> Member | None:
    """The session of a file whose work goes to who joins, where the form names one."""
    rows = project.members.select_related("user").filter(given_at=None)
    found = rows.filter(pk=whole_number(request.POST.get("session")) or 0).first()
    return found if found is not None and is_session(found) else None


@post_only
def withdraw(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Take an invitation back."""
    found = managed(request, project, any_kind=True)
    rows = Invitation.objects.select_related("project")
    invitation_withdraw(
        invitation=get_object_or_404(rows, project=found, pk=pk), act=act_of(request)
    )
    messages.success(request, "The invitation no longer works.")
    return redirect("annotation:people", project=found.slug)


@form_page
@rate_limited("annotation.join", "20/m")
def join(request: SignedInRequest, token: str) -> HttpResponse:
    """Show whose invitation this is; accept it when confirmed."""
    now = timezone.now()
    try:
        if request.method == "POST":
            project = invitation_accept(token=token, user=request.user, now=now)
            messages.success(request, f"You are in {project.name}.")
            return redirect("annotation:guidelines", project=project.slug)
        invitation = invitation_find(token=token, user=request.user, now=now)
    except Refused as error:
        return link_invalid(request, error, back="annotation:projects", label="Your projects")
    member = invitation.project.members.filter(user=request.user).first()
    context = {
        "invitation": invitation,
        "project": invitation.project,
        "role": Role(invitation.role).label.lower(),
        "member": member,
        "work": session_work(invitation.session) if invitation.session else None,
    }
    return render(request, "annotation/invitations/join.html", context)
