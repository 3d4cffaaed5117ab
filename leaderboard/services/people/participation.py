"""Asking to take part in a challenge, and what its organisers decide.

A team is asked for by one of its members, as it submits by one of them. Decisions are one UPDATE
each with the expected states in its WHERE clause: of two organisers the second gets an error.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction
from django.urls import reverse

from leaderboard.models import (
    Challenge,
    ChallengeParticipation,
    NoticeKind,
    ParticipationState,
    Team,
    User,
)
from leaderboard.selectors.people.notices import notice_recipients
from leaderboard.selectors.people.participation import (
    MissingStep,
    TakingPart,
    people_taking_part,
    taking_part,
    terms_digest,
)
from leaderboard.services.audit_log import audit_record
from leaderboard.services.people.notices import NoticePage, notice_send
from leaderboard.services.submissions.accepting import file_store
from leaderboard.web.refusals import Refused

ASKED, ADMITTED = ParticipationState.ASKED, ParticipationState.ADMITTED
REFUSED, WITHDRAWN = ParticipationState.REFUSED, ParticipationState.WITHDRAWN
_NOT_IN = (ASKED, REFUSED, WITHDRAWN)


@transaction.atomic
def participation_ask(
    *, challenge: Challenge, team: Team, user: User, terms_read: str, note: str, now: datetime
) -> TakingPart:
    """Accept the terms for a team and ask that it takes part; returns how it stands then.

    ``terms_read`` is the digest of the text that was shown. Without approval the team takes
    part at once. Refused where it may not ask, or the terms are others by now.
    """
    # Under the lock the terms stay as they are, and two members do not ask at once.
    locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
    before = taking_part(locked, [team])[0]
    if not before.may_ask:
        raise Refused(before.sentence or f"{locked} is open to every team.")
    if locked.terms and terms_read != terms_digest(locked):
        raise Refused("The terms were changed while you read them. Read them again below.")
    row = before.row or ChallengeParticipation(challenge=locked, team=team)
    if row.state != ADMITTED:
        asked = locked.approval
        row.state = ASKED if asked else ADMITTED
        row.asked_at, row.asked_by, row.note = now, user, note
        row.decided_at = row.decided_by = None
        row.reason = ""
    details: dict[str, Any] = {}
    if locked.terms:
        row.terms = file_store(locked.terms.encode())
        row.terms_version = locked.terms_version
        row.accepted_at, row.accepted_by = now, user
        details = {"terms_sha256": row.terms.sha256, "terms_version": row.terms_version}
    row.save()
    waits = row.state == ASKED
    action = "participation.ask" if waits else "participation.accept"
    _audit(row, action, user, now, **details)
    if waits:
        _notify_organisers(row, user, now)
    return TakingPart(locked, team, row)


@transaction.atomic
def participation_admit(
    *, participation: ChallengeParticipation, actor: User, now: datetime
) -> None:
    """Admit a team, also one that was refused or whose admission was withdrawn."""
    challenge = _decide(participation, _NOT_IN, ADMITTED, "", actor, now)
    _audit(participation, "participation.admit", actor, now)
    part = TakingPart(challenge, participation.team, participation)
    lacks = part.missing == MissingStep.ACCEPT
    _notify_team(
        participation,
        f"The organisers of {challenge} admitted {participation.team}. "
        f"{'Accept the terms before you submit.' if lacks else 'You can submit.'}",
        now,
    )


@transaction.atomic
def participation_refuse(
    *, participation: ChallengeParticipation, reason: str, actor: User, now: datetime
) -> None:
    """Refuse a team that asked; it is told the reason."""
    _decide(participation, {ASKED}, REFUSED, reason, actor, now)
    _audit(participation, "participation.refuse", actor, now, reason=reason)
    _notify_team(
        participation,
        f"The organisers of {participation.challenge} did not admit {participation.team}. "
        f"Their reason: {reason}",
        now,
    )


@transaction.atomic
def participation_withdraw(
    *, participation: ChallengeParticipation, reason: str, actor: User, now: datetime
) -> None:
    """Withdraw an admission: the team submits no more, and what it submitted stands."""
    _decide(participation, {ADMITTED}, WITHDRAWN, reason, actor, now)
    _audit(participation, "participation.withdraw", actor, now, reason=reason)
    _notify_team(
        participation,
        f"The organisers of {participation.challenge} withdrew the admission of "
        f"{participation.team}: it can no longer submit. Their reason: {reason}",
        now,
    )


def waiting_admit(*, challenge: Challenge, actor: User, now: datetime) -> None:
    """Admit who waits, since organisers decide no longer; in the transaction of that change."""
    waiting = challenge.participations.filter(state=ASKED)
    for row in waiting.select_related("challenge", "team").order_by("pk"):
        participation_admit(participation=row, actor=actor, now=now)


def terms_renewed_notify(*, challenge: Challenge, now: datetime) -> None:
    """Tell everyone who takes part that there are terms to accept."""
    notice_send(
        users=people_taking_part(challenge),
        kind=NoticeKind.PART,
        text=f"{challenge} has new terms. Your team must accept them before it submits again; "
        "its submissions still count.",
        now=now,
        page=NoticePage(challenge.title, reverse("leaderboard:take-part", args=[challenge.slug])),
    )


def _decide(
    row: ChallengeParticipation,
    expected: Collection[ParticipationState],
    state: ParticipationState,
    reason: str,
    actor: User,
    now: datetime,
) -> Challenge:
    """Decide in one of the expected states; returns the challenge as it is now, locked.

    The lock keeps a team that asks meanwhile from writing over the decision.
    """
    challenge = Challenge.objects.select_for_update().get(pk=row.challenge_id)
    changes = {"state": state, "reason": reason, "decided_at": now, "decided_by": actor}
    if ChallengeParticipation.objects.filter(pk=row.pk, state__in=expected).update(**changes) != 1:
        raise Refused(
            f"Somebody else has decided about {row.team} in the meantime. Nothing was changed."
        )
    for name, value in changes.items():
        setattr(row, name, value)
    return challenge


def _notify_organisers(row: ChallengeParticipation, user: User, now: datetime) -> None:
    address = reverse("leaderboard:manage-participant", args=[row.challenge.slug, row.pk])
    notice_send(
        users=row.challenge.organisers.all(),
        kind=NoticeKind.PART,
        text=f"{user.get_username()} asks you to admit {row.team} to {row.challenge}.",
        now=now,
        page=NoticePage(row.challenge.title, address),
    )


def _notify_team(row: ChallengeParticipation, text: str, now: datetime) -> None:
    address = reverse("leaderboard:challenge", args=[row.challenge.slug])
    notice_send(
        users=notice_recipients(row.team),
        kind=NoticeKind.PART,
        text=text,
        now=now,
        page=NoticePage(row.challenge.title, address),
    )


def _audit(
    row: ChallengeParticipation, action: str, actor: User, now: datetime, **details: Any
) -> None:
    audit_record(
        at=now,
        actor=actor,
        action=action,
        target=row.team.slug,
        challenge=row.challenge,
        title=row.challenge.title,
        **details,
    )
