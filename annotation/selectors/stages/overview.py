"""The stages of a project as its overview shows them."""

from collections.abc import Collection
from dataclasses import dataclass

from annotation.models import Item, Project
from annotation.selectors.progress import ProjectProgress, project_progress
from annotation.selectors.stages.chain import stages_of
from annotation.selectors.stages.plan import outdated_items


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage, how many are in it, how far it is, and whether the viewer manages it."""

    project: Project
    people: int
    whole: ProjectProgress
    manages: bool


@dataclass(frozen=True, slots=True)
class StagesOverview:
    """The stages in their order, and the items of the shown one that its source has otherwise."""

    rows: list[StageRow]
    outdated: list[Item]


def stages_overview(project: Project, managed: Collection[int]) -> StagesOverview | None:
    """Read it; None of a project that neither feeds one nor is fed. ``managed`` are ids."""
    stages = stages_of(project)
    if len(stages) < 2:
        return None
    rows = [
        StageRow(row, row.members.count(), project_progress(row), row.pk in managed)
        for row in stages
    ]
    return StagesOverview(rows, list(outdated_items(project).order_by("position").only("text")))
