"""Handing a project over, archiving it and deleting it; access lets its owner alone."""

from dataclasses import asdict, replace

from django.db import transaction

from annotation.models import Member, Project, Role, RunState, TrainingData, TrainingRun
from annotation.selectors.progress import members_with_captions_left
from annotation.selectors.project_contents import project_contents
from annotation.services.closing import members_wait, project_set_closed
from annotation.services.projects import ProjectAct
from annotation.services.sounds import sound_rows_remove
from leaderboard.models import User
from leaderboard.web.refusals import Refused


@transaction.atomic
def project_hand_over(*, project: Project, to: Member, act: ProjectAct) -> None:
    """Make another manager the owner."""
    locked = Project.objects.select_for_update().get(pk=project.pk)
    current = Member.objects.select_related("user").filter(pk=to.pk, project=locked).first()
    if current is None or current.role != Role.MANAGER or not current.user.is_active:
        raise Refused(
            "Only a manager can own a project. Choose a manager, or give this person that "
            "role first."
        )
    former = locked.owner
    locked.owner = project.owner = current.user
    locked.save(update_fields=["owner"])
    act.note("new-owner", locked, user=current.user.pk)
    if former == current.user:
        return
    by, name = act.actor.username, current.user.username
    text = (
        f"{by} handed {locked.name} over to you. You own it now, and only you can archive or "
        "delete it."
    )
    act.tell(locked, [current.user], text, page="manage-settings")
    if former is not None:
        # Who handed it over has it in writing.
        text = f"{locked.name} was handed over to {name}. You are still a manager of it."
        replace(act, actor=current.user).tell(locked, [former], text, page="manage")


@transaction.atomic
def project_archive(*, project: Project, act: ProjectAct) -> None:
    """Close a project where it is open, and take it out of the lists."""
    unfinished = members_with_captions_left(project, act.now)
    project_set_closed(project=project, closed=True, act=act)
    if Project.objects.filter(pk=project.pk, archived_at=None).update(archived_at=act.now) == 1:
        act.note("archive", project)
        text = f"{act.actor.username} archived {project.name}. You get no more captions of it. "
        act.tell(project, unfinished, f"{text}Your answers are kept.", page="history")


@transaction.atomic
def project_unarchive(*, project: Project, act: ProjectAct) -> None:
    """Bring a project back into the lists; it stays closed."""
    archived = Project.objects.filter(pk=project.pk, archived_at__isnull=False)
    if archived.update(archived_at=None) == 1:
        act.note("unarchive", project)


@transaction.atomic
def project_delete(*, project: Project, seen: str, act: ProjectAct) -> None:
    """Delete a project with all in it, and the people made for sessions of its files.

    Labellers trained from it stay. ``seen`` is the stamp of the contents that were looked at.
    Refused where they changed, and while a training goes on.
    """
    # Answers on their way are in it, or come too late.
    members_wait(project)
    locked = Project.objects.get(pk=project.pk)
    if project_contents(locked).stamp != seen:
        raise Refused("The project changed while you had the page open. Check the numbers again.")
    runs = TrainingRun.objects.filter(project=locked)
    if runs.filter(state__in=(RunState.WAITING, RunState.RUNNING)).exists():
        raise Refused("A training is running. Cancel it, or wait until it has ended.")
    data = list(runs.values_list("data", flat=True))
    # A slash stands in no user name that people can choose: these were made for this project.
    made = User.objects.filter(
        labelling_memberships__project=locked,
        is_active=False,
        username__startswith=f"{locked.slug}/",
    )
    nobody = list(made.values_list("pk", flat=True))
    act.note("delete", locked, name=locked.name, **asdict(project_contents(locked)))
    text = f"{act.actor.username} deleted {locked.name} with all captions and answers in it."
    act.tell(locked, members_with_captions_left(locked, act.now), text, page="")
    sound_rows_remove(locked)
    locked.delete()
    TrainingData.objects.filter(pk__in=data, runs=None).delete()
    User.objects.filter(pk__in=nobody, labelling_memberships=None, annotations=None).delete()
