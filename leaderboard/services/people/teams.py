"""Teams: creating, renaming and dissolving them, inviting people, and the roles of members.

What changes memberships locks the team, so that two owners who leave at once never leave it
without one.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.text import slugify

from leaderboard.models import (
    Membership,
    NoticeKind,
    Submission,
    Team,
    TeamInvitation,
    TeamRole,
    User,
)
from leaderboard.models.public_id import public_id
from leaderboard.selectors.people.notices import notice_recipients
from leaderboard.selectors.people.teams import owned_team_count, phases_fixing_name
from leaderboard.services.audit_log import audit_record
from leaderboard.services.people.notices import notice_send
from leaderboard.web.public_names import is_sites_own, name_key
from leaderboard.web.refusals import Refused

# Addresses of pages beside the teams' own.
RESERVED_SLUGS = {"new", "join"}
# Where teams do not share a quota, who could make teams without end would have none.
MAX_OWNED = 10


def team_create(*, name: str, affiliation: str, owner: User | None, now: datetime) -> Team:
    """Create a team with its first owner; refused where its name is taken or they own too many.

    ``owner`` None makes a team without members, to which organisers add people.
    """
    _refuse_taken(name, Team.objects.values_list("name", flat=True))
    slug = slugify(name)[:40] or public_id()
    if slug in RESERVED_SLUGS or Team.objects.filter(slug=slug).exists():
        slug = f"{slug}-{public_id()[:4]}"
    try:
        with transaction.atomic():
            if owner is not None:
                # Under the lock a person's requests wait for each other.
                list(User.objects.select_for_update().filter(pk=owner.pk))
                if owned_team_count(owner) >= MAX_OWNED:
                    raise Refused(
                        f"You already own {MAX_OWNED} teams, and nobody may own more. Submit for "
                        "one of them.",
                        field="name",
                    )
            team = Team.objects.create(
                name=name, slug=slug, affiliation=affiliation, created_by=owner
            )
            if owner is not None:
                Membership.objects.create(team=team, user=owner, role=TeamRole.OWNER)
            audit_record("team.create", team, actor=owner, now=now)
    except IntegrityError as error:
        raise _taken(name) from error
    return team


def team_edit(
    *,
    team: Team,
    name: str,
    affiliation: str,
    actor: User,
    organised: Collection[int],
    now: datetime,
) -> bool:
    """Change a team's name and affiliation; returns whether anything changed.

    Refused where the name is taken, or the team is ranked in a phase that is closed or frozen,
    unless ``actor`` runs its challenge: ``organised`` holds the ids of the challenges that they
    run. The address stays as it is.
    """
    try:
        with transaction.atomic():
            current = Team.objects.select_for_update().get(pk=team.pk)
            before = {"name": current.name, "affiliation": current.affiliation}
            after = {"name": name, "affiliation": affiliation}
            if before == after:
                return False
            fixing = phases_fixing_name(team=current, now=now).exclude(challenge__in=organised)
            if (phase := fixing.first()) is not None:
                why = "is frozen" if phase.frozen_at is not None else "is closed"
                raise Refused(
                    f"{current.name} is ranked under its present name and affiliation in {phase}, "
                    f"which {why}. Ask the organisers to change them."
                )
            _refuse_taken(name, Team.objects.exclude(pk=team.pk).values_list("name", flat=True))
            Team.objects.filter(pk=team.pk).update(**after)
            audit_record("team.edit", current, actor=actor, now=now, before=before, after=after)
    except IntegrityError as error:
        raise _taken(name) from error
    return True


def _refuse_taken(name: str, others: Iterable[str]) -> None:
    # Databases compare without case each in its own way, and none sees wide letters.
    if is_sites_own(name) or name_key(name) in map(name_key, others):
        raise _taken(name)


def _taken(name: str) -> Refused:
    return Refused(f"There is already a team called {name!r}. Choose another name.", field="name")


@transaction.atomic
def role_set(*, membership: Membership, role: TeamRole, actor: User, now: datetime) -> None:
    """Make a member an owner, or an owner a member; the last owner stays one."""
    current = _locked(membership)
    if current.role == role:
        return
    if role == TeamRole.OWNER:
        _refuse_more_teams(current.user)
    else:
        _refuse_last(current)
    _change(current, role)
    _record("team.role", current, actor, now, role=role.value)
    role_name = "an owner" if role == TeamRole.OWNER else "a member"
    _notify(current, actor, f"{actor.username} made you {role_name} of {current.team.name}.", now)


@transaction.atomic
def member_remove(*, membership: Membership, actor: User, now: datetime) -> None:
    """Remove a member from a team, but not its last owner. Their submissions stay the team's.

    The open links of the team stop working.
    """
    current = _locked(membership)
    _refuse_last(current)
    current.delete()
    # They may know the links, and would be back with one.
    TeamInvitation.objects.filter(team=current.team_id, invited=None).delete()
    TeamInvitation.objects.filter(team=current.team_id, invited=current.user_id).delete()
    _record("team.remove", current, actor, now)
    # It leads to no team: the page may be closed to them now.
    text = f"{actor.username} took you out of the team {current.team.name}."
    notice_send(users=[current.user], kind=NoticeKind.TEAM, text=text, now=now)


@transaction.atomic
def team_leave(*, membership: Membership, now: datetime) -> None:
    """Leave a team that keeps an owner. One's submissions stay the team's."""
    current = _locked(membership)
    if current.team.memberships.count() == 1:
        raise _only_member(current.team)
    _refuse_last(current)
    current.delete()
    _record("team.leave", current, current.user, now)
    text = f"{current.user.username} left {current.team.name}."
    _tell(notice_recipients(current.team), text, current.team, now)


@transaction.atomic
def team_hand_over(*, to: Membership, actor: User, now: datetime) -> None:
    """Make another member the owner in place of ``actor``."""
    heir = _locked(to)
    own = Membership.objects.get(team=heir.team_id, user=actor)
    if heir.pk == own.pk:
        return
    if heir.role != TeamRole.OWNER:
        _refuse_more_teams(heir.user)
        _change(heir, TeamRole.OWNER)
    _change(own, TeamRole.MEMBER)
    _record("team.hand_over", heir, actor, now)
    _notify(heir, actor, f"{actor.username} handed {heir.team.name} over to you.", now)


@transaction.atomic
def team_dissolve(*, membership: Membership, now: datetime) -> None:
    """Delete a team of one that has submitted nothing."""
    current = _locked(membership)
    team = current.team
    if team.memberships.count() > 1:
        raise Refused(f"{team.name} has other members. Leave the team, or hand it over.")
    if Submission.objects.filter(team=team).exists():
        raise _only_member(team)
    _record("team.dissolve", current, current.user, now, name=team.name)
    team.delete()


def _locked(membership: Membership) -> Membership:
    """The membership as it is now, with its team locked."""
    Team.objects.select_for_update().get(pk=membership.team_id)
    return Membership.objects.select_related("team", "user").get(pk=membership.pk)


def _only_member(team: Team) -> Refused:
    return Refused(
        f"You are the only member of {team.name}, and a team with submissions needs a member. "
        "Invite somebody and hand the team over. Systems that should not count can be withdrawn."
    )


def _refuse_last(membership: Membership) -> None:
    owners = Membership.objects.filter(team=membership.team_id, role=TeamRole.OWNER)
    if membership.role == TeamRole.OWNER and owners.count() == 1:
        raise Refused(
            f"{membership.team.name} has no other owner. Make another member an owner first, or "
            "hand it over."
        )


def _refuse_more_teams(user: User) -> None:
    if owned_team_count(user) >= MAX_OWNED:
        raise Refused(
            f"{user.username} already owns {MAX_OWNED} teams, and nobody may own more. Choose "
            "another member."
        )


def _change(membership: Membership, role: TeamRole) -> None:
    Membership.objects.filter(pk=membership.pk).update(role=role)


def _record(
    action: str, membership: Membership, actor: User, now: datetime, **details: Any
) -> None:
    audit_record(
        action, membership.team, actor=actor, now=now, person=membership.user.username, **details
    )


def _notify(membership: Membership, actor: User, text: str, now: datetime) -> None:
    if membership.user_id != actor.pk:
        _tell([membership.user], text, membership.team, now)


def _tell(users: Iterable[User], text: str, team: Team, now: datetime) -> None:
    notice_send(users=users, kind=NoticeKind.TEAM, text=text, now=now, team=team)


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
        text = f"{user.username} joined {team.name}."
        _tell(notice_recipients(team, without=user), text, team, now)
    return team


@transaction.atomic
def invitation_decline(*, token: str, user: User, now: datetime) -> Team:
    """Decline an invitation to oneself. Links stay valid."""
    invitation = invitation_find(token=token, user=user, now=now)
    if invitation.invited_id != user.pk:
        raise _invalid()
    invitation.delete()
    audit_record("team.decline", invitation.team, actor=user, now=now)
    text = f"{user.username} does not join {invitation.team.name}."
    _tell([invitation.created_by], text, invitation.team, now)
    return invitation.team
