"""Trainings of labellers from a project's labels: starting them, and how far they are."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from ninja import Router

from annotation import access, tasks
from annotation.api.schemas.training import (
    ChosenIn,
    OptionsIn,
    TrainingDetailOut,
    TrainingIn,
    TrainingOut,
    TrainingsOut,
)
from annotation.file_responses import JSON_LINES, training_data_response
from annotation.models import Project, Role
from annotation.selectors.training.material import LabelSource, TrainingSelection
from annotation.selectors.training.runs import answerers_of, backbones, name_for, training_rows
from annotation.services.projects import ProjectAct
from annotation.services.training.start import MaterialRefused, TrainingOptions, training_start
from annotation.services.training.states import NothingToDo, training_cancel, training_retry
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import READ_ERRORS, WRITE_ERRORS, ApiError, Faulty, Problem
from leaderboard.web.rate_limits import Rate

router = Router(tags=["Labelling"])

_LINES: dict[str, Any] = {
    "responses": {
        200: {
            "description": "The captions",
            "content": {JSON_LINES: {"schema": {"type": "string", "format": "binary"}}},
        }
    }
}


@router.get(
    "/labelling/{slug:project}/trainings",
    auth=KNOWN,
    response={200: TrainingsOut, **READ_ERRORS},
    operation_id="labelling_trainings",
    summary="List the trainings of a project",
)
def training_list(request: UserRequest, project: str) -> TrainingsOut:
    """List the trainings, latest first; for adjudicators and managers."""
    found = access.project_for(request.auth, project, role=Role.ADJUDICATOR)
    return TrainingsOut(trainings=[TrainingOut.of(row.run) for row in training_rows(found)])


@router.post(
    "/labelling/{slug:project}/trainings",
    auth=KNOWN,
    throttle=Rate("training", "20/m"),
    response={200: TrainingDetailOut, **WRITE_ERRORS, 409: Problem, 422: Faulty},
    operation_id="labelling_train",
    summary="Train a labeller from a project's labels",
)
def training_begin(request: UserRequest, project: str, asked: TrainingIn) -> TrainingDetailOut:
    """Keep the captions as they are and let a training wait for a worker; for managers."""
    found = access.project_for(request.auth, project, role=Role.MANAGER)
    chosen = _chosen(found, access.helpers_for(request.auth, found), asked.chosen)
    options = _options(found, asked.options)
    act = ProjectAct(request.auth, timezone.now())
    try:
        run = training_start(project=found, chosen=chosen, options=options, act=act)
    except MaterialRefused as error:
        raise ApiError(422, str(error), faults=[]) from error
    except NothingToDo as error:
        raise ApiError(409, str(error)) from error
    tasks.training_enqueue(run)
    return TrainingDetailOut.detailed(run, manages=True)


@router.get(
    "/labelling/{slug:project}/trainings/{int:number}",
    auth=KNOWN,
    response={200: TrainingDetailOut, **READ_ERRORS},
    operation_id="labelling_training",
    summary="Read how far a training is, or what was measured",
)
def training_detail(request: UserRequest, project: str, number: int) -> TrainingDetailOut:
    """A training; captions with errors for managers alone."""
    run = access.training_for(request.auth, project, number)
    manages = access.has_role(request.auth, run.project, Role.MANAGER)
    return TrainingDetailOut.detailed(run, manages=manages)


@router.post(
    "/labelling/{slug:project}/trainings/{int:number}/cancel",
    auth=KNOWN,
    response={200: TrainingDetailOut, **WRITE_ERRORS, 409: Problem},
    operation_id="labelling_training_cancel",
    summary="Cancel a training",
)
def training_end(request: UserRequest, project: str, number: int) -> TrainingDetailOut:
    """Cancel a training, at its next step where it runs; for managers."""
    run = access.training_to_change(request.auth, project, number)
    try:
        training_cancel(run=run, act=ProjectAct(request.auth, timezone.now()))
    except NothingToDo as error:
        raise ApiError(409, str(error)) from error
    return _detail(request, project, number)


@router.post(
    "/labelling/{slug:project}/trainings/{int:number}/again",
    auth=KNOWN,
    throttle=Rate("training", "20/m"),
    response={200: TrainingDetailOut, **WRITE_ERRORS, 409: Problem},
    operation_id="labelling_training_again",
    summary="Try a training again",
)
def training_again(request: UserRequest, project: str, number: int) -> TrainingDetailOut:
    """Let a training that failed or was cancelled go on; for managers."""
    run = access.training_to_change(request.auth, project, number)
    try:
        training_retry(run=run, act=ProjectAct(request.auth, timezone.now()))
    except NothingToDo as error:
        raise ApiError(409, str(error)) from error
    tasks.training_enqueue(run)
    return _detail(request, project, number)


@router.get(
    "/labelling/{slug:project}/trainings/{int:number}/data",
    auth=KNOWN,
    response=READ_ERRORS,
    operation_id="labelling_training_data",
    summary="Read exactly the captions that a training learned from",
    openapi_extra=_LINES,
)
def training_data(request: UserRequest, project: str, number: int) -> HttpResponse:
    """Send JSON lines, as they were kept; for managers of every project in them."""
    return training_data_response(access.training_data_for(request.auth, project, number))


def _detail(request: UserRequest, project: str, number: int) -> TrainingDetailOut:
    run = access.training_to_change(request.auth, project, number)
    return TrainingDetailOut.detailed(run, manages=True)


def _chosen(project: Project, helpers: QuerySet[Project], asked: ChosenIn) -> TrainingSelection:
    """Find the people and the projects that are named, or refuse those that are not there."""
    known = {name: pk for pk, name in answerers_of(project)}
    strange = [name for name in asked.people if name not in known]
    if strange:
        raise ApiError(422, f"Nobody called {strange[0]!r} has accepted a caption.", faults=[])
    found = {one.slug: one for one in helpers.filter(slug__in=asked.projects)}
    missing = [slug for slug in asked.projects if slug not in found]
    if missing:
        said = f"{missing[0]!r} is no project of another inventory that you manage."
        raise ApiError(422, said, faults=[])
    people = tuple(known[name] for name in dict.fromkeys(asked.people))
    return TrainingSelection(
        asked.source,
        people if asked.source == LabelSource.ACCEPTED else (),
        asked.leave_flagged,
        tuple(found.values()),
    )


def _options(project: Project, asked: OptionsIn) -> TrainingOptions:
    if asked.backbone and asked.backbone not in backbones():
        raise ApiError(422, f"The encoder {asked.backbone!r} is not configured.", faults=[])
    told = asked.dict()
    return TrainingOptions(**told | {"name": asked.name or name_for(project)})
