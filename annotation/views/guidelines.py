"""The guidelines of a project: what holds, what changed since one's last visit, every version."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotation import access
from annotation.models import GuidelinesVersion, Member, Role
from annotation.selectors.guidelines import (
    GuidelinesChanges,
    guidelines_changes,
    guidelines_versions,
    last_looked_at,
    newest_guidelines,
)
from annotation.selectors.progress import project_progress
from annotation.services.guidelines import guidelines_note_read
from annotation.views.pages import whole_number
from leaderboard.web.requests import SignedInRequest, signed_in_page


@signed_in_page
def guidelines(request: SignedInRequest, project: str) -> HttpResponse:
    """Show what the labels mean, to everyone in the project, and note that they have read it.

    ``sheet`` in the address: that alone which the dialog of the labelling page shows.
    """
    found = access.project_for(request.user, project, any_kind=True)
    member = found.members.filter(user=request.user).first()
    newest = newest_guidelines(found)
    context: dict[str, Any] = {
        "project": found,
        "labels": found.labels,
        "newest": newest,
        "changes": _changes(request, newest, member),
    }
    if member is not None and newest is not None:
        guidelines_note_read(member=member, number=newest.number, now=timezone.now())
    if "sheet" in request.GET:
        return render(request, "annotation/projects/_guidelines_sheet.html", context)
    context |= {
        "whole": project_progress(found),
        "may_label": member is not None,
        "manages": access.has_role(request.user, found, Role.MANAGER),
        "versions": guidelines_versions(found),
    }
    return render(request, "annotation/projects/guidelines.html", context)


def _changes(
    request: HttpRequest, newest: GuidelinesVersion | None, member: Member | None
) -> GuidelinesChanges | None:
    """What the address asks for (``from``, ``to``), else what changed since the last visit."""
    if newest is None:
        return None
    project = newest.project
    before, after = (whole_number(request.GET.get(name)) for name in ("from", "to"))
    if before is not None:
        return guidelines_changes(project, before, newest.number if after is None else after)
    if member is None or not (looked := last_looked_at(member)):
        return None
    return guidelines_changes(project, looked, newest.number)
