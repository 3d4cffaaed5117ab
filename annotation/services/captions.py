"""What managers do with chosen captions and with one answer.

They hand captions over, ask for answers, send them back or refuse one, and remove captions.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Max, QuerySet

from annotation.batches import in_batches
from annotation.models import Annotation, Assignment, Item, Member, Project, SendBack
from annotation.selectors.captions.effects import (
    Effect,
    answers_wanted,
    caption_handing,
    caption_removal,
    caption_sending_back,
)
from annotation.services.answers import assignment_for, project_closed
from annotation.services.projects import ProjectAct
from annotation.services.stages import hands_note, member_lock
from earmark.captions.faults import count_of
from leaderboard.models import User
from leaderboard.web.refusals import Refused

# Who is handed captions by a manager has them this long before they go to others again.
RESERVED_FOR = timedelta(days=14)


def effect_changed() -> Refused:
    """What would be done is no longer what somebody agreed to."""
    return Refused("The numbers changed while you had the page open. Check them again.")


@transaction.atomic
def captions_hand_over(
    *, project: Project, items: Sequence[int], to: Member, seen: str, act: ProjectAct
) -> Effect:
    """Give one open assignment of each caption to a member, a free one before one that is held.

    Captions that the member has or answered are left out, and those for which no answer is
    wanted. ``seen`` is the stamp of what was looked at.
    """
    # In the order of answers: the person, captions, assignments.
    member_lock(project=project, user=to.user)
    handing = caption_handing(project, _lock(items), to.user, act.now)
    if handing["stamp"] != seen:
        raise effect_changed()
    for part in in_batches(list(handing["assignments"].values())):
        Assignment.objects.filter(pk__in=part).update(
            user=to.user, expires_at=act.now + RESERVED_FOR
        )
    if handing["assignments"]:
        captions = Item.objects.filter(pk__in=handing["assignments"])
        hands_note(project=project, items=captions, user=to.user)
        act.note("hand-over", project, user=to.user_id, items=sorted(handing["assignments"]))
    return handing


@transaction.atomic
def captions_ask_again(
    *, project: Project, items: Sequence[int], to: Member | None, seen: int, act: ProjectAct
) -> int:
    """Ask for one more answer to each caption, by a member or by whoever is next; how many.

    Captions that the member has or answered are left out. ``seen`` answers were asked for when
    it was agreed to, so that a form that is sent twice asks once.
    """
    if to is not None:
        member_lock(project=project, user=to.user)
    items = _lock(items)
    if answers_wanted(items) != seen:
        raise effect_changed()
    user = None if to is None else to.user
    wanted = items
    if user is not None:
        met = caption_handing(project, items, user, act.now)["met"]
        wanted = [pk for pk in items if pk not in met]
    for part in in_batches(wanted):
        rows = Item.objects.filter(project=project, pk__in=part)
        Assignment.objects.bulk_create(_more(rows, user, act))
        rows.update(copies=F("copies") + 1)
    if user is not None:
        hands_note(project=project, items=Item.objects.filter(pk__in=wanted), user=user)
    if wanted:
        act.note("ask-again", project, user=user and user.pk, items=sorted(wanted))
    return len(wanted)


@transaction.atomic
def captions_send_back(
    *, project: Project, items: Sequence[int], note: str, seen: str, act: ProjectAct
) -> Effect:
    """Send answers back to those who gave them; none of them counts before it is answered again.

    They have the caption at hand with their answer as it stands; ``note`` tells them why. ``seen``
    is the stamp of what was looked at.
    """
    # In the order of answers: people, captions, assignments; closing waits for the first.
    users = caption_sending_back(project, items)["people"]
    members = project.members.filter(user__in=users).order_by("pk")
    list(members.select_for_update().values_list("pk"))
    project.refresh_from_db(fields=["closed"])
    if project.closed:
        raise project_closed()
    sending = caption_sending_back(project, _lock(items))
    if sending["stamp"] != seen:
        raise effect_changed()
    if not sending["answers"]:
        return sending
    back = SendBack.objects.create(project=project, by=act.actor, at=act.now, note=note)
    for part in in_batches(sending["answers"]):
        answers = Annotation.objects.filter(pk__in=part)
        held = Assignment.objects.filter(annotation__in=answers)
        held.update(done=False, expires_at=act.now + RESERVED_FOR)
        answers.update(assignment=None, sent_back=back)
    act.note("send-back", project, items=sending["captions"], note=note)
    for user in User.objects.filter(pk__in=sending["people"]):
        count = count_of(sending["people"][user.pk], "answer")
        text = f"{act.actor} sent {count} of yours in {project.name} back to you."
        act.tell(project, [user], f"{text} The caption says why.", page="label")
    return sending


@transaction.atomic
def captions_remove(
    *, project: Project, items: Sequence[int], seen: str, act: ProjectAct
) -> Effect:
    """Take captions out of the project's work, with all that is of them, which is kept as it is.

    ``seen`` is the stamp of what was looked at.
    """
    there = _lock(items)
    removal = caption_removal(there)
    if removal["stamp"] != seen:
        raise effect_changed()
    _mark(there, removed_at=act.now, removed_by=act.actor)
    if there:
        act.note("captions-remove", project, items=sorted(there))
    return removal


@transaction.atomic
def captions_bring_back(*, project: Project, items: Sequence[int], act: ProjectAct) -> int:
    """Put removed captions back into the project's work as they were; how many.

    Answers that came meanwhile come along.
    """
    there = _lock(items, Item.with_removed.filter(removed_at__isnull=False))
    _mark(there, removed_at=None, removed_by=None)
    if there:
        act.note("captions-bring-back", project, items=sorted(there))
    return len(there)


def _mark(items: Sequence[int], **mark: Any) -> None:
    for part in in_batches(items):
        Item.with_removed.filter(pk__in=part).update(**mark)


def _more(rows: QuerySet[Item], user: User | None, act: ProjectAct) -> Iterator[Assignment]:
    expires = None if user is None else act.now + RESERVED_FOR
    last = rows.annotate(last=Max("assignments__number"))
    for pk, project, rank, number in last.values_list("pk", "project", "rank", "last"):
        yield Assignment(
            item_id=pk,
            project_id=project,
            rank=rank,
            number=(number or 0) + 1,
            user=user,
            expires_at=expires,
        )


def _lock(items: Sequence[int], rows: QuerySet[Item] | None = None) -> list[int]:
    """Lock captions, of ``rows`` or else those that are not removed; give those that there are."""
    every = Item.objects.all() if rows is None else rows
    there: list[int] = []
    for part in in_batches(sorted(items)):
        locked = every.select_for_update(no_key=True).filter(pk__in=part).order_by("pk")
        there += locked.values_list("pk", flat=True)
    return there


@transaction.atomic
def answer_refuse(*, annotation: Annotation, note: str, seen: int, act: ProjectAct) -> None:
    """Refuse an answer that counts: it is kept without counting, and its place goes to others.

    Its maker, who is told and reads ``note`` beside it, is not asked again. ``seen`` is the version
    that was looked at.
    """
    locked = _answer_locked(annotation, seen)
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
    locked = _answer_locked(annotation, seen)
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
    locked = _answer_locked(annotation)
    if locked.refused_id is None:
        raise effect_changed()
    locked.refused = None
    locked.assignment = assignment_for(locked.item, locked.user, act.now)
    locked.save(update_fields=["refused", "assignment"])
    _told(locked, "refusal-back", act, "took back the refusal of one of your answers in {project}.")
    return locked.counts


def _answer_locked(annotation: Annotation, seen: int | None = None) -> Annotation:
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
        message = f"{act.actor} {text.format(project=project.name)}"
        act.tell(project, [annotation.user], message, page=page)
