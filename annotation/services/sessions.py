"""Giving the work of a session of a file to an account, and taking that back."""

from django.db import transaction
from django.db.models import QuerySet

from annotation.models import Annotation, Assignment, AssignmentRecord, Item, Member, Project
from annotation.selectors.sessions import is_session, session_work
from annotation.services.closing import members_wait
from annotation.services.projects import ProjectAct
from annotation.services.stages import hand_note
from leaderboard.models import User
from leaderboard.web.refusals import Refused
from scoring.captions.faults import count_of


@transaction.atomic
def session_give(*, session: Member, to: User, act: ProjectAct) -> int:
    """Make the answers of a session those of a member who can log in; returns how many.

    Refused where it was given already, or where both answered one caption.
    """
    project, locked = _locked(session)
    if locked.given_to_id is not None or not is_session(locked):
        raise Refused(
            f"The work of {locked.name} cannot be given to an account: it is not a session of a "
            "file, or somebody has it already."
        )
    if not to.is_active or not project.members.filter(user=to).exists():
        raise Refused("Only a member who can log in can get this work. Add the person first.")
    answers = Annotation.with_removed.filter(item__project=project, user=locked.user)
    _captions_wait(answers)
    if both := session_work(locked, to).both:
        raise Refused(
            f"{to.get_username()} has answered {count_of(both, 'caption')} of {locked.name} "
            "already, and nobody can have two answers to one caption. Choose somebody else."
        )
    items = list(answers.values_list("item", flat=True))
    held = Assignment.with_removed.filter(project=project, user=to, done=False, item__in=items)
    held.filter(test=True).delete()
    held.update(user=None, expires_at=None)
    handed = [AssignmentRecord(item_id=item, user=to, at=act.now) for item in items]
    AssignmentRecord.objects.bulk_create(handed, ignore_conflicts=True, batch_size=500)
    not_theirs = Item.with_removed.filter(project=project, earlier_hands__user=locked.user)
    hand_note(items=not_theirs, user=to)
    Assignment.with_removed.filter(annotation__in=answers).update(user=to)
    count = answers.update(user=to, made_as=locked.user)
    locked.given_to, locked.given_at = to, act.now
    locked.save(update_fields=["given_to", "given_at"])
    act.note("session-give", project, user=to.pk, session=locked.user_id, answers=count)
    return count


@transaction.atomic
def session_take_back(*, session: Member, act: ProjectAct) -> int:
    """Make the answers those of the session again; returns how many.

    Refused where it was not given, or where its new owner worked on it since.
    """
    project, locked = _locked(session)
    answers = Annotation.with_removed.filter(item__project=project, made_as=locked.user)
    _captions_wait(answers)
    work = session_work(locked)
    if locked.given_at is None:
        raise Refused(f"The work of {locked.name} has not been given to anybody.")
    if work.changed:
        raise Refused(
            f"{locked.name} stays where it is: {count_of(work.changed, 'answer')} changed since "
            "the work was given."
        )
    items = list(answers.values_list("item", flat=True))
    AssignmentRecord.objects.filter(
        item__in=items, user=locked.given_to, at=locked.given_at
    ).delete()
    Assignment.with_removed.filter(annotation__in=answers).update(user=locked.user)
    user, count = locked.given_to_id, len(items)
    answers.update(user=locked.user, made_as=None)
    locked.given_to = locked.given_at = None
    locked.save(update_fields=["given_to", "given_at"])
    act.note("session-back", project, user=user, session=locked.user_id, answers=count)
    return count


def _locked(session: Member) -> tuple[Project, Member]:
    """The project and the session, while nobody in it answers or is handed anything."""
    members_wait(session.project)
    rows = Member.objects.select_related("project", "user", "given_to")
    found = rows.filter(pk=session.pk).first()
    if found is None:
        raise Refused("The session is no longer in the project. Nothing was changed.")
    return found.project, found


def _captions_wait(answers: QuerySet[Annotation]) -> None:
    """Have who settles these captions wait; in one order, as everywhere."""
    items = Item.with_removed.select_for_update(no_key=True).filter(pk__in=answers.values("item"))
    list(items.order_by("pk").values_list("pk", flat=True))
