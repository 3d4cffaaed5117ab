"""Making projects, filling them, letting people in, and keeping versions of guidelines."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.urls import reverse
from django.utils.text import slugify

from annotation.batches import AT_ONCE
from annotation.free_names import first_free
from annotation.kinds.names import LABEL_WORDS
from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import WorkKind
from annotation.models import (
    Assignment,
    GuidelinesVersion,
    Import,
    Item,
    Member,
    Order,
    Project,
    Role,
    Scheme,
)
from annotation.spans import tokenized
from leaderboard.models import AuditEvent, NoticeKind, User
from leaderboard.services.people.notices import notice_send
from leaderboard.web.refusals import Refused


@dataclass(frozen=True, slots=True)
class Task:
    """A caption to be labelled, as it comes from a file or another part of the site.

    ``tokens`` None: the text is split here. ``extra`` keeps unknown keys of a record.
    ``clip`` is the id of a reference set and a position in it; nothing that a file says.
    ``content`` is what kinds of work other than label words keep of it.
    """

    text: str
    tokens: Sequence[Mapping[str, Any]] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    clip: tuple[int, int] | None = None
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What tells captions apart: text, source and number there (numbers recur)."""
        parts = [self.text, *(self.meta.get(name) for name in ("source", "index", "file_name"))]
        return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ProjectRules:
    """How captions of a project are handed out and labelled, as ``Project`` says."""

    guidelines: str = ""
    order: Order = Order.GIVEN
    copies: int = 2
    share: float = 1.0
    seed: int = 0
    offered: list[str] = field(default_factory=list)
    settle_own: bool = False
    suggest: bool = False
    suggestion_threshold: float = 0.7


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of work by its name, with what is set of it.

    ``source`` is the project whose answers become its items, None where items are brought.
    """

    kind: str = LABEL_WORDS
    options: Mapping[str, Any] = field(default_factory=dict)
    source: Project | None = None


def wrong_source(kind: WorkKind, source: Project) -> Refused:
    """A project that cannot feed one of this kind of work."""
    wanted = " or ".join(f'"{kind_named(name).title}"' for name in kind.sources) or "nothing"
    return Refused(
        f'"{kind.title}" is fed by {wanted}, and {source.name} is "{source.work_kind.title}". '
        "Choose another project."
    )


@transaction.atomic
def project_create(
    *,
    slug: str,
    name: str,
    scheme: Scheme,
    manager: User | None,
    rules: ProjectRules | None = None,
    work: Work | None = None,
) -> Project:
    """Make a project, to label words where no other ``work`` is named.

    Raises Django's ``ValidationError`` where a value is not allowed, and ``AnswerFault`` where
    an option of the work is not.
    """
    values, work = asdict(rules or ProjectRules()), work or Work()
    kind = kind_named(work.kind)
    options = dict(kind.options(work.options))
    if work.source is not None and work.source.kind not in kind.sources:
        raise wrong_source(kind, work.source)
    project = Project(slug=slug, name=name, scheme=scheme, owner=manager, **values)
    project.source = work.source
    project.kind, project.kind_options = work.kind, options
    project.full_clean()
    project.save()
    if manager is not None:
        member_add(project=project, user=manager, role=Role.MANAGER)
    guidelines_keep(project=project, by=manager, now=project.created_at)
    return project


def member_add(
    *, project: Project, user: User, role: Role = Role.ANNOTATOR, name: str = ""
) -> Member:
    """Let someone in, or give a member another role."""
    member = Member.objects.filter(project=project, user=user).first()
    if member is None:
        return Member.objects.create(
            project=project, user=user, role=role, name=name or user.get_username()
        )
    if member.role == Role.MANAGER and role != Role.MANAGER:
        _require_other_manager(member)
    member.role = role
    member.save(update_fields=["role"])
    return member


def member_remove(*, member: Member) -> None:
    """Take someone out; the work stays, and what was held goes back."""
    # The person before the assignments, as answers and closings do, which else might wait for this.
    Member.objects.select_for_update().filter(pk=member.pk).first()
    if member.role == Role.MANAGER:
        _require_other_manager(member)
    held = Assignment.with_removed.filter(project=member.project, user=member.user, done=False)
    held.filter(test=False).update(user=None, expires_at=None)
    member.delete()


def _require_other_manager(member: Member) -> None:
    others = Member.objects.filter(project=member.project, role=Role.MANAGER)
    owner = Project.objects.filter(pk=member.project_id, owner=member.user_id)
    if owner.exists() and others.count() > 1:
        raise Refused(
            f"{member.name} owns the project. The owner can hand it over under Settings first."
        )
    if not others.exclude(pk=member.pk).exists():
        raise Refused("A project needs a manager. Make someone else a manager first.")


@transaction.atomic
def items_add(
    *, project: Project, tasks: Iterable[Task], imported_in: Import | None = None
) -> list[Item]:
    """Add captions with their assignments; those that the project has or had are left as they are.

    Which of them measure agreement depends only on the project's seed and their
    place in it, so that the same captions in the same order give the same.
    """
    # New positions follow the last, which only one may count on at a time.
    locked = Project.objects.select_for_update().get(pk=project.pk)
    there = Item.with_removed.filter(project=locked)
    known = set(there.values_list("key", flat=True))
    last = there.aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    rows = []
    for task in tasks:
        if task.key in known:
            continue
        known.add(task.key)
        row = _item(locked, task, position)
        row.imported_in = imported_in
        rows.append(row)
        position += 1
    items = Item.objects.bulk_create(rows, batch_size=AT_ONCE)
    Assignment.objects.bulk_create(
        [
            Assignment(item=item, number=number, project=locked, rank=item.rank)
            for item in items
            for number in range(1, item.copies + 1)
        ],
        batch_size=AT_ONCE,
    )
    return items


def drawn(project: Project, position: int) -> tuple[float, float]:
    """Two numbers of a caption, 0 to 1: whether several label it, and its place at random."""
    # Seeded by text: the same in every process, which hash() of a string is not.
    random = Random(f"{project.seed}:{position}")  # noqa: S311 a reproducible draw, no secret
    return random.random(), random.random()


def _item(project: Project, task: Task, position: int) -> Item:
    tokens = [dict(row) for row in task.tokens or ()]
    if task.tokens is None and project.work_kind.has_labels:
        tokens = tokenized(task.text)
    share, rank = drawn(project, position)
    doubled = share < project.share
    rank = rank if project.order == Order.RANDOM else float(position)
    return Item(
        project=project,
        key=task.key,
        position=position,
        rank=rank,
        copies=project.copies if doubled else 1,
        text=task.text,
        tokens=tokens,
        content=dict(task.content),
        meta=dict(task.meta),
        extra=dict(task.extra),
        reference_set_id=task.clip and task.clip[0],
        clip=task.clip and task.clip[1],
    )


# Addresses of pages that are no project's.
RESERVED = frozenset({"data-sets", "join", "new"})
LONGEST_SLUG = 50


@dataclass(frozen=True, slots=True)
class ProjectAct:
    """Who does something, and when."""

    actor: User
    now: datetime

    def note(self, action: str, project: Project, **details: Any) -> None:
        """Add it to the audit trail."""
        AuditEvent.objects.create(
            at=self.now,
            actor=self.actor,
            action=f"labelling.{action}",
            target=f"labelling/{project.slug}",
            details=details,
        )

    def tell(
        self, project: Project, users: Iterable[User], text: str, *, page: str = "guidelines"
    ) -> None:
        """Send a notice to those of ``users`` who are not the actor; "" leads to no project."""
        path = reverse(f"annotation:{page}", args=[project.slug]) if page else ""
        notice_send(
            users=[user for user in users if user != self.actor],
            kind=NoticeKind.PROJECT,
            text=text,
            now=self.now,
            page=(project.name, path),
        )


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What can be changed of a project; ``rules`` hold for captions that are added later."""

    name: str
    rules: ProjectRules
    kind_options: Mapping[str, Any] = field(default_factory=dict)


def slug_for(name: str) -> str:
    """Make an address of a name that no project has yet."""
    return free_slug(name, otherwise="project", is_used=_was_used)


def free_slug(name: str, *, otherwise: str, is_used: Callable[[str], bool]) -> str:
    """Make an address of a name (``otherwise`` where nothing of it can be one), with a number."""
    start = slugify(name)[: LONGEST_SLUG - 4].strip("-") or otherwise
    return first_free(start, is_used, lambda number: f"{start}-{number}")


def _was_used(slug: str) -> bool:
    """Whether a project has or had this address: the history of one that was deleted stays."""
    history = AuditEvent.objects.filter(target=f"labelling/{slug}")
    return slug in RESERVED or Project.objects.filter(slug=slug).exists() or history.exists()


@transaction.atomic
def project_start(
    *, settings: ProjectSettings, scheme: Scheme, act: ProjectAct, work: Work | None = None
) -> Project:
    """Make a project that the actor manages."""
    project = project_create(
        slug=slug_for(settings.name),
        name=settings.name,
        scheme=scheme,
        manager=act.actor,
        rules=settings.rules,
        work=work,
    )
    act.note("create", project, scheme=str(scheme))
    return project


@transaction.atomic
def member_let_in(*, project: Project, user: User, role: Role, act: ProjectAct) -> Member:
    """Let someone in or give a member another role; a project always keeps a manager."""
    # Two managers who take each other's role at once would leave none.
    Project.objects.select_for_update().get(pk=project.pk)
    had = project.members.filter(user=user).values_list("role", flat=True).first()
    member = member_add(
        project=project, user=user, role=role, name=free_name(project, user.get_username())
    )
    # By number: the trail is never changed, and who leaves the site leaves no name in it.
    act.note("member", project, user=user.pk, role=role)
    if had != role:
        done = "added you to" if had is None else "gave you another role in"
        text = f"{act.actor.username} {done} {project.name}. Your role: {Role(role).label.lower()}."
        act.tell(project, [user], text)
    return member


@transaction.atomic
def member_take_out(*, member: Member, act: ProjectAct) -> None:
    """Take someone out, whose work stays; a project always keeps a manager."""
    project, user = member.project, member.user
    Project.objects.select_for_update().get(pk=project.pk)
    member.refresh_from_db(fields=["role"])
    act.note("member-remove", project, user=user.pk)
    member_remove(member=member)
    text = (
        f"{act.actor.username} removed you from {project.name}. Your answers stay in the project."
    )
    act.tell(project, [user], text, page="")


def free_name(project: Project, wanted: str) -> str:
    """A member's name that nobody in the project has, such as a session of a file."""
    # Exports call the work of everyone and what is settled so.
    names = {"all", "gold", *project.members.values_list("name", flat=True)}
    return first_free(wanted[:76], names.__contains__, lambda number: f"{wanted[:70]} {number}")


def guidelines_keep(*, project: Project, by: User | None, now: datetime) -> None:
    """Keep the project's guidelines as a new version where they differ from the newest.

    Who writes them has read them. The caller holds a transaction.
    """
    # Numbers are given one after another.
    Project.objects.select_for_update().get(pk=project.pk)
    newest = project.guidelines_versions.first()
    if project.guidelines == (newest.text if newest else ""):
        return
    number = newest.number + 1 if newest else 1
    GuidelinesVersion.objects.create(
        project=project, number=number, text=project.guidelines, saved_by=by, saved_at=now
    )
    mine = Member.objects.filter(project=project, user=by)
    mine.update(guidelines_read=number, guidelines_read_at=now)


def guidelines_note_read(*, member: Member, number: int, now: datetime) -> None:
    """Note that a member has opened this version; what was read before stays read."""
    Member.objects.filter(pk=member.pk, guidelines_read__lt=number).update(
        guidelines_read=number, guidelines_read_at=now
    )
