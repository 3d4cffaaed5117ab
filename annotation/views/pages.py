"""How pages are shown, and what their addresses say."""

from collections.abc import Mapping
from typing import Any

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from annotation import access
from annotation.models import Member, Project, Role
from annotation.services.projects import ProjectAct
from leaderboard.web.requests import SignedInRequest


def act_of(request: SignedInRequest) -> ProjectAct:
    """Who does something, now."""
    return ProjectAct(request.user, timezone.now())


def show_page(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, status: int | None = None
) -> HttpResponse:
    """Show a page; where no status is given, it is 422 if a form on it has faults."""
    if status is None:
        forms = (one for one in context.values() if isinstance(one, BaseForm))
        status = 422 if any(form.errors for form in forms) else 200
    return render(request, f"annotation/{template}.html", context, status=status)


def managed(request: SignedInRequest, slug: str, *, any_kind: bool = False) -> Project:
    """A project that the asker manages, to label words unless ``any_kind`` will do."""
    return access.project_for(request.user, slug, role=Role.MANAGER, any_kind=any_kind)


def manage_page(
    request: SignedInRequest,
    project: Project,
    template: str,
    *,
    status: int | None = None,
    **shown: Any,
) -> HttpResponse:
    """Show a page; ``shown`` is what its template needs besides the project."""
    # What a refused form has set on the project is not how it stands.
    project.refresh_from_db()
    may_label = Member.objects.filter(project=project, user=request.user).exists()
    context = {"project": project, "may_label": may_label, **shown}
    return show_page(request, f"manage/{template}", context, status=status)


def whole_number(text: str | None) -> int | None:
    """The number that an address or a form has; None for none, and for more than databases keep."""
    good = text is not None and text.isascii() and text.isdigit() and len(text) < 19
    return int(text) if good and text else None
