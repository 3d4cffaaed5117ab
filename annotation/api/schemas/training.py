"""Trainings of labellers."""

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import Field

from annotation.models import TrainingRun
from annotation.selectors.training.material import LabelSource
from annotation.selectors.training.runs import (
    backbone_title,
    command_of,
    project_scores,
    run_progress,
)
from annotation.services.training.start import MOST_BATCH, MOST_EPOCHS

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
        return cls(**_fields(run))


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
            **_fields(run),
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


def _fields(run: TrainingRun) -> dict[str, Any]:
    scores = project_scores(run)
    return {
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


def _report(report: dict[str, Any], *, manages: bool) -> dict[str, Any]:
    """A report, without captions to who may still label some of them."""
    if manages:
        return report
    parts = {
        part: {name: {**scores, "errors": []} for name, scores in (report.get(part) or {}).items()}
        for part in ("inventories", "folds")
    }
    return {**report, **parts, "folds": parts["folds"] or None}
