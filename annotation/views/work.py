"""Projects whose work is another than labelling words: making one, reading its answers."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access
from annotation.file_responses import download_response
from annotation.forms.work import NewWorkForm
from annotation.kinds.registry import work_kinds
from annotation.kinds.work_kind import items_page
from annotation.models import Project, Scheme
from annotation.selectors.work_files import files_of, work_file
from annotation.selectors.work_items import work_items
from annotation.services.projects import project_start
from annotation.services.schemes import scheme_started
from annotation.views.manage import act_of, manage_page, managed
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.requests import SignedInRequest

AT_ONCE = 50


@login_required
@never_cache
@rate_limited("annotation.files", "30/m")
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: SignedInRequest, kind: str) -> HttpResponse:
    """Show the form of a kind of work; make a project, and go on to what it is on."""
    wanted = work_kinds().get(kind)
    if wanted is None or wanted.has_labels or not access.may_create_projects(request.user):
        raise Http404
    form = NewWorkForm(request.POST if request.method == "POST" else None, kind=wanted)
    if not (form.is_bound and form.is_valid()):
        status = 422 if form.is_bound else 200
        context = {"form": form, "kind": wanted}
        return render(request, "annotation/projects/new_work.html", context, status=status)
    project = _made(request, form)
    messages.success(request, f"{project.name} is ready. Bring in the {wanted.items}.")
    return redirect(f"annotation:{items_page(wanted)}", project=project.slug)


@transaction.atomic
def _made(request: SignedInRequest, form: NewWorkForm) -> Project:
    act, settings = act_of(request), form.settings
    nothing = Scheme(title=form.kind.title, labels=[])
    scheme = scheme_started(scheme=nothing, settings=settings, act=act)
    return project_start(settings=settings, scheme=scheme, act=act, work=form.work)


@login_required
@require_safe
@never_cache
def answers(request: SignedInRequest, project: str) -> HttpResponseBase:
    """List what was answered, item by item, to managers; ``?format=`` sends a file of it."""
    found = managed(request, project, any_kind=True)
    if found.work_kind.has_labels:
        raise Http404
    if wanted := request.GET.get("format"):
        if wanted not in files_of(found):
            raise Http404
        return download_response(work_file(found, wanted))
    page = Paginator(found.items.order_by("position"), AT_ONCE).get_page(request.GET.get("page"))
    return manage_page(
        request,
        found,
        "answers",
        page=page,
        rows=work_items(found, page.object_list),
        formats=files_of(found),
    )
