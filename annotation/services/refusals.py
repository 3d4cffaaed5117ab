"""What managers do with one answer: refuse it, send it back to its maker, take a refusal back."""

from django.db import transaction

from annotation.models import Annotation, Assignment, Item, SendBack
from annotation.services.answers import assignment_for, project_closed
from annotation.services.captions import RESERVED_FOR, effect_changed
from annotation.services.projects import ProjectAct
from annotation.services.stages import member_lock
from leaderboard.web.refusals import Refused


@transaction.atomic
def answer_refuse(*, annotation: Annotation, note: str, seen: int, act: ProjectAct) -> None:
    """Refuse an answer that counts: it is kept without counting, and its place goes to others.

    Its maker, who is told and reads ``note`` beside it, is not asked again. ``seen`` is the version
    that was looked at.
    """
    locked = _lock(annotation, seen)
    if locked.refused_id is not None or not locked.counts:
        raise effect_changed()
    back = _note_of(locked, note, act)
    held = Assignment.with_removed.filter(annotation=locked)
    held.update(user=None, done=False, expires_at=None)
    Annotation.with_removed.filter(pk=locked.pk).update(assignment=None, refused=back)
    _told(
        locked,
        "refuse",
        act,
        "refused one of your answers in {project}. The reason is shown beside the answer.",
    )


@transaction.atomic
def answer_send_back(*, annotation: Annotation, note: str, seen: int, act: ProjectAct) -> None:
    """Send an answer that counts back to its maker, who has it at hand again and reads ``note``.

    It counts once it is given again. ``seen`` is the version that was looked at. Refused, too,
    where nobody could give it.
    """
    locked = _lock(annotation, seen)
    if not locked.counts:
        raise effect_changed()
    members = locked.item.project.members
    if not members.filter(user=locked.user_id, user__is_active=True).exists():
        raise Refused(
            "The person who gave this answer has left the project or cannot log in. Refuse the "
            "answer instead: then somebody else is asked."
        )
    back = _note_of(locked, note, act)
    held = Assignment.with_removed.filter(annotation=locked)
    held.update(done=False, expires_at=act.now + RESERVED_FOR)
    Annotation.with_removed.filter(pk=locked.pk).update(assignment=None, sent_back=back)
    _told(
        locked,
        "send-back",
        act,
        "sent one of your answers in {project} back to you. The reason is shown beside it.",
        page="label",
    )


@transaction.atomic
def refusal_take_back(*, annotation: Annotation, act: ProjectAct) -> bool:
    """Take the refusal of an answer back; whether it counts, for which it needs a free place."""
    locked = _lock(annotation)
    if locked.refused_id is None:
        raise effect_changed()
    locked.refused = None
    locked.assignment = assignment_for(locked.item, locked.user, act.now)
    locked.save(update_fields=["refused", "assignment"])
    _told(locked, "refusal-back", act, "took back the refusal of one of your answers in {project}.")
    return locked.counts


def _lock(annotation: Annotation, seen: int | None = None) -> Annotation:
    """Lock in the order of answers: the person, the item, the answer."""
    project, user = annotation.item.project, annotation.user
    if project.members.filter(user=user).exists():
        member_lock(project=project, user=user)
    project.refresh_from_db(fields=["closed"])
    if project.closed:
        raise project_closed()
    Item.with_removed.select_for_update(no_key=True).get(pk=annotation.item_id)
    rows = Annotation.with_removed.select_for_update(of=("self",)).select_related("item", "user")
    locked = rows.get(pk=annotation.pk)
    locked.item.project = project
    if seen is not None and locked.version != seen:
        raise effect_changed()
    return locked


def _note_of(annotation: Annotation, note: str, act: ProjectAct) -> SendBack:
    project = annotation.item.project
    return SendBack.objects.create(project=project, by=act.actor, at=act.now, note=note)


def _told(
    annotation: Annotation, action: str, act: ProjectAct, text: str, *, page: str = "history"
) -> None:
    project = annotation.item.project
    act.note(action, project, user=annotation.user_id, items=[annotation.item_id])
    if annotation.user.is_active:
        told = f"{act.actor} {text.format(project=project.name)}"
        act.tell(project, [annotation.user], told, page=page)
