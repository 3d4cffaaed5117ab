"""The models of a project: its trainings, and starting one."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation import access, tasks
from annotation.forms.training import DataForm, OptionsForm
from annotation.models import Project, Role
from annotation.selectors.labels import label_book
from annotation.selectors.training.material import (
    TrainingSelection,
    fewest_captions,
    material_amount,
    training_material,
)
from annotation.selectors.training.runs import (
    answerers_of,
    has_gold,
    name_for,
    run_under_way,
    training_rows,
)
from annotation.services.projects import ProjectAct
from annotation.services.training.start import (
    MaterialRefused,
    TooManyCaptions,
    check_count,
    training_start,
)
from annotation.services.training.states import NothingToDo
from leaderboard.selectors.labellers.use import identity_in_use
from leaderboard.web.rate_limits import rate_limited
from leaderboard.web.requests import SignedInRequest, login_required_for_part_of
from scoring.errors import ScoringError


@login_required
@never_cache
@rate_limited("annotation.trainings", "20/m")
@require_http_methods(["GET", "HEAD", "POST"])
def models(request: SignedInRequest, project: str) -> HttpResponse:
    """List the trainings; managers start one."""
    found = access.project_for(request.user, project, role=Role.ADJUDICATOR)
    manages = access.has_role(request.user, found, Role.MANAGER)
    if request.method != "POST":
        return _page(request, found, *_forms(request, found)) if manages else _list(request, found)
    if not manages:
        raise Http404
    return _start(request, found)


@login_required_for_part_of("annotation:models")
@require_safe
@never_cache
def amount(request: SignedInRequest, project: str) -> HttpResponse:
    """Count what a training would learn from: a part of the page."""
    found = access.project_for(request.user, project, role=Role.MANAGER)
    form = _data_form(request, found, request.GET)
    context = {"project": found, **(_amount(found, form.chosen) if form.is_valid() else {})}
    return render(request, "annotation/training/_amount.html", context)


def _start(request: SignedInRequest, project: Project) -> HttpResponse:
    data, options = _forms(request, project, bound=True)
    if not (data.is_valid() and options.is_valid()):
        return _page(request, project, data, options, status=422)
    try:
        run = training_start(
            project=project,
            chosen=data.chosen,
            options=options.options,
            act=ProjectAct(request.user, timezone.now()),
        )
    except MaterialRefused as error:
        data.add_error(None, str(error))
        return _page(request, project, data, options, status=422)
    except NothingToDo as error:
        messages.error(request, str(error))
        return redirect("annotation:models", project=project.slug)
    tasks.training_enqueue(run)
    return redirect("annotation:training", project=project.slug, number=run.number)


def _forms(
    request: SignedInRequest, project: Project, *, bound: bool = False
) -> tuple[DataForm, OptionsForm]:
    told = request.POST if bound else None
    return _data_form(request, project, told), OptionsForm(told, name=name_for(project))


def _data_form(request: SignedInRequest, project: Project, told: Any) -> DataForm:
    return DataForm(
        told,
        people=answerers_of(project),
        helpers=access.helpers_for(request.user, project),
        settled=has_gold(project),
    )


def _amount(project: Project, chosen: TrainingSelection) -> dict[str, Any]:
    try:
        check_count(project, chosen)
    except TooManyCaptions as error:
        return {"too_many": str(error)}
    found, book = material_amount(training_material(project, chosen)), label_book(project)
    return {
        "amount": found,
        "needed": fewest_captions(),
        "missing": found.missing(),
        "labels": [(book[row.name], row) for row in found.labels],
    }


def _list(
    request: SignedInRequest, project: Project, *, status: int = 200, **told: Any
) -> HttpResponse:
    rows = training_rows(project)
    context = {
        "project": project,
        "rows": rows,
        "under_way": run_under_way(rows),
        "in_use": _in_use(),
        "manages": False,
        **told,
    }
    return render(request, "annotation/training/models.html", context, status=status)


def _in_use() -> str:
    """Name the labeller in use; nothing where its files are gone, which the registry tells."""
    try:
        return identity_in_use()
    except ScoringError:
        return ""


def _page(
    request: SignedInRequest,
    project: Project,
    data: DataForm,
    options: OptionsForm,
    *,
    status: int = 200,
) -> HttpResponse:
    chosen = data.chosen if data.is_bound and data.is_valid() else data.first
    told = {"data_form": data, "options_form": options, "manages": True}
    return _list(request, project, status=status, **told, **_amount(project, chosen))
