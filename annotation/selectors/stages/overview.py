"""The stages of a project as its overview shows them."""

from collections.abc import Collection

from annotation.models import Project
from annotation.selectors.progress import project_progress
from annotation.selectors.stages.chain import stages_of
from annotation.selectors.stages.plan import outdated_items


def stages_overview(project: Project, managed: Collection[int]) -> dict[str, object] | None:
    """Read it; None of a project that neither feeds one nor is fed. ``managed`` are ids.

    ``rows`` are the stages in their order, each with how many are in it, how far it is, and
    whether the viewer manages it; ``outdated`` items of the shown one its source has otherwise.
    """
    stages = stages_of(project)
    if len(stages) < 2:
        return None
    rows = [
        {
            "project": row,
            "people": row.members.count(),
            "whole": project_progress(row),
            "manages": row.pk in managed,
        }
        for row in stages
    ]
    outdated = list(outdated_items(project).order_by("position").only("text"))
    return {"rows": rows, "outdated": outdated}
