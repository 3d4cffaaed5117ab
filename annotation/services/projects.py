"""Making projects, filling them and letting people in."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.text import slugify

from annotation.models import Assignment, Item, Member, Order, Project, Role, Scheme
from annotation.selectors.closing import lookers
from annotation.spans import tokenized
from leaderboard.models import AuditEvent, User

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Task:
    """A caption to be labelled, as it comes from a file or another part of the site.

    ``tokens`` None: the text is split here. ``extra`` keeps unknown keys of a record.
    ``clip`` is the id of a reference set and a position in it; nothing that a file says.
    """

    text: str
    tokens: Sequence[Mapping[str, Any]] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    clip: tuple[int, int] | None = None

    @property
    def key(self) -> str:
        """What tells captions apart: text, source and number there (numbers recur)."""
        parts = [self.text, *(self.meta.get(name) for name in ("source", "index", "file_name"))]
        return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


class NobodyManages(Exception):
    """A change after which nobody could manage the project."""

    def __init__(self) -> None:
        super().__init__("A project needs a manager. Make someone else manager first.")


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


@transaction.atomic
def project_create(
    *, slug: str, name: str, scheme: Scheme, manager: User | None, rules: ProjectRules | None = None
) -> Project:
    """Make a project; raises Django's ``ValidationError`` where a value is not allowed."""
    project = Project(slug=slug, name=name, scheme=scheme, **asdict(rules or ProjectRules()))
    project.full_clean()
    project.save()
    if manager is not None:
        member_add(project=project, user=manager, role=Role.MANAGER)
    return project


def member_add(
    *, project: Project, user: User, role: Role = Role.ANNOTATOR, name: str = ""
) -> Member:
    """Let someone in, or give a member another role."""
    found = Member.objects.filter(project=project, user=user).first()
    if found is None:
        return Member.objects.create(
            project=project, user=user, role=role, name=name or user.get_username()
        )
    if found.role == Role.MANAGER and role != Role.MANAGER:
        _require_other_manager(found)
    found.role = role
    found.save(update_fields=["role"])
    return found


def member_remove(*, member: Member) -> None:
    """Take someone out; the work stays, and what was held goes back."""
    if member.role == Role.MANAGER:
        _require_other_manager(member)
    Assignment.objects.filter(project=member.project, user=member.user, done=False).update(
        user=None, expires_at=None
    )
    member.delete()


def _require_other_manager(member: Member) -> None:
    others = Member.objects.filter(project=member.project, role=Role.MANAGER)
    if not others.exclude(pk=member.pk).exists():
        raise NobodyManages


@transaction.atomic
def items_add(*, project: Project, tasks: Iterable[Task]) -> list[Item]:
    """Add captions with their assignments; those that the project has already are left as they are.

    Which of them measure agreement depends only on the project's seed and their
    place in it, so that the same captions in the same order give the same.
    """
    # New positions follow the last, which only one may count on at a time.
    locked = Project.objects.select_for_update().get(pk=project.pk)
    known = set(locked.items.values_list("key", flat=True))
    last = locked.items.aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    rows = []
    for task in tasks:
        if task.key in known:
            continue
        known.add(task.key)
        rows.append(_item(locked, task, position))
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


def _item(project: Project, task: Task, position: int) -> Item:
    tokens = tokenized(task.text) if task.tokens is None else [dict(row) for row in task.tokens]
    # Seeded by text: the same in every process, which hash() of a string is not.
    random = Random(f"{project.seed}:{position}")  # noqa: S311 a reproducible draw, no secret
    doubled = random.random() < project.share
    rank = random.random() if project.order == Order.RANDOM else float(position)
    return Item(
        project=project,
        key=task.key,
        position=position,
        rank=rank,
        copies=project.copies if doubled else 1,
        text=task.text,
        tokens=tokens,
        meta=dict(task.meta),
        extra=dict(task.extra),
        reference_set_id=task.clip and task.clip[0],
        clip=task.clip and task.clip[1],
    )


# Addresses of pages that are no project's.
RESERVED = frozenset({"new"})
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


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What can be changed of a project; ``rules`` hold for captions that are added later."""

    name: str
    rules: ProjectRules


def slug_for(name: str) -> str:
    """Make an address of a name that no project has yet."""
    start = slugify(name)[: LONGEST_SLUG - 4].strip("-") or "project"
    found, number = start, 1
    while found in RESERVED or Project.objects.filter(slug=found).exists():
        number += 1
        found = f"{start}-{number}"
    return found


@transaction.atomic
def project_start(*, settings: ProjectSettings, scheme: Scheme, act: ProjectAct) -> Project:
    """Make a project that the actor manages."""
    project = project_create(
        slug=slug_for(settings.name),
        name=settings.name,
        scheme=scheme,
        manager=act.actor,
        rules=settings.rules,
    )
    act.note("create", project, scheme=str(scheme))
    return project


@transaction.atomic
def project_change(*, project: Project, settings: ProjectSettings, act: ProjectAct) -> None:
    """Change a project; captions that it has keep their order and their number of people."""
    rules = settings.rules
    project.name = settings.name
    project.guidelines = rules.guidelines
    project.order = rules.order
    project.copies = rules.copies
    project.share = rules.share
    project.offered = rules.offered
    project.settle_own = rules.settle_own
    project.suggest = rules.suggest
    project.full_clean()
    project.save()
    act.note("change", project)


@transaction.atomic
def project_set_closed(*, project: Project, closed: bool, act: ProjectAct) -> None:
    """Close a project, so that no more captions are handed out, or open it again.

    While it is closed annotators can see what others say. Where none of them has looked, the
    closing is taken back whole when it is opened again, and no later answer is a late one.
    """
    if project.closed == closed:
        return
    done = "close"
    if closed:
        project.agreement_shown_at = project.agreement_shown_at or act.now
    elif lookers(project).exists():
        project.reopened_at, done = act.now, "reopen"
    else:
        project.agreement_shown_at, done = None, "take-closing-back"
    project.closed = closed
    project.save(update_fields=["closed", "agreement_shown_at", "reopened_at"])
    act.note(done, project)


@transaction.atomic
def member_let_in(*, project: Project, user: User, role: Role, act: ProjectAct) -> Member:
    """Let someone in or give a member another role; raises ``NobodyManages``."""
    member = member_add(
        project=project, user=user, role=role, name=free_name(project, user.get_username())
    )
    # By number: the trail is never changed, and who leaves the site leaves no name in it.
    act.note("member", project, user=user.pk, role=role)
    return member


@transaction.atomic
def member_take_out(*, member: Member, act: ProjectAct) -> None:
    """Take someone out, whose work stays; raises ``NobodyManages``."""
    act.note("member-remove", member.project, user=member.user.pk)
    member_remove(member=member)


def free_name(project: Project, wanted: str) -> str:
    """A member's name that nobody in the project has, such as a session of a file."""
    # Exports call the work of everyone and what is settled so.
    names = {"all", "gold", *project.members.values_list("name", flat=True)}
    found, number = wanted[:76], 1
    while found in names:
        number += 1
        found = f"{wanted[:70]} {number}"
    return found
