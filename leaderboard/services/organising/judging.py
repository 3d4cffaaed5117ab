"""Decisions of organisers about single submissions.

Each change is one UPDATE with the expected state in its WHERE clause, under the lock
of the phase, so that of two organisers who decide at once the second gets an error. A
ranking reads the columns that change here, and so changes with them.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction

from leaderboard.models import Kind, NoticeKind, Phase, Submission, User
from leaderboard.selectors.people.notices import notice_recipients
from leaderboard.services.audit_log import audit_record
from leaderboard.services.evaluations.states import submission_retry
from leaderboard.services.people.notices import notice_send
from leaderboard.web.refusals import Refused


@transaction.atomic
def submission_disqualify(
    *, submission: Submission, reason: str, actor: User | None, now: datetime
) -> None:
    """Take a submission out of the ranking; its team is notified of the reason."""
    ranked, already = {"disqualified_at": None}, "has already been disqualified"
    _change(submission, ranked, already, disqualified_at=now, disqualified_for=reason)
    _record(submission, "submission.disqualify", actor, now, reason=reason)
    _notify_team(submission, "disqualified", f". Their reason: {reason}", now)


@transaction.atomic
def submission_restore(*, submission: Submission, actor: User | None, now: datetime) -> None:
    """Revoke a disqualification."""
    judged, already = {"disqualified_at__isnull": False}, "has already been restored"
    _change(submission, judged, already, disqualified_at=None, disqualified_for="")
    _record(submission, "submission.restore", actor, now)
    _notify_team(submission, "restored", ": it is no longer disqualified.", now)


@transaction.atomic
def submission_mark(
    *, submission: Submission, kind: Kind, actor: User | None, now: datetime
) -> None:
    """Mark a submission as competing, or as a baseline beside the ranking."""
    if Kind.HUMAN in {submission.kind, kind}:
        raise Refused(
            "The human row never competes and cannot be a baseline. Choose a submission of a team."
        )
    if kind == Kind.BASELINE:
        other, already = Kind.SYSTEM, "is already a baseline"
        what = " as a baseline, beside the ranking."
    else:
        other, already, what = Kind.BASELINE, "already competes", " as competing."
    _change(submission, {"kind": other}, already, kind=kind)
    _record(submission, "submission.mark", actor, now, kind=kind.value)
    _notify_team(submission, "marked", what, now)


def submissions_retry(
    *, submissions: Iterable[Submission], actor: User | None, now: datetime
) -> list[int]:
    """Queue failed evaluations of several submissions again; returns their ids."""
    retried = []
    for submission in submissions:
        # One transaction each: hundreds in one would keep the workers waiting.
        retried += submission_retry(submission=submission, actor=actor, now=now)
    return retried


def _change(submission: Submission, expected: dict[str, Any], already: str, **changes: Any) -> None:
    """Change a submission in the expected state, under the lock of its phase.

    Refused where somebody else was quicker: ``already`` says what it is then.
    """
    Phase.objects.select_for_update().get(pk=submission.phase_id)
    row = Submission.objects.filter(pk=submission.pk, **expected)
    if row.update(**changes) != 1:
        raise Refused(f"{submission.system_name} {already}. Nothing was changed.")
    for name, value in changes.items():
        setattr(submission, name, value)


def _record(
    submission: Submission, action: str, actor: User | None, now: datetime, **details: Any
) -> None:
    audit_record(
        action,
        submission,
        actor=actor,
        now=now,
        phase=submission.phase.name,
        system=submission.system_name,
        team=submission.team.slug,
        **details,
    )


def _notify_team(submission: Submission, did: str, more: str, now: datetime) -> None:
    phase = submission.phase
    what = f"{did} {submission.system_name} in {phase.name}{more}"
    notice_send(
        users=notice_recipients(submission.team),
        kind=NoticeKind.JUDGED,
        text=f"The organisers of {phase.challenge} {what}",
        now=now,
        submission=submission,
    )
