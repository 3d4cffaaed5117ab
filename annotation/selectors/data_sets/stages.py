"""The projects that a data set came from, first to last, and what people did in each."""

from dataclasses import dataclass

from django.db.models import Count

from annotation.kinds.names import RATE, WRITE
from annotation.models import COUNTING, Annotation, Answer, Assignment, DataSet, Project, Sound
from annotation.selectors.stages.chain import earlier_stages


@dataclass(frozen=True, slots=True)
class Stage:
    """What was done in a project: how many people gave how many answers to how many items.

    ``asked`` is how many answers its items were to have, ``complete`` how many items have all.
    """

    project: Project
    people: int
    items: int
    answers: int
    asked: int
    complete: int

    @property
    def title(self) -> str:
        """What its work is."""
        return self.project.work_kind.title

    @property
    def coverage(self) -> float | None:
        """Share of the answers that it was to have, 0 to 1."""
        return min(1.0, self.answers / self.asked) if self.asked else None


def source_projects(data_set: DataSet) -> list[Project]:
    """The project that a data set came from and those before it, the first one first."""
    last = data_set.source
    return [] if last is None else [*earlier_stages(last)[::-1], last]


def stages_of(data_set: DataSet) -> list[Stage]:
    """What was done in each project, in four queries for each."""
    return [_stage(project) for project in source_projects(data_set)]


def _stage(project: Project) -> Stage:
    counting = Annotation.objects.filter(COUNTING, item__project=project).exclude(
        answer=Answer.IGNORE
    )
    done = counting.aggregate(answers=Count("pk"), people=Count("user", distinct=True))
    wanted = Assignment.objects.filter(project=project)
    items = project.items.count()
    open_items = wanted.filter(done=False).aggregate(n=Count("item", distinct=True))["n"]
    asked = wanted.count()
    return Stage(project, done["people"], items, done["answers"], asked, items - open_items)


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
