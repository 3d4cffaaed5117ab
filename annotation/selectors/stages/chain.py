"""Which projects feed which."""

from annotation.models import Project


def earlier_stages(project: Project) -> list[Project]:
    """The projects that feed a project, the nearest first."""
    found: list[Project] = []
    source = project.source_id
    while source is not None and source not in {project.pk, *(row.pk for row in found)}:
        row = Project.objects.get(pk=source)
        found.append(row)
        source = row.source_id
    return found


def later_stages(project: Project) -> list[Project]:
    """The projects that a project feeds, each after its source."""
    found: list[Project] = []
    ahead = [project.pk]
    while ahead:
        known = {project.pk, *(row.pk for row in found)}
        rows = Project.objects.filter(source__in=ahead).exclude(pk__in=known).order_by("pk")
        found += rows
        ahead = [row.pk for row in rows]
    return found


def stages_of(project: Project) -> list[Project]:
    """All projects of the stages that a project is one of, in their order; itself if it is none."""
    first = next(iter(earlier_stages(project)[::-1]), project)
    return [first, *later_stages(first)]
