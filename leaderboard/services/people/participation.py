"""Asking to take part in a challenge, and what its organisers decide.

A team is asked for by one of its members, as it submits by one of them. Decisions are one UPDATE
each with the expected states in its WHERE clause: of two organisers the second gets an error.
"""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.urls import reverse

from leaderboard.models import (
    Challenge,
    ChallengeParticipation,
    Notice,
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
from leaderboard.services.people.notices import notice_send
from leaderboard.services.submissions.accepting import file_store
from leaderboard.web.refusals import Refused

ASKED, ADMITTED = ParticipationState.ASKED, ParticipationState.ADMITTED
REFUSED, WITHDRAWN = ParticipationState.REFUSED, ParticipationState.WITHDRAWN


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
        needs_approval = locked.approval
        row.state = ASKED if needs_approval else ADMITTED
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
        address = reverse("leaderboard:manage-participant", args=[locked.slug, row.pk])
        notice_send(
            users=locked.organisers.all(),
            kind=NoticeKind.PART,
            text=f"{user.get_username()} asks you to admit {team} to {locked}.",
            now=now,
            page=(locked.title, address),
        )
    return TakingPart(locked, team, row)


# Decision -> in which states it can be taken, its name in the log, and what the team is told.
_DECISIONS = {
    ADMITTED: ((ASKED, REFUSED, WITHDRAWN), "admit", "admitted {row.team}. {next}"),
    REFUSED: ((ASKED,), "refuse", "did not admit {row.team}. Their reason: {row.reason}"),
    WITHDRAWN: (
        (ADMITTED,),
        "withdraw",
        "withdrew the admission of {row.team}: it can no longer submit. Their reason: {row.reason}",
    ),
}


@transaction.atomic
def participation_decide(
    *,
    participation: ChallengeParticipation,
    decision: ParticipationState,
    actor: User,
    now: datetime,
    reason: str = "",
) -> None:
    """Admit a team, refuse one that asked or withdraw an admission; the team is told, and why.

    Those refused or withdrawn may be admitted later. What a team submitted stands.
    """
    row, (expected, act, sentence) = participation, _DECISIONS[decision]
    # The lock keeps a team that asks meanwhile from writing over the decision.
    challenge = Challenge.objects.select_for_update().get(pk=row.challenge_id)
    changes = {"state": decision, "reason": reason, "decided_at": now, "decided_by": actor}
    if ChallengeParticipation.objects.filter(pk=row.pk, state__in=expected).update(**changes) != 1:
        raise Refused(
            f"Somebody else has decided about {row.team} in the meantime. Nothing was changed."
        )
    for name, value in changes.items():
        setattr(row, name, value)
    _audit(row, f"participation.{act}", actor, now, **({"reason": reason} if reason else {}))
    # What organisers were asked is done.
    address = reverse("leaderboard:manage-participant", args=[challenge.slug, row.pk])
    Notice.objects.filter(path=address, read_at=None).update(read_at=now)
    lacks = TakingPart(challenge, row.team, row).missing == MissingStep.ACCEPT
    then = "Accept the terms before you submit." if lacks else "You can submit."
    notice_send(
        users=notice_recipients(row.team),
        kind=NoticeKind.PART,
        text=f"The organisers of {challenge} {sentence.format(row=row, next=then)}",
        now=now,
        page=(challenge.title, reverse("leaderboard:challenge", args=[challenge.slug])),
    )


def waiting_admit(*, challenge: Challenge, actor: User, now: datetime) -> None:
    """Admit who waits, since organisers decide no longer; in the transaction of that change."""
    waiting = challenge.participations.filter(state=ASKED)
    for row in waiting.select_related("challenge", "team").order_by("pk"):
        participation_decide(participation=row, decision=ADMITTED, actor=actor, now=now)


def terms_renewed_notify(*, challenge: Challenge, now: datetime) -> None:
    """Tell everyone who takes part that there are terms to accept."""
    notice_send(
        users=people_taking_part(challenge),
        kind=NoticeKind.PART,
        text=f"{challenge} has new terms. Your team must accept them before it submits again; "
        "its submissions still count.",
        now=now,
        page=(challenge.title, reverse("leaderboard:take-part", args=[challenge.slug])),
    )


def _audit(
    row: ChallengeParticipation, action: str, actor: User, now: datetime, **details: Any
) -> None:
    audit_record(
        action,
        row.team,
        actor=actor,
        now=now,
        challenge=row.challenge,
        title=row.challenge.title,
        **details,
    )
