"""The projects that a data set came from, first to last, and what people did in each."""

from typing import Any

from django.db.models import Count

from annotation.kinds.names import RATE, WRITE
from annotation.models import COUNTING, Annotation, Answer, Assignment, DataSet, Project, Sound
from annotation.selectors.stages.chain import earlier_stages
from annotation.selectors.stages.ratings import rater_agreement


def source_projects(data_set: DataSet) -> list[Project]:
    """The project that a data set came from and those before it, the first one first."""
    last = data_set.source
    return [] if last is None else [*earlier_stages(last)[::-1], last]


def stage_done(project: Project) -> dict[str, Any]:
    """What was done in a project, as a data card has it, in four queries.

    ``answers_asked`` is how many answers its items were to have, ``coverage`` the share of these
    that there are, 0 to 1, ``complete`` how many items have all. ``agreement`` says how far raters
    agree on each scale; it is empty in other kinds of work.
    """
    counting = Annotation.objects.filter(COUNTING, item__project=project).exclude(
        answer=Answer.IGNORE
    )
    done = counting.aggregate(answers=Count("pk"), people=Count("user", distinct=True))
    wanted = Assignment.objects.filter(project=project)
    items = project.items.count()
    open_items = wanted.filter(done=False).aggregate(n=Count("item", distinct=True))["n"]
    assignments = wanted.count()
    alphas = rater_agreement(project) if project.kind == RATE else {}
    return {
        "work": project.work_kind.title,
        "people": done["people"],
        "items": items,
        "answers": done["answers"],
        "answers_asked": assignments,
        "coverage": min(1.0, done["answers"] / assignments) if assignments else None,
        "complete": items - open_items,
        "agreement": [
            {"scale": scale, "alpha": alpha.value, "captions": alpha.n}
            for scale, alpha in alphas.items()
        ],
    }


def captions_asked(data_set: DataSet) -> int | None:
    """How many captions each clip was to have: those kept by ratings, else those written.

    None where nothing of that was asked for on this site.
    """
    for project in reversed(source_projects(data_set)):
        if project.kind == RATE:
            keep: int = project.work_kind.options(project.kind_options)["keep"]
            return keep
        if project.kind == WRITE:
            return project.copies
    return None


def sounds_of(data_set: DataSet) -> dict[str, Sound]:
    """The recordings of the projects that a data set came from, by name; later ones win."""
    projects = source_projects(data_set)
    order = {project.pk: at for at, project in enumerate(projects)}
    rows = Sound.objects.filter(project__in=order)
    return {
        row.file_name: row for row in sorted(rows, key=lambda row: (order[row.project_id], row.pk))
    }
