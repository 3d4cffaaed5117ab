"""Handing a project over, archiving and deleting it: for its owner alone."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotation import access
from annotation.models import Member, Project
from annotation.selectors.closing import closing_of
from annotation.selectors.project_contents import project_contents
from annotation.services.life_cycle import (
    project_archive,
    project_delete,
    project_hand_over,
    project_unarchive,
)
from annotation.views.manage import act_of
from annotation.views.pages import whole_number
from leaderboard.web.refusals import Refused, refusal_told
from leaderboard.web.requests import SignedInRequest, signed_in_act, signed_in_form


@signed_in_form()
def archive(request: SignedInRequest, project: str) -> HttpResponse:
    """Ask whether to archive a project or bring it back; do it when confirmed."""
    found = access.owned_project_for(request.user, project)
    if request.method != "POST":
        context = {"project": found, "closing": closing_of(found)}
        return render(request, "annotation/projects/archive.html", context)
    if request.POST.get("archived") == "no":
        project_unarchive(project=found, act=act_of(request))
        messages.success(request, "The project is back in the lists. It is still closed.")
    else:
        project_archive(project=found, act=act_of(request))
        messages.success(request, "The project is archived.")
    return redirect("annotation:manage-settings", project=found.slug)


@signed_in_form()
def delete(request: SignedInRequest, project: str) -> HttpResponse:
    """Say exactly what would go; delete the project where its name is written."""
    found = access.owned_project_for(request.user, project)
    fault, written = "", request.POST.get("name", "")
    if request.method == "POST":
        fault = _deleted(request, found, written)
        if not fault:
            messages.success(request, f"{found.name} is deleted.")
            return redirect("annotation:projects")
    context = {
        "project": found,
        "contents": project_contents(found),
        "fault": fault,
        "written": written,
    }
    status = 422 if fault else 200
    return render(request, "annotation/projects/delete.html", context, status=status)


def _deleted(request: SignedInRequest, project: Project, written: str) -> str:
    """Delete a project; returns why it was not, "" where it was."""
    if " ".join(written.split()) != project.name:
        return f"Write the project's name, {project.name}, to delete it."
    try:
        seen = request.POST.get("seen", "")
        project_delete(project=project, seen=seen, act=act_of(request))
    except Refused as refused:
        return str(refused)
    return ""


@signed_in_act()
def hand_over(request: SignedInRequest, project: str) -> HttpResponse:
    """Make another manager the owner."""
    found = access.owned_project_for(request.user, project)
    members = Member.objects.filter(project=found)
    member = get_object_or_404(members, pk=whole_number(request.POST.get("member")) or 0)
    with refusal_told(request):
        project_hand_over(project=found, to=member, act=act_of(request))
        messages.success(request, f"{member.name} owns the project now.")
    return redirect("annotation:manage-settings", project=found.slug)
