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
from leaderboard.services.audit_log import audit_submission
from leaderboard.services.evaluations.states import submission_retry
from leaderboard.services.people.notices import notice_send
from leaderboard.web.refusals import Refused


@transaction.atomic
def submission_disqualify(
    *, submission: Submission, reason: str, actor: User | None, now: datetime
) -> None:
    """Take a submission out of the ranking; its team is notified of the reason."""
    before = {"disqualified_at": None}
    if not _changed(submission, before, disqualified_at=now, disqualified_for=reason):
        raise _decided(submission, "has already been disqualified")
    _record(submission, "submission.disqualify", actor, now, reason=reason)
    _notify_team(
        submission,
        f"The organisers of {submission.phase.challenge} disqualified "
        f"{submission.system_name} in {submission.phase.name}. Their reason: {reason}",
        now,
    )


@transaction.atomic
def submission_restore(*, submission: Submission, actor: User | None, now: datetime) -> None:
    """Revoke a disqualification."""
    judged = {"disqualified_at__isnull": False}
    if not _changed(submission, judged, disqualified_at=None, disqualified_for=""):
        raise _decided(submission, "has already been restored")
    _record(submission, "submission.restore", actor, now)
    _notify_team(
        submission,
        f"The organisers of {submission.phase.challenge} restored {submission.system_name} "
        f"in {submission.phase.name}: it is no longer disqualified.",
        now,
    )


@transaction.atomic
def submission_mark(
    *, submission: Submission, kind: Kind, actor: User | None, now: datetime
) -> None:
    """Mark a submission as competing, or as a baseline beside the ranking."""
    if Kind.HUMAN in {submission.kind, kind}:
        raise Refused(
            "The human row never competes and cannot be a baseline. Choose a submission of a team."
        )
    other = Kind.SYSTEM if kind == Kind.BASELINE else Kind.BASELINE
    if not _changed(submission, {"kind": other}, kind=kind):
        state = "is already a baseline" if kind == Kind.BASELINE else "already competes"
        raise _decided(submission, state)
    _record(submission, "submission.mark", actor, now, kind=kind.value)
    what = "as a baseline, beside the ranking" if kind == Kind.BASELINE else "as competing"
    _notify_team(
        submission,
        f"The organisers of {submission.phase.challenge} marked {submission.system_name} "
        f"in {submission.phase.name} {what}.",
        now,
    )


def submissions_retry(
    *, submissions: Iterable[Submission], actor: User | None, now: datetime
) -> list[int]:
    """Queue failed evaluations of several submissions again; returns their ids."""
    retried = []
    for submission in submissions:
        # One transaction each: hundreds in one would keep the workers waiting.
        retried += submission_retry(submission=submission, actor=actor, now=now)
    return retried


def _decided(submission: Submission, state: str) -> Refused:
    """Somebody else was quicker."""
    return Refused(f"{submission.system_name} {state}. Nothing was changed.")


def _changed(submission: Submission, expected: dict[str, Any], **changes: Any) -> bool:
    """Change a submission in the expected state, under the lock of its phase."""
    Phase.objects.select_for_update().get(pk=submission.phase_id)
    row = Submission.objects.filter(pk=submission.pk, **expected)
    if row.update(**changes) != 1:
        return False
    for name, value in changes.items():
        setattr(submission, name, value)
    return True


def _record(
    submission: Submission, action: str, actor: User | None, now: datetime, **details: Any
) -> None:
    audit_submission(
        submission,
        action,
        actor=actor,
        now=now,
        phase=submission.phase.name,
        system=submission.system_name,
        team=submission.team.slug,
        **details,
    )


def _notify_team(submission: Submission, text: str, now: datetime) -> None:
    notice_send(
        users=notice_recipients(submission.team),
        kind=NoticeKind.JUDGED,
        text=text,
        now=now,
        submission=submission,
    )
