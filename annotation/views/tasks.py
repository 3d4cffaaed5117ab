"""The pages of those who label: their projects, the page itself, what they did, guidelines."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from annotation import access
from annotation.models import GuidelinesVersion, Member, Role
from annotation.selectors.against_gold import gold_figure, gold_points
from annotation.selectors.answers import answered_rows
from annotation.selectors.guidelines import (
    guidelines_changes,
    guidelines_versions,
    last_looked_at,
    newest_guidelines,
)
from annotation.selectors.labels import keys_of
from annotation.selectors.progress import own_progress, project_progress
from annotation.selectors.projects import project_rows
from annotation.selectors.relabelling import labels_since_earlier, scheme_name
from annotation.selectors.tasks import audio_origins
from annotation.services.projects import guidelines_note_read
from annotation.views.pages import whole_number
from leaderboard.access import may_see_labellers
from leaderboard.web.api_auth import NAMESPACE
from leaderboard.web.file_responses import allow_media_from
from leaderboard.web.requests import SignedInRequest, signed_in_page

AT_ONCE = 30


@login_required
@require_safe
def project_list(request: SignedInRequest) -> HttpResponse:
    """List one's projects."""
    every = access.projects_of(request.user).select_related("scheme")
    archived = request.GET.get("archived") == "yes"
    shown = every.filter(archived_at__isnull=not archived)
    rows = project_rows(shown, request.user, timezone.now())
    may_create = access.may_create_projects(request.user)
    context = {
        "rows": rows,
        "archived": archived,
        "has_archived": every.filter(archived_at__isnull=False).exists(),
        "may_create": may_create,
        "sees_data_sets": may_create or access.data_sets_of(request.user).exists(),
        "sees_labellers": may_see_labellers(request.user),
    }
    return render(request, "annotation/projects/projects.html", context)


@signed_in_page
@ensure_csrf_cookie
def label(request: SignedInRequest, project: str) -> HttpResponse:
    """Show the page on which captions are labelled; its captions come through the API."""
    member = access.membership_for(request.user, project)
    own = own_progress(member.project, member.user, timezone.now())
    if own.must_qualify:
        return redirect("annotation:qualification", project=member.project.slug)
    context = {
        "project": member.project,
        "labels": member.project.labels,
        "newest": newest_guidelines(member.project),
        "session_settings": session_settings(member),
        "own": own,
    }
    page = render(request, "annotation/tasks/label.html", context)
    return allow_media_from(request, page, audio_origins(member.project))


def session_settings(member: Member) -> dict[str, Any]:
    """Settings for the scripts of the labelling page, as plain JSON values."""
    project, page = member.project, reverse("annotation:label", args=[member.project.slug])
    login = f"{reverse('account_login')}?{urlencode({'next': page})}"
    return {
        "user": {"id": member.user_id, "name": member.user.get_username()},
        "project": {"slug": project.slug, "name": project.name},
        "kind": project.kind,
        "limits": dict(project.work_kind.options(project.kind_options)),
        "checks": project.work_kind.checks_text,
        "scheme": scheme_name(project.scheme),
        "earlier": labels_since_earlier(project),
        "keys": keys_of(member.user, project.scheme),
        "suggests": project.suggest,
        "threshold": project.suggestion_threshold,
        "labels": [
            {"name": label.name, "title": label.title, "key": label.key, "tone": label.tone}
            for label in project.labels
        ],
        "urls": {
            "api": reverse(f"{NAMESPACE}:tasks_at_hand", args=[project.slug]).removesuffix("tasks"),
            "page": page,
            "guidelines": reverse("annotation:guidelines", args=[project.slug]),
            "login": login,
            "logout": f"{reverse('account_logout')}?{urlencode({'next': login})}",
        },
    }


@signed_in_page
def history(request: SignedInRequest, project: str) -> HttpResponse:
    """List one's own answers, latest first."""
    member = access.membership_for(request.user, project)
    before = whole_number(request.GET.get("before"))
    day = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    points = gold_points(member.project, day, member.user)
    rows = answered_rows(member.project, member.user, before=before, limit=AT_ONCE + 1)
    return render(
        request,
        "annotation/answers/history.html",
        {
            "project": member.project,
            "rows": rows[:AT_ONCE],
            "earlier": rows[AT_ONCE - 1]["annotation"].pk if len(rows) > AT_ONCE else None,
            "is_first": before is None,
            "as_gold": gold_figure({"You": points.get(member.user_id, [])}),
        },
    )


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
) -> dict[str, Any] | None:
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
