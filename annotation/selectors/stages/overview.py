"""The stages of a project as its overview shows them."""

from collections.abc import Collection
from dataclasses import dataclass

from annotation.models import Project
from annotation.selectors.progress import ProjectProgress, project_progress
from annotation.selectors.stages.chain import stages_of
from annotation.selectors.stages.plan import StagePlan, stage_plan


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage, how far it is, and whether the viewer manages it."""

    project: Project
    whole: ProjectProgress
    manages: bool


@dataclass(frozen=True, slots=True)
class StagesOverview:
    """The stages in their order, and what brings the shown one up to date with its source."""

    rows: list[StageRow]
    plan: StagePlan


def stages_overview(project: Project, managed: Collection[int]) -> StagesOverview | None:
    """Read it; None of a project that neither feeds one nor is fed. ``managed`` are ids."""
    stages = stages_of(project)
    if len(stages) < 2:
        return None
    rows = [StageRow(row, project_progress(row), row.pk in managed) for row in stages]
    return StagesOverview(rows, stage_plan(project))
