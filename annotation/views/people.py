"""The people of a project: who is in it, letting in, roles, removing."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone

from annotation import access
from annotation.forms.people import MemberForm, ProjectInvitationForm, SessionForm
from annotation.kinds.names import RATE
from annotation.models import Member, Project, Role
from annotation.selectors.closing import member_work
from annotation.selectors.pace import MOST_ANSWERS, paces_of
from annotation.selectors.projects import member_rows, worker_names
from annotation.selectors.sessions import is_session, session_work
from annotation.selectors.stages.quality import project_quality, rater_agreement
from annotation.services.invitations import invitations_open
from annotation.services.projects import member_let_in, member_take_out
from annotation.services.sessions import session_give, session_take_back
from annotation.views.manage import act_of, manage_page, managed
from annotation.views.pages import form_page
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.refusals import refusal_in, refusal_told
from leaderboard.web.requests import SignedInRequest
from scoring.captions.faults import count_of


@form_page
@rate_limited("annotation.people", "30/m")
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
        messages.success(request, f"{member.name} is in the project: {role.label.lower()}.")
    return redirect("annotation:people", project=found.slug)


@form_page
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
            messages.success(request, f"{member.name} is out of the project. The work stays.")
        elif role in Role.values:
            member_let_in(project=found, user=member.user, role=Role(role), act=act_of(request))
            messages.success(request, f"{member.name}: {Role(role).label.lower()}.")
    # Who is no longer a manager cannot come back here.
    if not access.has_role(request.user, found, Role.MANAGER):
        return redirect("annotation:projects")
    return redirect("annotation:people", project=found.slug)


@form_page
@rate_limited("annotation.people", "30/m")
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
            messages.success(request, f"Of {member.name} again: {count_of(count, 'answer')}.")
            return redirect("annotation:people", project=found.slug)
    elif form.is_valid():
        to: Member = form.cleaned_data["member"]
        with refusal_in(form):
            count = session_give(session=member, to=to.user, act=act_of(request))
            messages.success(request, f"Now of {to.name}: {count_of(count, 'answer')}.")
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
        "paces": [(row, paces[row.member.user_id]) for row in rows if row.member.user_id in paces],
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
    quality, names = project_quality(project), worker_names(project)
    rows = [(names.get(user, ""), row) for user, row in quality.people.items()]
    return {
        "quality": quality,
        "quality_rows": sorted(rows, key=lambda row: row[0].casefold()),
        "agreement": rater_agreement(project) if project.kind == RATE else None,
    }
