"""The projects of a person, with how far each is."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Member, Project, Role
from annotation.selectors.progress import Own, Whole, own_progress, whole_progress
from leaderboard.models import User


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project; ``role`` and ``own`` are None for staff who are not in it."""

    project: Project
    role: Role | None
    own: Own | None
    whole: Whole


def project_rows(projects: Iterable[Project], user: User, now: datetime) -> list[ProjectRow]:
    """Describe projects to a person; eight queries for each (people have a few)."""
    roles = {row.project_id: Role(row.role) for row in Member.objects.filter(user=user)}
    return [
        ProjectRow(
            project=project,
            role=roles.get(project.pk),
            own=own_progress(project, user, now) if project.pk in roles else None,
            whole=whole_progress(project),
        )
        for project in projects
    ]
