"""The people of a project: who is in it, letting in, inviting by links, roles, removing."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation import access
from annotation.forms.people import MemberForm, ProjectInvitationForm, SessionForm
from annotation.kinds.names import RATE
from annotation.models import Invitation, Member, Project, Role
from annotation.selectors.closing import member_work
from annotation.selectors.people import is_session, session_work
from annotation.selectors.progress import MOST_ANSWERS, paces_of
from annotation.selectors.projects import member_rows, worker_names
from annotation.selectors.stages.ratings import project_quality, rater_agreement
from annotation.services.invitations import (
    invitation_accept,
    invitation_create,
    invitation_find,
    invitation_withdraw,
    invitations_open,
)
from annotation.services.people import session_give, session_take_back
from annotation.services.projects import member_let_in, member_take_out
from annotation.views.pages import act_of, manage_page, managed, whole_number
from earmark.captions.faults import count_of
from leaderboard.web.mail import invitation_mail, link_invalid
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import Refused, refusal_in, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form


@signed_in_form("annotation.people", "30/m")
def people(request: SignedInRequest, project: str) -> HttpResponse:
    """Show who is in a project; let someone in."""
    found = managed(request, project, any_kind=True)
    if request.method != "POST":
        return people_page(request, found)
    form = MemberForm(request.POST)
    if not form.is_valid() or form.user is None:
        return people_page(request, found, member_form=form)
    role = Role(form.cleaned_data["role"])
    with refusal_told(request):
        member = member_let_in(project=found, user=form.user, role=role, act=act_of(request))
        messages.success(request, f"{member.name} was added: {role.label.lower()}.")
    return redirect("annotation:people", project=found.slug)


@signed_in_form()
def member_change(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Ask whether to remove a member; change the role, or remove them when confirmed."""
    found = managed(request, project, any_kind=True)
    member = get_object_or_404(
        Member.objects.select_related("project", "user"), project=found, pk=pk
    )
    if request.method != "POST":
        context = {"project": found, "member": member, "work": member_work(member)}
        return render(request, "annotation/projects/member_remove.html", context)
    role = request.POST.get("role", "")
    with refusal_told(request):
        if "remove" in request.POST:
            member_take_out(member=member, act=act_of(request))
            messages.success(request, f"{member.name} was removed. The work stays.")
        elif role in Role.values:
            member_let_in(project=found, user=member.user, role=Role(role), act=act_of(request))
            messages.success(request, f"{member.name}: {Role(role).label.lower()}.")
    # Who is no longer a manager cannot come back here.
    if not access.has_role(request.user, found, Role.MANAGER):
        return redirect("annotation:projects")
    return redirect("annotation:people", project=found.slug)


@signed_in_form("annotation.people", "30/m")
def session(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Ask whom a session's work goes to, or whether to take it back; do it when chosen."""
    found = managed(request, project, any_kind=True)
    rows = Member.objects.select_related("project", "user", "given_to")
    member = get_object_or_404(rows, project=found, pk=pk)
    if not is_session(member):
        raise Http404
    form = SessionForm(request.POST if "give" in request.POST else None, project=found)
    if "back" in request.POST:
        with refusal_told(request):
            count = session_take_back(session=member, act=act_of(request))
            messages.success(request, f"Given back to {member.name}: {count_of(count, 'answer')}.")
            return redirect("annotation:people", project=found.slug)
    elif form.is_valid():
        to: Member = form.cleaned_data["member"]
        with refusal_in(form):
            count = session_give(session=member, to=to.user, act=act_of(request))
            messages.success(request, f"Given to {to.name}: {count_of(count, 'answer')}.")
            return redirect("annotation:people", project=found.slug)
    context = {
        "project": found,
        "member": member,
        "work": session_work(member),
        "form": form,
        "invitation_form": ProjectInvitationForm(session=member),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "annotation/projects/session.html", context, status=status)


def people_page(request: SignedInRequest, project: Project, **shown: Any) -> HttpResponse:
    """Show the page; ``shown`` are forms with faults, and a link that was just made."""
    paces, rows = paces_of(project), member_rows(project, timezone.now())
    context = {
        "members": rows,
        "one": project.work_kind.items.removesuffix("s"),
        "paces": [(row, paces[pk]) for row in rows if (pk := row["member"].user_id) in paces],
        "most_answers": MOST_ANSWERS,
        "roles": Role.choices,
        "member_form": MemberForm(),
        "invitations": invitations_open(timezone.now())
        .filter(project=project)
        .select_related("created_by", "session"),
        "invitation_form": ProjectInvitationForm(),
        **_quality(project),
        **shown,
    }
    return manage_page(request, project, "people", **context)


def _quality(project: Project) -> dict[str, Any]:
    """What the page says of the quality of work, nothing where words are labelled."""
    if project.work_kind.has_labels:
        return {}
    (people, medians), names = project_quality(project), worker_names(project)
    rows = [(names.get(user, ""), row) for user, row in people.items()]
    return {
        "quality": medians,
        "quality_rows": sorted(rows, key=lambda row: row[0].casefold()),
        "agreement": rater_agreement(project) if project.kind == RATE else None,
    }


@signed_in_form("annotation.people", "30/m")
@rate_limited("leaderboard.invitations", "100/d")
def invite(request: SignedInRequest, project: str) -> HttpResponse:
    """Make an invitation; its link is on this one page, and in the mail where one was asked for."""
    found = managed(request, project, any_kind=True)
    if request.method != "POST":
        return redirect("annotation:people", project=found.slug)
    form = ProjectInvitationForm(request.POST, session=_session(request, found))
    token = None
    if form.is_valid():
        with refusal_in(form):
            token = invitation_create(project=found, terms=form.terms, act=act_of(request))
    if token is None:
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
    member = rows.filter(pk=whole_number(request.POST.get("session")) or 0).first()
    return member if member is not None and is_session(member) else None


@signed_in_act()
def withdraw(request: SignedInRequest, project: str, pk: int) -> HttpResponse:
    """Take an invitation back."""
    found = managed(request, project, any_kind=True)
    rows = Invitation.objects.select_related("project")
    invitation_withdraw(
        invitation=get_object_or_404(rows, project=found, pk=pk), act=act_of(request)
    )
    messages.success(request, "The invitation no longer works.")
    return redirect("annotation:people", project=found.slug)


@signed_in_form("annotation.join", "20/m")
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
