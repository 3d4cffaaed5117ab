"""The audit log: one event for each change."""

from datetime import datetime
from typing import Any

from leaderboard.models import AuditEvent, Challenge, Phase, Submission, User


def audit_record(
    *,
    at: datetime,
    actor: User | None,
    action: str,
    target: object,
    challenge: Challenge | None = None,
    **details: Any,
) -> AuditEvent:
    """Add one event; ``actor`` None stands for the system or a command.

    What concerns a challenge names it, so that its organisers find it in its log.
    """
    return AuditEvent.objects.create(
        at=at,
        actor=actor,
        challenge=challenge,
        action=action,
        target=str(target)[:200],
        details=details,
    )


def audit_challenge(
    challenge: Challenge, action: str, /, *, actor: User | None, now: datetime, **details: Any
) -> None:
    """Add an event of a challenge as a whole, under its address."""
    audit_record(
        at=now,
        actor=actor,
        action=action,
        target=challenge.slug,
        challenge=challenge,
        **details,
    )


def audit_phase(
    phase: Phase, action: str, /, *, actor: User | None, now: datetime, **details: Any
) -> None:
    """Add an event of a phase, under the phase's address."""
    audit_record(
        at=now,
        actor=actor,
        action=action,
        target=f"{phase.challenge.slug}/{phase.slug}",
        challenge=phase.challenge,
        **details,
    )


def audit_submission(
    submission: Submission, action: str, /, *, actor: User | None, now: datetime, **details: Any
) -> None:
    """Add an event of a submission, under its public id."""
    audit_record(
        at=now,
        actor=actor,
        action=action,
        target=submission.public_id,
        challenge=submission.phase.challenge,
        **details,
    )
