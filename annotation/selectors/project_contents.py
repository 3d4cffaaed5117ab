"""What is in a project, counted: what would go with it."""

from dataclasses import astuple, dataclass

from annotation.models import Annotation, Gold, Import, Item, Member, Project, Sound, TrainingRun


@dataclass(frozen=True, slots=True)
class ProjectContents:
    """How much of everything there is, of removed captions too.

    ``answers`` are all of them, whether they count or not.
    """

    captions: int
    answers: int
    settled: int
    people: int
    imports: int
    sounds: int
    trainings: int

    @property
    def stamp(self) -> str:
        """Change with every number."""
        return "-".join(map(str, astuple(self)))


def project_contents(project: Project) -> ProjectContents:
    """Count it, in seven queries."""
    return ProjectContents(
        captions=Item.with_removed.filter(project=project).count(),
        answers=Annotation.with_removed.filter(item__project=project, test=False).count(),
        settled=Gold.with_removed.filter(item__project=project).count(),
        people=Member.objects.filter(project=project).count(),
        imports=Import.objects.filter(project=project).count(),
        sounds=Sound.objects.filter(project=project).count(),
        trainings=TrainingRun.objects.filter(project=project).count(),
    )
