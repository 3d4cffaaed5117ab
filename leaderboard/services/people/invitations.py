"""Inviting people into a team, by a link for whoever holds it or by name for one person."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from leaderboard.models import Membership, NoticeKind, Team, TeamInvitation, User
from leaderboard.selectors.people.notices import notice_recipients
from leaderboard.services.audit_log import audit_record
from leaderboard.services.people.notices import notice_send
from leaderboard.web.refusals import Refused

INVITATION_LASTS = timedelta(days=14)
# More open invitations than this are bulk mail.
MOST_OPEN = 50


@transaction.atomic
def invitation_create(*, team: Team, actor: User, now: datetime) -> TeamInvitation:
    """Create a link by which people join for a fortnight."""
    _make_room(team, now)
    invitation = TeamInvitation.objects.create(
        team=team, created_by=actor, expires_at=now + INVITATION_LASTS
    )
    audit_record("team.invite", team, actor=actor, now=now)
    return invitation


@transaction.atomic
def invitation_send(*, team: Team, username: str, actor: User, now: datetime) -> TeamInvitation:
    """Invite one person by name; only they can accept. Inviting again renews the fortnight."""
    _make_room(team, now)
    invited = User.objects.filter(username__iexact=username, is_active=True).first()
    if invited is None:
        raise Refused(
            f"There is no user with the name {username!r}. Ask for the name that the person sees "
            "at the top right when logged in, or send the person a link.",
            field="username",
        )
    if team.memberships.filter(user=invited).exists():
        raise Refused(f"{invited.username} is already a member of {team.name}.", field="username")
    invitation, created = TeamInvitation.objects.update_or_create(
        team=team,
        invited=invited,
        defaults={"created_by": actor, "expires_at": now + INVITATION_LASTS},
    )
    audit_record("team.invite", team, actor=actor, now=now, person=invited.username)
    if created:
        notice_send(
            users=[invited],
            kind=NoticeKind.INVITED,
            text=f"{actor.username} invites you to join the team {team.name}.",
            now=now,
            team=team,
        )
    return invitation


def _make_room(team: Team, now: datetime) -> None:
    """Delete expired invitations, under the team's lock; refuse where too many are open."""
    Team.objects.select_for_update().get(pk=team.pk)
    TeamInvitation.objects.filter(team=team, expires_at__lte=now).delete()
    if TeamInvitation.objects.filter(team=team).count() >= MOST_OPEN:
        raise Refused(
            f"{MOST_OPEN} invitations are open, which is the limit. Revoke one first.",
            field="username",
        )


def invitation_revoke(*, invitation: TeamInvitation, actor: User, now: datetime) -> None:
    """Revoke an invitation."""
    audit_record("team.revoke", invitation.team, actor=actor, now=now)
    invitation.delete()


def invitation_find(*, token: str, user: User, now: datetime) -> TeamInvitation:
    """The invitation behind a link that ``user`` holds; refused where it works no more."""
    invitation = (
        TeamInvitation.objects.select_related("team", "created_by")
        .filter(Q(invited=None) | Q(invited=user), token=token, expires_at__gt=now)
        .first()
    )
    if invitation is None:
        raise _invalid()
    return invitation


def _invalid() -> Refused:
    return Refused(
        "This invitation has expired or was revoked. Ask the team for a new link.", status=404
    )


@transaction.atomic
def invitation_accept(*, token: str, user: User, now: datetime) -> Team:
    """Join the team behind a link; joining twice changes nothing."""
    invitation = invitation_find(token=token, user=user, now=now)
    # Under the team's lock nobody dissolves it or revokes the link meanwhile.
    Team.objects.select_for_update().filter(pk=invitation.team_id).first()
    team = invitation_find(token=token, user=user, now=now).team
    _, joined = Membership.objects.get_or_create(team=team, user=user)
    TeamInvitation.objects.filter(team=team, invited=user).delete()
    if joined:
        audit_record("team.join", team, actor=user, now=now)
        notice_send(
            users=notice_recipients(team, without=user),
            kind=NoticeKind.TEAM,
            text=f"{user.username} joined {team.name}.",
            now=now,
            team=team,
        )
    return team


@transaction.atomic
def invitation_decline(*, token: str, user: User, now: datetime) -> Team:
    """Decline an invitation to oneself. Links stay valid."""
    invitation = invitation_find(token=token, user=user, now=now)
    if invitation.invited_id != user.pk:
        raise _invalid()
    invitation.delete()
    audit_record("team.decline", invitation.team, actor=user, now=now)
    notice_send(
        users=[invitation.created_by],
        kind=NoticeKind.TEAM,
        text=f"{user.username} does not join {invitation.team.name}.",
        now=now,
        team=invitation.team,
    )
    return invitation.team
