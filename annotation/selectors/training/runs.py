"""Trainings of a project as its pages and the API show them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.models import Annotation, Answer, Gold, Project, RunState, TrainingRun

OVER = (RunState.DONE, RunState.FAILED, RunState.CANCELLED)
MAIN_STAGE = "Training"


@dataclass(frozen=True, slots=True)
class EpochRow:
    """Loss and F1 after an epoch of a stage; None where there is none."""

    stage: str
    epoch: int
    epochs: int
    loss: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a training is; ``share`` of the present stage, 0 to 1, None before it began."""

    state: RunState
    stage: str
    epoch: int
    epochs: int
    share: float | None
    rows: tuple[EpochRow, ...]
    stopping: bool

    @property
    def over(self) -> bool:
        """Whether nothing more comes."""
        return self.state in OVER

    @property
    def several(self) -> bool:
        """Whether more than the training itself was told of."""
        return len({row.stage for row in self.rows}) > 1

    @property
    def latest(self) -> EpochRow | None:
        """The epoch that was told of last."""
        return self.rows[-1] if self.rows else None

    @property
    def between(self) -> bool:
        """Whether it has begun and waits for its next turn."""
        return self.state == RunState.WAITING and bool(self.rows)


def run_progress(run: TrainingRun) -> RunProgress:
    """Read what a training has told."""
    told: dict[str, Any] = run.told
    total = int(told.get("total") or 0)
    return RunProgress(
        state=RunState(run.state),
        stage=str(told.get("stage", "")),
        epoch=int(told.get("epoch") or 0),
        epochs=int(told.get("epochs") or 0),
        share=min(1.0, int(told.get("done") or 0) / total) if total else None,
        rows=tuple(_row(row) for row in told.get("rows", []) if row.get("ended")),
        stopping=run.state == RunState.RUNNING and run.cancel_asked_at is not None,
    )


def _row(told: dict[str, Any]) -> EpochRow:
    return EpochRow(told["stage"], told["epoch"], told["epochs"], told["loss"], told["f1"])


def project_scores(run: TrainingRun) -> dict[str, Any] | None:
    """Scores on held-out captions by the project's inventory, None before they are measured."""
    report: dict[str, Any] = run.report
    found: dict[str, Any] | None = (report.get("inventories") or {}).get(run.project.scheme.slug)
    return found


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """A training in the list."""

    run: TrainingRun
    micro: float | None
    best: float | None

    @property
    def when(self) -> datetime:
        """When it ended, or was started."""
        return self.run.finished_at or self.run.created_at


def training_rows(project: Project) -> list[TrainingRow]:
    """List the trainings of a project, latest first."""
    runs = TrainingRun.objects.filter(project=project)
    runs = runs.select_related("labeller", "started_by", "data").defer("detail", "data__content")
    rows = []
    for run in runs.order_by("-number"):
        run.project = project
        scores = project_scores(run)
        told = [row.f1 for row in run_progress(run).rows if row.f1 is not None]
        rows.append(TrainingRow(run, scores["micro"] if scores else None, max(told, default=None)))
    return rows


def run_under_way(rows: Sequence[TrainingRow]) -> TrainingRun | None:
    """The training that waits or runs, if there is one."""
    return next((row.run for row in rows if row.run.state not in OVER), None)


def answerers_of(project: Project) -> list[tuple[int, str]]:
    """Id and name in the project of everyone who accepted a caption."""
    rows = Annotation.objects.filter(item__project=project, answer=Answer.ACCEPT).order_by()
    users = dict(rows.values_list("user", "user__username").distinct())
    names = dict(project.members.values_list("user", "name"))
    return [(pk, str(names.get(pk, users[pk]))) for pk in sorted(users)]


def has_gold(project: Project) -> bool:
    """Whether anything of a project is settled."""
    return Gold.objects.filter(item__project=project).exists()


def name_for(project: Project) -> str:
    """Propose a name for the labeller of the next training."""
    last = TrainingRun.objects.filter(project=project).order_by("-number").first()
    return f"{project.slug[:50]}-{(last.number if last else 0) + 1}"
