"""Inviting people into projects by links, and joining by one."""

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.models import Invitation, Member, Project, Role
from annotation.services.people import session_give
from annotation.services.projects import ProjectAct, free_name, member_add
from leaderboard.models import AuditEvent, User
from leaderboard.models.team import invitation_token
from leaderboard.web.refusals import Refused

# More open invitations than this are bulk mail.
MOST_OPEN = 50


def _invalid() -> Refused:
    return Refused(
        "This invitation has expired, was revoked or has been used up. Ask the person who sent it "
        "for a new one.",
        status=404,
    )


@dataclass(frozen=True, slots=True)
class InvitationTerms:
    """What a link offers: a role, to how many people, for how many days; ``email``: mailed to.

    ``session``: whose work goes to whoever joins, who is one person then.
    """

    role: Role
    uses: int = 1
    days: int = 14
    email: str = ""
    session: Member | None = None


@transaction.atomic
def invitation_create(*, project: Project, terms: InvitationTerms, act: ProjectAct) -> str:
    """Make an invitation; returns its token, which is stored nowhere."""
    Project.objects.select_for_update().get(pk=project.pk)
    every = Invitation.objects.filter(project=project)
    every.filter(Q(expires_at__lte=act.now) | Q(used__gte=F("uses"))).delete()
    if every.count() >= MOST_OPEN:
        raise Refused(f"{MOST_OPEN} invitations are open, which is the limit. Revoke one first.")
    token = invitation_token()
    Invitation.objects.create(
        project=project,
        token_hash=_hashed(token),
        role=terms.role,
        uses=terms.uses,
        email=terms.email,
        session=terms.session,
        created_by=act.actor,
        created_at=act.now,
        expires_at=act.now + timedelta(days=terms.days),
    )
    # The address is known to the managers alone and does not belong in a permanent log.
    act.note("invite", project, role=terms.role, uses=terms.uses)
    return token


@transaction.atomic
def invitation_withdraw(*, invitation: Invitation, act: ProjectAct) -> None:
    """Take an invitation back: its link does not work any more."""
    act.note("invite-withdraw", invitation.project, role=invitation.role)
    invitation.delete()


def invitations_open(now: datetime) -> QuerySet[Invitation]:
    """Those by which somebody could join now."""
    maker = Member.objects.filter(
        project=OuterRef("project"), user=OuterRef("created_by"), role=Role.MANAGER
    )
    return Invitation.objects.filter(
        Exists(maker) | Q(created_by__is_superuser=True),
        created_by__is_active=True,
        project__archived_at=None,
        expires_at__gt=now,
        used__lt=F("uses"),
    )


def invitation_find(*, token: str, user: User, now: datetime) -> Invitation:
    """The invitation behind a link that ``user`` holds.

    Who was removed does not come back by a link from before.
    """
    rows = invitations_open(now).select_related("project", "created_by", "session__user")
    invitation = rows.filter(token_hash=_hashed(token)).first()
    if invitation is None:
        raise _invalid()
    removed_since = AuditEvent.objects.filter(
        target=f"labelling/{invitation.project.slug}",
        action="labelling.member-remove",
        at__gte=invitation.created_at,
        details__user=user.pk,
    )
    if removed_since.exists():
        raise _invalid()
    return invitation


@transaction.atomic
def invitation_accept(*, token: str, user: User, now: datetime) -> Project:
    """Join the project behind a link.

    A member keeps the role, and uses nothing up. The work of the session that the link names is
    theirs from then on, unless it was given to somebody meanwhile.
    """
    invitation = invitation_find(token=token, user=user, now=now)
    # Of two who take the last use at one moment, and of one who clicks twice, one waits here.
    project = Project.objects.select_for_update().get(pk=invitation.project_id)
    if project.members.filter(user=user).exists():
        return project
    still_open = invitations_open(now).filter(pk=invitation.pk)
    if Invitation.objects.filter(pk__in=still_open.values("pk")).update(used=F("used") + 1) != 1:
        raise _invalid()
    role = Role(invitation.role)
    member_add(project=project, user=user, role=role, name=free_name(project, user.get_username()))
    act = ProjectAct(user, now)
    act.note("join", project, role=role)
    text = f"{user.username} accepted your invitation into {project.name}: {role.label.lower()}."
    act.tell(project, [invitation.created_by], text, page="people")
    if invitation.session is not None:
        with suppress(Refused):
            session_give(session=invitation.session, to=user, act=act)
    return project


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
