"""People who cannot log in: the sessions of a file, and those whose account was deleted."""

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.formats.records import RecordFault
from annotation.models import Annotation, Assignment, AssignmentRecord, Item, Member, Project, Role
from annotation.selectors.people import FORMER, is_session, session_work
from annotation.services.life_cycle import members_wait
from annotation.services.projects import ProjectAct, free_name, member_add
from annotation.services.stages import hand_note
from earmark.captions.faults import count_of
from leaderboard.models import AuditEvent, User
from leaderboard.web.refusals import Refused

# Who made what a file attributes to nobody.
NOBODY = "imported"
LONGEST = 80
# A file with more people than this says something else in its sessions.
MOST_MADE = 200
# What exports call the work of everyone and what is settled.
_TAKEN = frozenset({"all", "gold"})


class SessionPeople:
    """Finds the person of a session, and makes one who cannot log in where there is none.

    A session is, in this order, who ``known`` says; the member of that name; the
    member of what follows the project's own name in it, as exports write it. One that was
    given to an account is that account.
    """

    def __init__(self, project: Project, known: Mapping[str, User] | None = None) -> None:
        self._project = project
        self._members = {
            member.name: member.given_to or member.user
            for member in project.members.select_related("user", "given_to").order_by("pk")
        }
        self._known = dict(known or {})
        self.made: list[str] = []
        self.made_users: list[int] = []

    def person(self, session: str) -> User:
        """The person of a session; "" is who made what is attributed to nobody.

        Raises ``RecordFault`` where a file has more than ``MOST_MADE`` new people.
        """
        if session in self._known:
            return self._known[session]
        name = _short(f"{session} (file)" if session in _TAKEN else session or NOBODY, LONGEST)
        prefix = f"{self._project.slug}-"
        user = self._members.get(name) or self._members.get(name.removeprefix(prefix))
        if user is None:
            user = self._make(name)
        self._known[session] = user
        return user

    def join(self) -> None:
        """Let those who were named from outside and are no members yet in."""
        for session, user in self._known.items():
            if not Member.objects.filter(project=self._project, user=user).exists():
                # Under the session's name where nobody has it, so that it is found again.
                name = _short(session, LONGEST)
                name = "" if name in self._members else name
                member_add(project=self._project, user=user, name=name)

    def _make(self, name: str) -> User:
        if len(self.made) >= MOST_MADE:
            raise RecordFault(
                f"The file has more than {MOST_MADE} new people.",
                value=name,
                fix="Give each person one name in _session_id.",
            )
        user = user_without_login(self._project, name)
        member_add(project=self._project, user=user, name=name)
        self._members[name] = user
        self.made.append(name)
        self.made_users.append(user.pk)
        return user

    def name_of(self, user: User) -> str:
        """The name under which somebody's work stands in the project."""
        named = (name for name, member in self._members.items() if member == user)
        return next(named, user.get_username())


def user_without_login(project: Project, name: str) -> User:
    """The user of a person of this name in the project, who cannot log in."""
    # A slash stands in no user name that people can choose: it is nobody else's.
    username = _short(f"{project.slug}/{name}", 150)
    user, _ = User.objects.get_or_create(username=username, defaults={"is_active": False})
    if user.is_active:
        user = User.objects.create(username=_short(f"{username}/", 150), is_active=False)
    if not user.password:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def _short(name: str, longest: int) -> str:
    """Cut a name that is too long so that different ones stay different."""
    if len(name) <= longest:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{name[: longest - 13]}~{digest}"


_NUMBERED = re.compile(rf"^{FORMER} (\d+)$")


@transaction.atomic
def person_leaves(user: User, *, now: datetime) -> None:
    """Let go of a person whose account is about to be deleted.

    In each project the annotations go over to someone who cannot log in, called
    "a former annotator 3", another one in each, so that nothing tells that they
    were one person. Places that are done stay done, those that were held are free
    again, and every count stays as it was.
    """
    for project in Project.objects.filter(owner=user).order_by("pk"):
        others = project.members.filter(role=Role.MANAGER, user__is_active=True).exclude(user=user)
        follower = others.order_by("joined_at", "pk").first()
        project.owner = None if follower is None else follower.user
        project.save(update_fields=["owner"])
    worked = Annotation.with_removed.filter(user=user).values("item__project")
    held = Assignment.with_removed.filter(user=user, done=False).values("project")
    touched = Project.objects.filter(Q(pk__in=worked) | Q(pk__in=held))
    for project in touched.order_by("pk"):
        # As closing does, the project before its people and their captions. Former people are
        # numbered one after another.
        Project.objects.select_for_update().get(pk=project.pk)
        member = Member.objects.select_for_update().filter(project=project, user=user).first()
        mine = Assignment.with_removed.filter(project=project, user=user, done=False)
        mine.filter(test=True).delete()  # a test is nobody else's
        mine.update(user=None, expires_at=None)
        if Annotation.with_removed.filter(item__project=project, user=user).exists():
            _hand_over(project, user, member, now)


def _hand_over(project: Project, user: User, left: Member | None, now: datetime) -> None:
    names = project.members.filter(name__startswith=FORMER).values_list("name", flat=True)
    numbers = [int(match[1]) for name in names if (match := _NUMBERED.match(name))]
    name = free_name(project, f"{FORMER} {max(numbers, default=0) + 1}")
    # A slash stands in no user name that people can choose.
    former = User(username=f"{project.slug}/{name}", is_active=False)
    former.set_unusable_password()
    former.save()
    member = Member.objects.create(project=project, user=former, name=name)
    if left is not None:
        # People stand in the order of joining, wherever they have numbers.
        Member.objects.filter(pk=member.pk).update(
            joined_at=left.joined_at, agreement_shown_at=left.agreement_shown_at
        )
        left.delete()
    # Nothing tells any more which session of a file the person was.
    mine = Annotation.with_removed.filter(item__project=project, user=user)
    mine.update(user=former, made_as=None)
    Assignment.with_removed.filter(project=project, user=user).update(user=former)
    AuditEvent.objects.create(
        at=now,
        actor=None,
        action="labelling.person-left",
        target=f"labelling/{project.slug}",
        details={"name": name},
    )


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
    if both := session_work(locked, to)["both"]:
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
    changed = session_work(locked)["changed"]
    if locked.given_at is None:
        raise Refused(f"The work of {locked.name} has not been given to anybody.")
    if changed:
        raise Refused(
            f"{locked.name} stays where it is: {count_of(changed, 'answer')} changed since "
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
    member = rows.filter(pk=session.pk).first()
    if member is None:
        raise Refused("The session is no longer in the project. Nothing was changed.")
    return member.project, member


def _captions_wait(answers: QuerySet[Annotation]) -> None:
    """Have who settles these captions wait; in one order, as everywhere."""
    items = Item.with_removed.select_for_update(no_key=True).filter(pk__in=answers.values("item"))
    list(items.order_by("pk").values_list("pk", flat=True))
