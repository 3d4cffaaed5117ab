"""People who cannot log in: the sessions of a file, and those whose account was deleted."""

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from annotation.formats.records import RecordFault
from annotation.models import Annotation, Assignment, Member, Project
from annotation.services.projects import free_name, member_add
from leaderboard.models import AuditEvent, User

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
    member of what follows the project's own name in it, as exports write it.
    """

    def __init__(self, project: Project, known: Mapping[str, User] | None = None) -> None:
        self._project = project
        self._members = {
            member.name: member.user for member in project.members.select_related("user")
        }
        self._known = dict(known or {})
        self.made: list[str] = []

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
        # A slash stands in no user name that people can choose: it is nobody else's.
        username = _short(f"{self._project.slug}/{name}", 150)
        user, _ = User.objects.get_or_create(username=username, defaults={"is_active": False})
        if user.is_active:
            user = User.objects.create(username=_short(f"{username}/", 150), is_active=False)
        if not user.password:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        member_add(project=self._project, user=user, name=name)
        self._members[name] = user
        self.made.append(name)
        return user


def _short(name: str, longest: int) -> str:
    """Cut a name that is too long so that different ones stay different."""
    if len(name) <= longest:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{name[: longest - 13]}~{digest}"


FORMER = "a former annotator"
_NUMBERED = re.compile(rf"^{FORMER} (\d+)$")


@transaction.atomic
def person_leaves(user: User, *, now: datetime) -> None:
    """Let go of a person whose account is about to be deleted.

    In each project the annotations go over to someone who cannot log in, called
    "a former annotator 3", another one in each, so that nothing tells that they
    were one person. Places that are done stay done, those that were held are free
    again, and every count stays as it was.
    """
    held = Assignment.objects.filter(user=user, done=False)
    held.update(user=None, expires_at=None)
    worked = Annotation.objects.filter(user=user).values("item__project")
    for project in Project.objects.filter(pk__in=worked).order_by("pk"):
        _hand_over(project, user, now)


def _hand_over(project: Project, user: User, now: datetime) -> None:
    # Numbers are given one after another.
    Project.objects.select_for_update().get(pk=project.pk)
    names = project.members.filter(name__startswith=FORMER).values_list("name", flat=True)
    numbers = [int(match[1]) for name in names if (match := _NUMBERED.match(name))]
    name = free_name(project, f"{FORMER} {max(numbers, default=0) + 1}")
    # A slash stands in no user name that people can choose.
    former = User(username=f"{project.slug}/{name}", is_active=False)
    former.set_unusable_password()
    former.save()
    left = Member.objects.filter(project=project, user=user).first()
    member = Member.objects.create(project=project, user=former, name=name)
    if left is not None:
        # People stand in the order of joining, wherever they have numbers.
        Member.objects.filter(pk=member.pk).update(
            joined_at=left.joined_at, agreement_shown_at=left.agreement_shown_at
        )
        left.delete()
    Annotation.objects.filter(item__project=project, user=user).update(user=former)
    Assignment.objects.filter(project=project, user=user).update(user=former)
    AuditEvent.objects.create(
        at=now,
        actor=None,
        action="labelling.person-left",
        target=f"labelling/{project.slug}",
        details={"name": name},
    )
