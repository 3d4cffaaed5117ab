"""Closing a project and opening it again, and what counts after all then."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime

from django.db import transaction

from annotation.models import PRESENT, Annotation, Assignment, Project
from annotation.selectors.closing import lookers
from annotation.services.projects import ProjectAct

Fits = Callable[[Assignment, Annotation], bool]


@dataclass(frozen=True, slots=True)
class Recounted:
    """How many answers count that did not, and how many still do not."""

    counted: int = 0
    uncounted: int = 0


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


def uncounted_assign(*, project: Project, now: datetime) -> Recounted:
    """Give answers that do not count an assignment of their caption, where there is one.

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
    given = [
        *_give(answers, open_assignments, lambda row, answer: row.user_id == answer.user_id),
        *_give(
            [answer for answer in answers if not answer.test],
            open_assignments,
            lambda row, _: row.is_free(now) and not row.test,
        ),
    ]
    Assignment.with_removed.bulk_update(given, ["user", "done", "expires_at"], batch_size=200)
    counted = [answer for answer in answers if answer.counts]
    Annotation.with_removed.bulk_update(counted, ["assignment"], batch_size=200)
    work = [answer for answer in counted if not answer.test and answer.item.removed_at is None]
    return Recounted(len(work), kept.filter(PRESENT, test=False).count())


def _give(
    answers: list[Annotation], open_assignments: dict[int, list[Assignment]], fits: Fits
) -> list[Assignment]:
    """Assignments that answers have now and had not before; those given are open no longer."""
    given = []
    for answer in answers:
        rows = open_assignments[answer.item_id]
        found = next((row for row in rows if not answer.counts and fits(row, answer)), None)
        if found is None:
            continue
        rows.remove(found)
        found.user_id, found.done, found.expires_at = answer.user_id, True, None
        answer.assignment = found
        given.append(found)
    return given
