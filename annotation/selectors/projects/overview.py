"""What those who run a project see: its people, and what was flagged or remarked."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q

from annotation.models import Annotation, Assignment, Member, Project, Role, Scheme
from leaderboard.models import AuditEvent, User
from scoring.captions.faults import count_of

MOST_REMARKS = 100
MOST_EVENTS = 30
_ACTS = {
    "create": "made the project",
    "change": "changed the settings",
    "close": "closed the project",
    "reopen": "opened the project again",
    "train": "started training {number}",
    "train-cancel": "cancelled training {number}",
    "train-again": "tried training {number} again",
}
_NOTHING: dict[str, Any] = {"answered": 0, "today": 0, "skipped": 0, "flagged": 0, "last": None}


@dataclass(frozen=True, slots=True)
class ProjectEvent:
    """What someone did to a project, as a sentence without its subject."""

    at: datetime
    who: str
    said: str


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member with their work: answers in all, those of today, what is held, the last time."""

    member: Member
    answered: int
    today: int
    skipped: int
    flagged: int
    held: int
    last: datetime | None

    @property
    def can_log_in(self) -> bool:
        """Whether there is a person who can come, and not only a session of a file."""
        return self.member.user.is_active


def member_rows(project: Project, now: datetime) -> list[MemberRow]:
    """Give the members of a project, managers first, in three queries."""
    work = _work(project, now)
    assignments = Assignment.objects.filter(
        project=project, done=False, user__isnull=False, expires_at__gt=now
    )
    held = dict(assignments.order_by().values_list("user").annotate(count=Count("pk")))
    order = {Role.MANAGER: 0, Role.ADJUDICATOR: 1, Role.ANNOTATOR: 2}
    rows = [
        MemberRow(
            member=member,
            held=held.get(member.user_id, 0),
            **{**_NOTHING, **work.get(member.user_id, {})},
        )
        for member in project.members.select_related("user")
    ]
    return sorted(rows, key=lambda row: order[Role(row.member.role)])


def _work(project: Project, now: datetime) -> dict[int, dict[str, Any]]:
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    rows = Annotation.objects.filter(item__project=project).order_by().values("user_id")
    counted = rows.annotate(
        answered=Count("pk"),
        today=Count("pk", filter=Q(created_at__gte=day)),
        skipped=Count("pk", filter=~Q(answer="accept")),
        flagged=Count("pk", filter=Q(flagged=True)),
        last=Max("updated_at"),
    )
    work: dict[int, dict[str, Any]] = {}
    for row in counted:
        told = dict(row)
        work[row["user_id"]] = {name: told[name] for name in _NOTHING}
    return work


def remarks_of(project: Project) -> list[Annotation]:
    """Give what was flagged or remarked, latest first."""
    rows = Annotation.objects.filter(item__project=project).exclude(flagged=False, comment="")
    return list(rows.select_related("item", "user").order_by("-updated_at", "-pk")[:MOST_REMARKS])


def names_of(project: Project) -> dict[int, str]:
    """Give the names of the members by user."""
    return dict(project.members.values_list("user", "name"))


def events_of(project: Project) -> list[ProjectEvent]:
    """Give what was done to a project, latest first."""
    rows = AuditEvent.objects.filter(target=f"labelling/{project.slug}")[:MOST_EVENTS]
    names = _usernames(rows)
    return [ProjectEvent(row.at, names.get(row.actor_id, ""), _said(row, names)) for row in rows]


def _usernames(events: Iterable[AuditEvent]) -> dict[object, str]:
    """Name those who are in events and still there, by id, and by name as events once had it."""
    ids = {one for row in events for one in (row.actor_id, row.details.get("user")) if one}
    told = [one for one in ids if isinstance(one, str)]
    found = User.objects.filter(Q(pk__in=ids.difference(told)) | Q(username__in=told))
    rows = list(found.values_list("pk", "username"))
    return dict(rows) | {name: name for _, name in rows}


def _said(event: AuditEvent, names: dict[object, str]) -> str:
    told: dict[str, Any] = event.details
    user = names.get(told.get("user"), "someone who left")
    match event.action.removeprefix("labelling."):
        case "fill":
            source = told["file"] or told["phase"] or told["submission"] or "nothing"
            return (
                f"added {count_of(told['captions'], 'caption')} and "
                f"{count_of(told['annotations'], 'annotation')} from {source}"
            )
        case "member":
            return f"made {user} {Role(told['role']).label.lower()}"
        case "member-remove":
            return f"removed {user}"
        case "person-left":
            return f"deleted the account; the work stays as that of {told['name']}"
        case "take-back":
            why = f": {told['reason']}" if told["reason"] else ""
            return f"took the decision on caption {told['caption']} back{why}"
        case act:
            return _ACTS.get(act, act).format_map(told)


def newest_schemes() -> list[Scheme]:
    """Give the newest version of each inventory."""
    newest: dict[str, Scheme] = {}
    for scheme in Scheme.objects.order_by("slug", "-version"):
        newest.setdefault(scheme.slug, scheme)
    return list(newest.values())
