"""Trainings of labellers from a project's labels: starting them, and how far they are."""

from datetime import datetime
from typing import Any, Literal

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from ninja import Router, Schema
from pydantic import Field

from annotation import access, tasks
from annotation.file_responses import JSON_LINES, training_data_response
from annotation.models import Project, Role, TrainingRun
from annotation.selectors.training.material import LabelSource, TrainingSelection
from annotation.selectors.training.runs import (
    answerers_of,
    backbone_title,
    backbones,
    command_of,
    name_for,
    project_scores,
    run_progress,
    training_rows,
)
from annotation.services.projects import ProjectAct
from annotation.services.training.start import (
    MOST_BATCH,
    MOST_EPOCHS,
    TrainingOptions,
    training_start,
)
from annotation.services.training.states import training_cancel, training_retry
from leaderboard.web.api_auth import KNOWN, UserRequest
from leaderboard.web.api_errors import Problem
from leaderboard.web.rate_limits import Rate
from leaderboard.web.refusals import Refused
from scoring.captions.faults import in_quotes

_MOST = 2**31 - 1


class ChosenIn(Schema):
    """Which labels are learned from."""

    source: LabelSource = Field(
        LabelSource.GOLD, description='"gold" for what is settled, "accepted" for accepted answers.'
    )
    people: list[str] = Field(
        [], max_length=500, description="Names of members whose accepted answers; none: all."
    )
    leave_flagged: bool = Field(True, description="Leave out what was flagged.")
    projects: list[str] = Field(
        [], max_length=50, description="Projects that you manage, of other inventories, that help."
    )


class OptionsIn(Schema):
    """How the training goes."""

    name: str = Field(
        "",
        max_length=60,
        pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,59})?$",
        description="Of the labeller, as signatures have it; empty: made of the project's.",
    )
    method: Literal["lora", "head", "full"] = "lora"
    backbone: str = Field(
        "",
        max_length=500,
        description="Empty: the packaged encoder; else the name of one that is offered.",
    )
    epochs: int | None = Field(None, ge=1, le=MOST_EPOCHS, description="None: as usual.")
    rate: float | None = Field(None, gt=0, le=1, description="None: as usual for the method.")
    batch: int = Field(16, ge=1, le=MOST_BATCH, description="Captions at once.")
    seed: int = Field(1, ge=0, le=_MOST)
    held_out: Literal[0.1, 0.2, 0.25, 0.5] = Field(0.2, description="Share that is judged.")  # type: ignore[valid-type]
    folds: Literal[0, 3, 5, 10] = Field(0, description="0: no cross-validation.")
    curve: bool = Field(False, description="Also learn from parts of the captions.")
    learn_all: bool = Field(False, description="In the end learn from all captions.")


class TrainingIn(Schema):
    """A training to be started."""

    chosen: ChosenIn = Field(default_factory=lambda: ChosenIn.model_validate({}))
    options: OptionsIn = Field(default_factory=lambda: OptionsIn.model_validate({}))


class EpochOut(Schema):
    """An epoch that is over."""

    stage: str
    epoch: int
    epochs: int
    loss: float | None
    f1: float | None = Field(description="Token F1, micro, without O, on held-out captions.")


class TrainingOut(Schema):
    """A training, without what was measured."""

    number: int
    name: str
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    captions: int
    data_sha256: str = Field(description="Of the captions that it learns from, as they were kept.")
    micro: float | None = Field(description="Token F1, micro, without O, on held-out captions.")
    labeller: str | None = Field(description="The labeller that was registered, name@xxxxxxxx.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @classmethod
    def of(cls, run: TrainingRun) -> "TrainingOut":
        """Describe a training."""
        scores = project_scores(run)
        return cls.model_validate(
            {
                "number": run.number,
                "name": run.name,
                "state": run.state,
                "captions": run.data.captions,
                "data_sha256": run.data.sha256,
                "micro": scores["micro"] if scores else None,
                "labeller": run.labeller.identity if run.labeller else None,
                "created_at": run.created_at,
                "started_at": run.started_at,
                "finished_at": run.finished_at,
            }
        )


class TrainingDetailOut(TrainingOut):
    """A training with its progress, or with what was measured."""

    stage: str
    share: float | None = Field(description="Share of the work that is done, 0 to 1.")
    stopping: bool = Field(description="Someone asked to cancel it.")
    epochs: list[EpochOut]
    reason: str = Field(description="Why it failed.")
    advice: str = Field(description="What to do then.")
    options: dict[str, Any]
    command: str = Field(description="Trains the same from the downloaded captions.")
    report: dict[str, Any] | None = Field(
        description="What was measured; captions with errors for managers alone."
    )

    @classmethod
    def detailed(cls, run: TrainingRun, *, manages: bool) -> "TrainingDetailOut":
        """Describe a training to who manages the project, or only reads."""
        progress = run_progress(run)
        return cls(
            **TrainingOut.of(run).dict(),
            stage=progress.stage,
            share=progress.share,
            stopping=progress.stopping,
            epochs=[EpochOut.from_orm(row) for row in progress.rows],
            reason=run.reason,
            advice=run.advice,
            options={**run.options, "backbone": backbone_title(run.options["backbone"])},
            command=command_of(run),
            report=_report(run.report, manages=manages) if run.report else None,
        )


class TrainingsOut(Schema):
    """The trainings of a project, latest first."""

    trainings: list[TrainingOut]


def _report(report: dict[str, Any], *, manages: bool) -> dict[str, Any]:
    """A report, without captions to who may still label some of them."""
    if manages:
        return report
    parts = {
        part: {name: {**scores, "errors": []} for name, scores in (report.get(part) or {}).items()}
        for part in ("inventories", "folds")
    }
    return {**report, **parts, "folds": parts["folds"] or None}


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
    response={200: TrainingsOut},
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
    response={200: TrainingDetailOut, 409: Problem},
    operation_id="labelling_train",
    summary="Train a labeller from a project's labels",
)
def training_begin(request: UserRequest, project: str, asked: TrainingIn) -> TrainingDetailOut:
    """Keep the captions as they are and let a training wait for a worker; for managers."""
    found = access.project_for(request.auth, project, role=Role.MANAGER)
    chosen = _chosen(found, access.helpers_for(request.auth, found), asked.chosen)
    options = _options(found, asked.options)
    act = ProjectAct(request.auth, timezone.now())
    run = training_start(project=found, chosen=chosen, options=options, act=act)
    tasks.training_enqueue(run)
    return TrainingDetailOut.detailed(run, manages=True)


@router.get(
    "/labelling/{slug:project}/trainings/{int:number}",
    auth=KNOWN,
    response={200: TrainingDetailOut},
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
    response={200: TrainingDetailOut, 409: Problem},
    operation_id="labelling_training_cancel",
    summary="Cancel a training",
)
def training_end(request: UserRequest, project: str, number: int) -> TrainingDetailOut:
    """Cancel a training, at its next step where it runs; for managers."""
    run = access.training_to_change(request.auth, project, number)
    training_cancel(run=run, act=ProjectAct(request.auth, timezone.now()))
    return _detail(request, project, number)


@router.post(
    "/labelling/{slug:project}/trainings/{int:number}/again",
    auth=KNOWN,
    throttle=Rate("training", "20/m"),
    response={200: TrainingDetailOut, 409: Problem},
    operation_id="labelling_training_again",
    summary="Try a training again",
)
def training_again(request: UserRequest, project: str, number: int) -> TrainingDetailOut:
    """Let a training that failed or was cancelled go on; for managers."""
    run = access.training_to_change(request.auth, project, number)
    training_retry(run=run, act=ProjectAct(request.auth, timezone.now()))
    tasks.training_enqueue(run)
    return _detail(request, project, number)


@router.get(
    "/labelling/{slug:project}/trainings/{int:number}/data",
    auth=KNOWN,
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


def _chosen(project: Project, helpers: QuerySet[Project], choice: ChosenIn) -> TrainingSelection:
    """Find the people and the projects that are named, or refuse those that are not there."""
    known = {name: pk for pk, name in answerers_of(project)}
    strange = [name for name in choice.people if name not in known]
    if strange:
        raise Refused(f"Nobody called {in_quotes(strange[0])} has accepted a caption.", status=422)
    helping = {row.slug: row for row in helpers.filter(slug__in=choice.projects)}
    missing = [slug for slug in choice.projects if slug not in helping]
    if missing:
        detail = f"{in_quotes(missing[0])} is not a project with another inventory that you manage."
        raise Refused(detail, status=422)
    people = tuple(known[name] for name in dict.fromkeys(choice.people))
    return TrainingSelection(
        choice.source,
        people if choice.source == LabelSource.ACCEPTED else (),
        choice.leave_flagged,
        tuple(helping.values()),
    )


def _options(project: Project, choice: OptionsIn) -> TrainingOptions:
    if choice.backbone and choice.backbone not in backbones():
        raise Refused(f"The encoder {in_quotes(choice.backbone)} is not configured.", status=422)
    options = choice.dict()
    return TrainingOptions(**options | {"name": choice.name or name_for(project)})
