"""Changing a project's settings, closing and opening it; handing over, archiving, deleting it.

Access lets the owner alone do what follows closing.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime

from django.db import transaction

from annotation.models import (
    PRESENT,
    Annotation,
    Assignment,
    Member,
    Project,
    Role,
    TrainingData,
    TrainingRun,
)
from annotation.selectors.closing import contents_stamp, lookers, project_contents
from annotation.selectors.progress import members_with_captions_left
from annotation.services.projects import ProjectAct, ProjectSettings, guidelines_keep
from annotation.services.sounds import sound_rows_remove
from leaderboard.models import User
from leaderboard.models.leased_job import UNDER_WAY
from leaderboard.web.refusals import Refused

Fits = Callable[[Assignment, Annotation], bool]


@transaction.atomic
def project_set_closed(*, project: Project, closed: bool, act: ProjectAct) -> tuple[int, int]:
    """Close a project, so that no more captions are handed out, or open it again.

    While it is closed annotators can see what others say. Where none of them has looked, the
    closing is taken back whole when it is opened again, and no later answer is a late one.
    Every answer either counts before a closing or is kept without counting after it; opening
    again makes those count for which there is an assignment; says how many, and how many still
    do not count.
    """
    members_wait(project)
    project.refresh_from_db(fields=["closed", "agreement_shown_at", "reopened_at"])
    if project.closed == closed:
        return 0, 0
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
        return 0, 0
    counted, uncounted = uncounted_assign(project=project, now=act.now)
    act.note(done, project, counted=counted, uncounted=uncounted)
    return counted, uncounted


def members_wait(project: Project) -> None:
    """Wait for answers on their way and for captions being handed out, and hold later ones up.

    Both lock their person's row before they look whether the project is closed. A lock of the
    project's own row instead would have the answers of different people wait for each other.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    list(project.members.select_for_update().order_by("pk").values_list("pk"))


def uncounted_assign(*, project: Project, now: datetime) -> tuple[int, int]:
    """Give answers that do not count an assignment; how many count now, how many still do not.

    First each person's own, then those that are free to who answered first. What was made by
    somebody who is no longer in the project stays as it is. The caller keeps members from
    answering meanwhile.
    """
    # Answers to test captions come along, or their makers would know them; they are not told of.
    # So do those to removed captions, which may be brought back.
    kept = Annotation.with_removed.uncounted().filter(item__project=project)
    answers = list(
        kept.filter(user__in=project.members.values("user"))
        .select_for_update(of=("self",))
        .select_related("item")
        .order_by("created_at", "pk")
    )
    unfinished = Assignment.with_removed.filter(project=project, done=False)
    open_assignments: dict[int, list[Assignment]] = defaultdict(list)
    rows = unfinished.filter(item__in=kept.values("item")).select_for_update(of=("self",))
    for row in rows.order_by("pk"):
        open_assignments[row.item_id].append(row)
    assignments = [
        *_give(answers, open_assignments, lambda row, answer: row.user_id == answer.user_id),
        *_give(
            [answer for answer in answers if not answer.test],
            open_assignments,
            lambda row, _: row.is_free(now) and not row.test,
        ),
    ]
    Assignment.with_removed.bulk_update(assignments, ["user", "done", "expires_at"], batch_size=200)
    counted = [answer for answer in answers if answer.counts]
    Annotation.with_removed.bulk_update(counted, ["assignment"], batch_size=200)
    work = [answer for answer in counted if not answer.test and answer.item.removed_at is None]
    return len(work), kept.filter(PRESENT, test=False).count()


def _give(
    answers: list[Annotation], open_assignments: dict[int, list[Assignment]], fits: Fits
) -> list[Assignment]:
    """Assignments that answers have now and had not before; those given are open no longer."""
    assignments = []
    for answer in answers:
        rows = open_assignments[answer.item_id]
        assignment = next((row for row in rows if not answer.counts and fits(row, answer)), None)
        if assignment is None:
            continue
        rows.remove(assignment)
        assignment.user_id, assignment.done, assignment.expires_at = answer.user_id, True, None
        answer.assignment = assignment
        assignments.append(assignment)
    return assignments


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
    contents = project_contents(locked)
    if contents_stamp(contents) != seen:
        raise Refused("The project changed while you had the page open. Check the numbers again.")
    runs = TrainingRun.objects.filter(project=locked)
    if runs.filter(state__in=UNDER_WAY).exists():
        raise Refused("A training is running. Cancel it, or wait until it has ended.")
    data = list(runs.values_list("data", flat=True))
    # A slash stands in no user name that people can choose: these were made for this project.
    made = User.objects.filter(
        labelling_memberships__project=locked,
        is_active=False,
        username__startswith=f"{locked.slug}/",
    )
    nobody = list(made.values_list("pk", flat=True))
    act.note("delete", locked, name=locked.name, **contents)
    text = f"{act.actor.username} deleted {locked.name} with all captions and answers in it."
    act.tell(locked, members_with_captions_left(locked, act.now), text, page="")
    sound_rows_remove(locked)
    locked.delete()
    TrainingData.objects.filter(pk__in=data, runs=None).delete()
    User.objects.filter(pk__in=nobody, labelling_memberships=None, annotations=None).delete()


# The fields of a project that its settings are; the seed stays as it was drawn.
SETTINGS = (
    "name",
    "guidelines",
    "order",
    "copies",
    "share",
    "offered",
    "settle_own",
    "suggest",
    "suggestion_threshold",
    "kind_options",
)


class SettingsChanged(Refused):
    """Somebody else changed the same settings meanwhile; ``fields`` are their names."""

    def __init__(self, fields: Sequence[str]) -> None:
        super().__init__(f"Somebody else changed this in the meantime: {', '.join(fields)}.")
        self.fields = fields


def setting_stamps(project: Project) -> dict[str, str]:
    """For each setting what changes whenever it does."""
    return {name: _stamp(getattr(project, name)) for name in SETTINGS}


def _stamp(value: object) -> str:
    # Browsers end lines in their own way, which is no change.
    text = str(value).replace("\r\n", "\n")
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@transaction.atomic
def project_change(
    *,
    project: Project,
    settings: ProjectSettings,
    act: ProjectAct,
    seen: Mapping[str, str] | None = None,
) -> None:
    """Change a project; captions that it has keep their order and their number of people.

    ``seen`` are the stamps of the settings that were looked at (None: those of now): what was
    left as it was shown stays as somebody else made it meanwhile. Raises ``SettingsChanged``
    where both changed the same.
    """
    # Nothing but settings is written: it may be closed, or get other labels, at this moment.
    locked = Project.objects.select_for_update().get(pk=project.pk)
    options = dict(locked.work_kind.options(settings.kind_options))
    values = {"name": settings.name, "kind_options": options} | asdict(settings.rules)
    present = setting_stamps(locked)
    shown = seen or present
    mine = [name for name in SETTINGS if _stamp(values[name]) not in {shown[name], present[name]}]
    if both := [name for name in mine if shown[name] != present[name]]:
        raise SettingsChanged(both)
    for name in mine:
        setattr(locked, name, values[name])
    locked.full_clean()
    locked.save(update_fields=SETTINGS)
    guidelines_keep(project=locked, by=act.actor, now=act.now)
    act.note("change", locked)
    project.refresh_from_db()
