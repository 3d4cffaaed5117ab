"""Organisers of a challenge: adding them, by user name or by e-mail, and removing them."""

from datetime import datetime

from django.db import transaction

from leaderboard.models import Challenge, NoticeKind, OrganiserInvitation, User
from leaderboard.services.audit_log import audit_record
from leaderboard.services.people.notices import notice_send
from leaderboard.services.people.teams import INVITATION_LASTS
from leaderboard.web.refusals import Refused

# More open invitations than this would look like bulk mail.
MAX_INVITATIONS = 20


@transaction.atomic
def organiser_add(*, challenge: Challenge, user: User, actor: User, now: datetime) -> bool:
    """Make somebody an organiser and notify them; returns whether that is new."""
    locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
    if locked.organisers.filter(pk=user.pk).exists():
        return False
    _add(locked, user, actor, now)
    notice_send(
        users=[user],
        kind=NoticeKind.INVITED,
        text=f"{actor.get_username()} made you an organiser of {locked.title}. Its pages are "
        "under Manage.",
        now=now,
    )
    return True


@transaction.atomic
def organiser_remove(*, challenge: Challenge, user: User, actor: User, now: datetime) -> bool:
    """Remove an organiser, oneself included; returns whether they were one.

    The last one stays. When somebody else is removed, open invitations stop working.
    """
    locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
    if not locked.organisers.filter(pk=user.pk).exists():
        return False
    if locked.organisers.filter(is_active=True).exclude(pk=user.pk).count() == 0:
        raise Refused(f"{locked} has no other organiser. Add somebody first.")
    locked.organisers.remove(user)
    if actor.pk != user.pk:
        # They may know the links of all invitations, and would be back with one.
        locked.organiser_invitations.all().delete()
    _audit_person("organiser.remove", locked, user, actor, now)
    return True


@transaction.atomic
def organiser_invite(
    *, challenge: Challenge, email: str, actor: User, now: datetime
) -> OrganiserInvitation:
    """Create an invitation for an e-mail address, whoever has it; the caller sends it on commit.

    It replaces an earlier one to the same address.
    """
    locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
    locked.organiser_invitations.filter(expires_at__lte=now).delete()
    address = email.lower()
    locked.organiser_invitations.filter(email=address).delete()
    if locked.organiser_invitations.count() >= MAX_INVITATIONS:
        raise Refused(
            f"{MAX_INVITATIONS} invitations are open, which is the limit. Revoke one first."
        )
    invitation = OrganiserInvitation.objects.create(
        challenge=locked,
        email=address,
        created_by=actor,
        created_at=now,
        expires_at=now + INVITATION_LASTS,
    )
    # The address is known to the organisers alone and does not belong in a permanent log.
    audit_record("organiser.invite", locked, actor=actor, now=now)
    return invitation


@transaction.atomic
def organiser_invitation_revoke(
    *, invitation: OrganiserInvitation, actor: User, now: datetime
) -> None:
    """Revoke an invitation."""
    audit_record("organiser.invite_revoke", invitation.challenge, actor=actor, now=now)
    invitation.delete()


def organiser_invitation_find(*, token: str, now: datetime) -> OrganiserInvitation:
    """An invitation that works; refused where it does not, or no longer."""
    invitation = (
        OrganiserInvitation.objects.filter(token=token, expires_at__gt=now)
        .select_related("challenge", "created_by")
        .first()
    )
    if invitation is None:
        raise _gone()
    return invitation


def _gone() -> Refused:
    return Refused(
        "This invitation was used, was revoked or is older than "
        f"{INVITATION_LASTS.days} days. Ask for a new one.",
        status=404,
    )


@transaction.atomic
def organiser_invitation_accept(*, token: str, user: User, now: datetime) -> Challenge:
    """Make the holder of an invitation an organiser; the invitation works once."""
    invitation = organiser_invitation_find(token=token, now=now)
    challenge = Challenge.objects.select_for_update().get(pk=invitation.challenge_id)
    used, _ = OrganiserInvitation.objects.filter(pk=invitation.pk).delete()
    if not used:
        raise _gone()
    if not challenge.organisers.filter(pk=user.pk).exists():
        _add(challenge, user, user, now)
    return challenge


def _add(challenge: Challenge, user: User, actor: User, now: datetime) -> None:
    challenge.organisers.add(user)
    _audit_person("organiser.add", challenge, user, actor, now)


def _audit_person(
    action: str, challenge: Challenge, user: User, actor: User, now: datetime
) -> None:
    audit_record(
        action, user.get_username(), actor=actor, now=now, challenge=challenge, user=user.pk
    )
