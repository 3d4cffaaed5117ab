"""Making and joining teams."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from leaderboard.forms.names import name_key
from leaderboard.models import Membership, Role, Team, TeamInvitation, User
from leaderboard.models.public_id import public_id
from leaderboard.services.audit import audit_record

# Addresses of pages beside the teams' own.
RESERVED_SLUGS = {"new", "join"}
# Quotas are per team: who could make teams without end would have no quota.
MAX_OWNED = 10
INVITATION_LASTS = timedelta(days=14)


class TeamNameTaken(Exception):
    """Another team has that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is already a team called {name!r}. Choose another name.")


class TooManyTeams(Exception):
    """One person owns as many teams as anyone may."""

    def __init__(self) -> None:
        super().__init__(
            f"You own {MAX_OWNED} teams already, and nobody may own more. Submit for one of them."
        )


class InvitationInvalid(Exception):
    """The link does not work any more."""

    def __init__(self) -> None:
        super().__init__(
            "This invitation has expired or was withdrawn. Ask the team for a new link."
        )


def team_create(*, name: str, affiliation: str, owner: User | None, now: datetime) -> Team:
    """Make a team with its first owner, or raise ``TeamNameTaken`` or ``TooManyTeams``.

    ``owner`` None makes a team without members, into which organisers put people.
    """
    if owner is not None and _owned(owner) >= MAX_OWNED:
        raise TooManyTeams
    # Databases compare without case each in its own way, and none sees wide letters.
    if name_key(name) in map(name_key, Team.objects.values_list("name", flat=True)):
        raise TeamNameTaken(name)
    slug = slugify(name)[:40] or public_id()
    if slug in RESERVED_SLUGS or Team.objects.filter(slug=slug).exists():
        slug = f"{slug}-{public_id()[:4]}"
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name, slug=slug, affiliation=affiliation)
            if owner is not None:
                Membership.objects.create(team=team, user=owner, role=Role.OWNER)
            audit_record(at=now, actor=owner, action="team.create", target=team.slug)
    except IntegrityError as error:
        raise TeamNameTaken(name) from error
    return team


def _owned(owner: User) -> int:
    return Membership.objects.filter(user=owner, role=Role.OWNER).count()


def invitation_create(*, team: Team, actor: User, now: datetime) -> TeamInvitation:
    """Make a link that lets people join for a fortnight."""
    invitation = TeamInvitation.objects.create(
        team=team, created_by=actor, expires_at=now + INVITATION_LASTS
    )
    audit_record(at=now, actor=actor, action="team.invite", target=team.slug)
    return invitation


def invitation_revoke(*, invitation: TeamInvitation, actor: User, now: datetime) -> None:
    """Make a link useless."""
    audit_record(at=now, actor=actor, action="team.revoke", target=invitation.team.slug)
    invitation.delete()


def invitation_find(*, token: str, now: datetime) -> TeamInvitation:
    """Give the invitation behind a link, or raise ``InvitationInvalid``."""
    found = (
        TeamInvitation.objects.select_related("team")
        .filter(token=token, expires_at__gt=now)
        .first()
    )
    if found is None:
        raise InvitationInvalid
    return found


def invitation_accept(*, token: str, user: User, now: datetime) -> Team:
    """Join the team behind a link; joining twice changes nothing."""
    team = invitation_find(token=token, now=now).team
    _, joined = Membership.objects.get_or_create(team=team, user=user)
    if joined:
        audit_record(at=now, actor=user, action="team.join", target=team.slug)
    return team
