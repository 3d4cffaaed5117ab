"""The projects that a data set came from, first to last, and what people did in each."""

from dataclasses import dataclass

from django.db.models import Count

from annotation.agreement.ordinal import ordinal_alpha
from annotation.kinds.names import RATE, WRITE
from annotation.kinds.rate import HIGHEST, LOWEST, SCALES
from annotation.models import COUNTING, Annotation, Answer, Assignment, DataSet, Project, Sound
from annotation.selectors.stages.ratings import ratings_of

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """Krippendorff's alpha of the ratings on a scale, over ``captions`` that several rated."""

    scale: str
    alpha: float | None
    captions: int


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
    found: list[Project] = []
    project = data_set.source
    while project is not None and project not in found:
        found.append(project)
        project = project.source
    return found[::-1]


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


def rater_agreement(project: Project) -> list[RaterAgreement]:
    """How far the raters of a project agree, on each scale; nothing in other kinds of work."""
    if project.kind != RATE:
        return []
    units: list[list[tuple[int, int]]] = []
    items = list(project.items.order_by("position"))
    for start in range(0, len(items), AT_ONCE):
        for captions in ratings_of(items[start : start + AT_ONCE]).values():
            units += captions.values()
    found = []
    for place, scale in enumerate(SCALES):
        numbers = [[rating[place] for rating in unit] for unit in units]
        alpha = ordinal_alpha(numbers, lowest=LOWEST, highest=HIGHEST, resamples=100)
        found.append(RaterAgreement(scale, alpha.value, alpha.n))
    return found


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
