"""Projects as their pages show them: progress, people, remarks and what was done to them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.agreement.captions import word_labels
from annotation.models import (
    Annotation,
    Answer,
    Assignment,
    Item,
    Member,
    Project,
    Revision,
    Role,
    Scheme,
)
from leaderboard.models import AuditEvent, User
from scoring.captions.faults import count_of

# Pauses longer than this are no work.
PAUSE = timedelta(minutes=5)
# The first few answers of a sitting say little of its pace.
FEWEST = 5
# With fewer captions the share would show what single words of them were settled as.
FEWEST_SETTLED = 20
# Answers that came in by a file. They were made elsewhere, whatever time the file says or lacks:
# they are nobody's work of today, and tell nothing of a pace.
IMPORTED = Q(extra__has_key="line")


@dataclass(frozen=True, slots=True)
class OwnProgress:
    """One person's work in a project.

    ``left`` are captions that could still come; ``per_hour`` is the pace of the
    present sitting, None before its fifth caption; ``against_gold`` is the
    share of words labelled as in the gold set, in whole per cent, over
    ``gold_words`` words (None over 0 words before ``FEWEST_SETTLED`` captions).
    """

    answered: int
    today: int
    left: int
    per_hour: float | None
    against_gold: float | None
    gold_words: int


@dataclass(frozen=True, slots=True)
class ProjectProgress:
    """A project: captions, assignments, and how many of each are done."""

    items: int
    items_done: int
    assignments: int
    assignments_done: int
    flagged: int

    @property
    def share(self) -> float:
        """Share of the assignments that are done."""
        return self.assignments_done / self.assignments if self.assignments else 0.0


def own_progress(project: Project, user: User, now: datetime) -> OwnProgress:
    """Read one person's progress, in four queries."""
    mine = Annotation.objects.filter(item__project=project, user=user)
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    today = Q(created_at__gte=day) & ~IMPORTED
    counts = mine.aggregate(answered=Count("pk"), today=Count("pk", filter=today))
    share, words = _against_gold(project, user)
    here = mine.exclude(IMPORTED).order_by("-created_at")
    return OwnProgress(
        answered=counts["answered"],
        today=counts["today"],
        left=_left(project, user, now),
        per_hour=_pace(here.values_list("created_at", flat=True)[:200]),
        against_gold=share,
        gold_words=words,
    )


def _left(project: Project, user: User, now: datetime) -> int:
    """Count captions with an assignment that is the person's or free."""
    mine = Assignment.objects.filter(item=OuterRef("item"), user=user)
    open_assignments = Assignment.objects.filter(project=project, done=False)
    free = open_assignments.filter(Q(user=None) | Q(expires_at__lt=now)).filter(~Exists(mine))
    held = open_assignments.filter(user=user)
    return free.values("item").distinct().count() + held.count()


def _pace(times: Iterable[datetime]) -> float | None:
    """Captions per hour since the last pause, from the times of answers, latest first."""
    sitting = list(times)
    count = 1
    while count < len(sitting) and sitting[count - 1] - sitting[count] <= PAUSE:
        count += 1
    if count < FEWEST:
        return None
    seconds = (sitting[0] - sitting[count - 1]).total_seconds()
    return (count - 1) * 3600 / seconds if seconds > 0 else None


def _against_gold(project: Project, user: User) -> tuple[float | None, int]:
    """The share of words labelled as in the gold set, and of how many words.

    It compares what the person said when a caption was settled, or said first where
    that was later. What they say afterwards changes nothing: it would tell, word by
    word, what was settled.
    """
    rows = list(
        _revisions_at_settling(project, user)
        .filter(answer=Answer.ACCEPT)
        .values_list("spans", "annotation__item__gold__labels")
    )
    words = sum(len(gold) for _, gold in rows)
    if len(rows) < FEWEST_SETTLED or not words:
        return None, 0
    same = sum(
        one == other
        for spans, gold in rows
        for one, other in zip(word_labels(spans, len(gold)), gold, strict=True)
    )
    return round(same / words, 2), words


def _revisions_at_settling(project: Project, user: User) -> QuerySet[Revision]:
    """One revision for each settled caption that the person answered."""
    same = Revision.objects.filter(annotation=OuterRef("annotation")).order_by("version")
    before = same.filter(saved_at__lte=OuterRef("annotation__item__gold__settled_at"))
    stood = Coalesce(
        Subquery(before.order_by("-version").values("pk")[:1]), Subquery(same.values("pk")[:1])
    )
    return Revision.objects.filter(
        annotation__user=user,
        annotation__item__project=project,
        annotation__item__gold__isnull=False,
        pk=stood,
    )


def project_progress(project: Project) -> ProjectProgress:
    """Read a project's progress, in three queries."""
    open_assignment = Assignment.objects.filter(item=OuterRef("pk"), done=False)
    items = Item.objects.filter(project=project)
    assignments = Assignment.objects.filter(project=project).aggregate(
        every=Count("pk"), done=Count("pk", filter=Q(done=True))
    )
    flagged = Annotation.objects.filter(item__project=project, flagged=True).count()
    counted = items.annotate(open=Exists(open_assignment)).aggregate(
        every=Count("pk"), done=Count("pk", filter=Q(open=False))
    )
    return ProjectProgress(
        items=counted["every"],
        items_done=counted["done"],
        assignments=assignments["every"],
        assignments_done=assignments["done"],
        flagged=flagged,
    )


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project; ``role`` and ``own`` are None for staff who are not in it."""

    project: Project
    role: Role | None
    own: OwnProgress | None
    whole: ProjectProgress


def project_rows(projects: Iterable[Project], user: User, now: datetime) -> list[ProjectRow]:
    """Describe projects to a person; eight queries for each (people have a few)."""
    roles = {row.project_id: Role(row.role) for row in Member.objects.filter(user=user)}
    return [
        ProjectRow(
            project=project,
            role=roles.get(project.pk),
            own=own_progress(project, user, now) if project.pk in roles else None,
            whole=project_progress(project),
        )
        for project in projects
    ]


MOST_REMARKS = 100
MOST_EVENTS = 30
_ACTS = {
    "create": "made the project",
    "change": "changed the settings",
    "close": "closed the project",
    "reopen": "opened the project again",
    "take-closing-back": "took the closing back; nobody had looked at the agreement",
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
    text: str


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
    """The members of a project, managers first, in three queries."""
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
        today=Count("pk", filter=Q(created_at__gte=day) & ~IMPORTED),
        skipped=Count("pk", filter=~Q(answer="accept")),
        flagged=Count("pk", filter=Q(flagged=True)),
        last=Max("updated_at", filter=~(IMPORTED & Q(version=1))),
    )
    return {row["user_id"]: {name: dict(row)[name] for name in _NOTHING} for row in counted}


def remarks_of(project: Project) -> list[Annotation]:
    """Annotations with a flag or a comment, latest first."""
    rows = Annotation.objects.filter(item__project=project).exclude(flagged=False, comment="")
    return list(rows.select_related("item", "user").order_by("-updated_at", "-pk")[:MOST_REMARKS])


def names_of(project: Project) -> dict[int, str]:
    """The names of the members by user."""
    return dict(project.members.values_list("user", "name"))


def events_of(project: Project) -> list[ProjectEvent]:
    """The latest acts on a project from the audit log, latest first."""
    rows = AuditEvent.objects.filter(target=f"labelling/{project.slug}")[:MOST_EVENTS]
    names = _usernames(rows)
    return [
        ProjectEvent(row.at, names.get(row.actor_id, ""), _sentence(row, names)) for row in rows
    ]


def _usernames(events: Iterable[AuditEvent]) -> dict[object, str]:
    """Name those who are in events and still there, by id, and by name as events once had it."""
    known = {key for row in events for key in (row.actor_id, row.details.get("user")) if key}
    usernames = [key for key in known if isinstance(key, str)]
    users = User.objects.filter(Q(pk__in=known.difference(usernames)) | Q(username__in=usernames))
    rows = list(users.values_list("pk", "username"))
    return dict(rows) | {name: name for _, name in rows}


def _sentence(event: AuditEvent, names: dict[object, str]) -> str:
    details: dict[str, Any] = event.details
    user = names.get(details.get("user"), "someone who left")
    match event.action.removeprefix("labelling."):
        case "fill":
            source = details["file"] or details["phase"] or details["submission"] or "nothing"
            return (
                f"added {count_of(details['captions'], 'caption')} and "
                f"{count_of(details['annotations'], 'annotation')} from {source}"
            )
        case "member":
            return f"made {user} {Role(details['role']).label.lower()}"
        case "member-remove":
            return f"removed {user}"
        case "person-left":
            return f"deleted the account; the work stays as that of {details['name']}"
        case "take-back":
            why = f": {details['reason']}" if details["reason"] else ""
            return f"took the decision on caption {details['caption']} back{why}"
        case act:
            return _ACTS.get(act, act).format_map(details)


def newest_schemes() -> list[Scheme]:
    """The newest version of each inventory."""
    newest: dict[str, Scheme] = {}
    for scheme in Scheme.objects.order_by("slug", "-version"):
        newest.setdefault(scheme.slug, scheme)
    return list(newest.values())
