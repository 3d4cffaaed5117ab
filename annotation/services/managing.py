"""Running a project: its settings and its people, each act noted in the audit trail."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from annotation.models import Member, Project, Role, Scheme
from annotation.services.projects import Rules, member_add, member_remove, project_create
from leaderboard.models import AuditEvent, User

# Addresses of pages that are no project's.
RESERVED = frozenset({"new"})
LONGEST_SLUG = 50


@dataclass(frozen=True, slots=True)
class Act:
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
class Settings:
    """What can be changed of a project; ``rules`` hold for captions that are added later."""

    name: str
    rules: Rules


def slug_for(name: str) -> str:
    """Make an address of a name that no project has yet."""
    start = slugify(name)[: LONGEST_SLUG - 4].strip("-") or "project"
    found, number = start, 1
    while found in RESERVED or Project.objects.filter(slug=found).exists():
        number += 1
        found = f"{start}-{number}"
    return found


@transaction.atomic
def project_start(*, settings: Settings, scheme: Scheme, act: Act) -> Project:
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
def project_change(*, project: Project, settings: Settings, act: Act) -> None:
    """Change a project; captions that it has keep their order and their number of people."""
    rules = settings.rules
    project.name = settings.name
    project.guidelines = rules.guidelines
    project.order = rules.order
    project.copies = rules.copies
    project.share = rules.share
    project.offered = list(rules.offered)
    project.settle_own = rules.settle_own
    project.suggest = rules.suggest
    project.full_clean()
    project.save()
    act.note("change", project)


@transaction.atomic
def project_set_closed(*, project: Project, closed: bool, act: Act) -> None:
    """Close a project, so that no more captions are handed out, or open it again.

    From the first closing on annotators can see what others say.
    """
    if project.closed and not closed:
        project.reopened_at = act.now
    if closed and project.agreement_shown_at is None:
        project.agreement_shown_at = act.now
    project.closed = closed
    project.save(update_fields=["closed", "agreement_shown_at", "reopened_at"])
    act.note("close" if closed else "reopen", project)


@transaction.atomic
def member_let_in(*, project: Project, user: User, role: Role, act: Act) -> Member:
    """Let someone in or give a member another role; raises ``NobodyManages``."""
    member = member_add(
        project=project, user=user, role=role, name=free_name(project, user.get_username())
    )
    # By number: the trail is never changed, and who leaves the site leaves no name in it.
    act.note("member", project, user=user.pk, role=role)
    return member


@transaction.atomic
def member_take_out(*, member: Member, act: Act) -> None:
    """Take someone out, whose work stays; raises ``NobodyManages``."""
    act.note("member-remove", member.project, user=member.user.pk)
    member_remove(member=member)


def free_name(project: Project, wanted: str) -> str:
    """Give a member's name that nobody in the project has, such as a session of a file."""
    # Exports call the work of everyone and what is settled so.
    names = {"all", "gold", *project.members.values_list("name", flat=True)}
    found, number = wanted[:76], 1
    while found in names:
        number += 1
        found = f"{wanted[:70]} {number}"
    return found
