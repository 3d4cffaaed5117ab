"""Taking submissions in."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from leaderboard.models import Phase, Submission, Team, User
from leaderboard.selectors.quotas import Quota, quota_of
from leaderboard.services.audit import audit_record
from leaderboard.services.evaluations import evaluations_create
from leaderboard.services.files import file_store
from scoring.captions import (
    Candidates,
    Fault,
    Limits,
    Reading,
    References,
    read_candidates,
)

WARNINGS_KEPT = 200


class SubmissionRefused(Exception):
    """A submission that could not be taken; its text says why."""


class PhaseClosed(SubmissionRefused):
    """The phase takes no submissions now."""

    def __init__(self, phase: Phase, now: datetime) -> None:
        if phase.reference_set_id is None:
            why = "has no references yet"
        elif phase.opens_at is not None and now < phase.opens_at:
            why = f"opens on {phase.opens_at:%Y-%m-%d %H:%M} UTC"
        else:
            why = f"closed on {phase.closes_at:%Y-%m-%d %H:%M} UTC"
        self.reason = f"{phase.name} {why}."
        super().__init__(f"{self.reason} Nothing was submitted.")


class ReferencesReplaced(SubmissionRefused):
    """The file was checked against references that are no longer those of the phase."""

    def __init__(self, phase: Phase) -> None:
        super().__init__(
            f"The references of {phase.name} were replaced while the file was checked. "
            "Nothing was submitted. Submit it again."
        )


class QuotaSpent(SubmissionRefused):
    """The team has no submission left."""

    def __init__(self, quota: Quota) -> None:
        super().__init__(f"{quota.sentence} Nothing was submitted.")
        self.quota = quota


class FileRejected(SubmissionRefused):
    """The file has faults; ``faults`` lists all of them, warnings included."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        errors = sum(fault.severity == "error" for fault in faults)
        what = "1 fault" if errors == 1 else f"{errors} faults"
        super().__init__(f"The file has {what}. Nothing was submitted and no quota was spent.")
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class SystemDescription:
    """What a team says about its system; ``metadata`` uses DCASE's field names."""

    name: str
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came."""

    data: bytes
    file_name: str


def candidates_read(*, references: References, upload: Upload) -> Reading[Candidates]:
    """Read a file of candidates as this installation takes them.

    A file with far more rows than clips is the wrong file (those with a row per
    reference have five or so); to list each of its rows as a fault would help
    nobody and cost the time of all others.
    """
    limits = Limits(max_bytes=settings.MAX_UPLOAD_BYTES, max_rows=10 * len(references) + 1_000)
    return read_candidates(upload.data, references, file_name=upload.file_name, limits=limits)


def candidates_check(*, references: References, upload: Upload) -> tuple[Fault, ...]:
    """Give the warnings of a file of candidates, or raise ``FileRejected``."""
    reading = candidates_read(references=references, upload=upload)
    if reading.value is None:
        raise FileRejected(reading.faults)
    return reading.warnings


def submission_accept(
    *,
    phase: Phase,
    team: Team,
    user: User | None,
    system: SystemDescription,
    upload: Upload,
    now: datetime,
) -> Submission:
    """Validate a file whole and take it in with its evaluations waiting.

    Raises ``PhaseClosed``, ``FileRejected``, ``ReferencesReplaced`` or
    ``QuotaSpent``; then nothing is stored and no quota spent. The caller
    enqueues the evaluations on commit.
    """
    if phase.reference_set is None or not phase.is_open(now):
        raise PhaseClosed(phase, now)
    references = phase.reference_set.read()
    warnings = candidates_check(references=references, upload=upload)
    with transaction.atomic():
        # The lock makes the uploads to a phase queue up here, so that no two of them
        # can both take a team's last place, and keeps its references and rules as they
        # are now; the file was checked against those that were read before.
        current = Phase.objects.select_for_update().get(pk=phase.pk)
        if not current.is_open(now):
            raise PhaseClosed(current, now)
        if current.reference_set_id != phase.reference_set_id:
            raise ReferencesReplaced(current)
        quota = quota_of(phase=current, team=team, now=now)
        if quota.left == 0:
            raise QuotaSpent(quota)
        submission = Submission.objects.create(
            phase=phase,
            team=team,
            submitted_by=user,
            system_name=system.name,
            description=system.description,
            metadata=system.metadata,
            file=file_store(upload.data),
            file_name=upload.file_name[-200:],
            warnings=_kept(warnings),
            created_at=now,
        )
        evaluations_create(submission=submission, references=references, now=now)
        audit_record(
            at=now,
            actor=user,
            action="submission.accept",
            target=submission.public_id,
            phase=str(phase),
            team=team.slug,
            sha256=submission.file_id,
        )
    return submission


def _kept(warnings: Sequence[Fault]) -> list[str]:
    """Write warnings out, as many as anyone will read."""
    kept = [str(fault) for fault in warnings[:WARNINGS_KEPT]]
    more = len(warnings) - len(kept)
    return [*kept, f"whole file: Warnings that are not listed: {more:,}."] if more else kept
