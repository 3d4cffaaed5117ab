"""Closing a project and opening it again."""

from dataclasses import asdict

from django.db import transaction

from annotation.models import Project
from annotation.selectors.closing import lookers
from annotation.services.projects import ProjectAct
from annotation.services.uncounted import Recounted, uncounted_assign


@transaction.atomic
def project_set_closed(*, project: Project, closed: bool, act: ProjectAct) -> Recounted:
    """Close a project, so that no more captions are handed out, or open it again.

    While it is closed annotators can see what others say. Where none of them has looked, the
    closing is taken back whole when it is opened again, and no later answer is a late one.
    Every answer either counts before a closing or is kept without counting after it; opening
    again makes those count for which there is an assignment, and says how many.
    """
    members_wait(project)
    project.refresh_from_db(fields=["closed", "agreement_shown_at", "reopened_at"])
    if project.closed == closed:
        return Recounted()
    done = "close"
    if closed:
        project.agreement_shown_at = project.agreement_shown_at or act.now
    elif lookers(project).exists():
        project.reopened_at, done = act.now, "reopen"
    else:
        project.agreement_shown_at, done = None, "take-closing-back"
    project.closed = closed
    project.save(update_fields=["closed", "agreement_shown_at", "reopened_at"])
    if closed:
        act.note(done, project)
        return Recounted()
    recounted = uncounted_assign(project=project, now=act.now)
    act.note(done, project, **asdict(recounted))
    return recounted


def members_wait(project: Project) -> None:
    """Wait for answers on their way and for captions being handed out, and hold later ones up.

    Both lock their person's row before they look whether the project is closed. A lock of the
    project's own row instead would have the answers of different people wait for each other.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    list(project.members.select_for_update().order_by("pk").values_list("pk"))
