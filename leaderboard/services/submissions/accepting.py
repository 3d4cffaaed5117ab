"""Accepting submissions: reading an upload, checking it, and storing what was accepted."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from earmark.captions import Fault, References
from earmark.captions.faults import count_of
from earmark.packages.metadata import Metadata
from earmark.packages.metadata_files import metadata_merged
from earmark.packages.reading import File, Package, package_against, package_read
from leaderboard.models import Challenge, Phase, StoredFile, Submission, Team, User
from leaderboard.selectors.people.participation import MissingStep, taking_part
from leaderboard.selectors.submissions.quotas import quota_of, submission_slots
from leaderboard.services.audit_log import audit_record
from leaderboard.services.evaluations.states import evaluations_create
from leaderboard.web.public_names import RowNameField
from leaderboard.web.refusals import Refused

WARNINGS_KEPT = 200
MAX_NAME = 80


class FileRejected(Refused):
    """The file has faults, warnings included; ``package`` is what could be read all the same."""

    def __init__(self, faults: Sequence[Fault], package: Package | None = None) -> None:
        errors = sum(fault.severity == "error" for fault in faults)
        super().__init__(
            f"The file has {count_of(errors, 'error')}. Nothing was submitted and no quota was "
            "used.",
            status=422,
            faults=faults,
        )
        self.package = package


@dataclass(frozen=True, slots=True)
class SystemDescription:
    """A team's own description of its system, which takes precedence over that in the files.

    ``metadata`` uses DCASE's field names, nested or flat; an empty name is taken
    from the metadata file.
    """

    name: str = ""
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AttachedFiles:
    """What was sent with the captions or the package.

    ``system`` names the one that is meant of several; by ``key``, which the client chose, a
    repeated upload is recognised.
    """

    metadata: File | None = None
    report: File | None = None
    system: str = ""
    key: str = ""


def package_from_upload(*, upload: File, attached: AttachedFiles) -> Package:
    """The uploaded package, or captions alone; never raises."""
    return package_read(
        upload,
        metadata=attached.metadata,
        report=attached.report,
        system=attached.system,
        max_bytes=settings.MAX_UPLOAD_BYTES,
    )


def package_check(*, references: References, package: Package) -> tuple[File, tuple[Fault, ...]]:
    """The captions of an upload, and its warnings; raises ``FileRejected`` with all faults."""
    captions = package.captions
    reading = package_against(package, references, max_bytes=settings.MAX_UPLOAD_BYTES)
    if captions is None or reading.value is None:
        raise FileRejected(reading.faults, package)
    return captions, reading.faults


def description_completed(system: SystemDescription, package: Package) -> SystemDescription:
    """A description as typed, completed by the metadata file.

    Raises ``FileRejected`` where nothing names the system.
    """
    metadata = metadata_merged(package.metadata, system.metadata)
    name = system.name or suggested_name(package)
    if not name:
        fault = Fault(
            None, "system_name", "", "The system has no name. Enter one, or add it to the metadata."
        )
        raise FileRejected([fault], package)
    return SystemDescription(name, system.description, metadata.to_dict())


def label_of(system: SystemDescription, package: Package) -> str:
    """Label of a system: from the stored metadata, else from the package's files."""
    about = system.metadata.get("submission")
    label = about.get("label") if isinstance(about, dict) else None
    return str(label or package.label)


def suggested_name(package: Package) -> str:
    """The system's name in the metadata, else its label, in the form that pages accept."""
    about = (package.metadata or Metadata()).submission
    for name in (about.name, package.label):
        try:
            return str(RowNameField(max_length=MAX_NAME).clean(name or ""))
        except ValidationError:
            continue
    return ""


def why_closed(phase: Phase, now: datetime) -> str:
    """Why a phase accepts no submissions now."""
    if phase.reference_set_id is None:
        return f"{phase.name} has no references yet."
    if phase.opens_at is not None and now < phase.opens_at:
        return f"{phase.name} opens on {phase.opens_at:%Y-%m-%d %H:%M} UTC."
    return f"{phase.name} closed on {phase.closes_at:%Y-%m-%d %H:%M} UTC."


def submission_accept(
    *,
    phase: Phase,
    team: Team,
    user: User | None,
    system: SystemDescription,
    upload: File,
    now: datetime,
    attached: AttachedFiles | None = None,
) -> Submission:
    """Validate a file or a package and store the submission with its evaluations waiting.

    An upload whose ``attached.key`` was used before returns the submission of that time;
    its ``created_at`` is not ``now``.

    Where it is refused, nothing is stored and no quota spent; a file with faults raises
    ``FileRejected``. The caller enqueues the evaluations on commit.
    """
    attached = attached or AttachedFiles()
    package = package_from_upload(upload=upload, attached=attached)
    before = _earlier_upload(phase, team, attached.key, package)
    if before is not None:
        return before
    if phase.reference_set is None or not phase.is_open(now):
        raise Refused(f"{why_closed(phase, now)} Nothing was submitted.")
    _check_takes_part(phase.challenge, team, user)
    references = phase.reference_set.read()
    captions, warnings = package_check(references=references, package=package)
    system = description_completed(system, package)
    report = package.report
    with transaction.atomic():
        # The lock makes uploads to a phase wait for each other here, so that no two take a
        # team's last slot, and keeps references and rules as they are now; the file was
        # checked against those that were read before.
        current = Phase.objects.select_for_update().get(pk=phase.pk)
        before = _earlier_upload(phase, team, attached.key, package)
        if before is not None:
            return before
        if not current.is_open(now):
            raise Refused(f"{why_closed(current, now)} Nothing was submitted.")
        _check_takes_part(Challenge.objects.get(pk=current.challenge_id), team, user)
        if current.reference_set_id != phase.reference_set_id:
            raise Refused(
                f"The references of {current.name} were replaced while the file was checked. "
                "Nothing was submitted. Submit the file again."
            )
        quota = quota_of(phase=current, team=team, now=now)
        if quota.left == 0:
            raise Refused(f"{quota.sentence} Nothing was submitted.", resets_at=quota.resets_at)
        slots = submission_slots(phase=current, team=team)
        if slots.left == 0:
            raise Refused(f"{slots.sentence} Nothing was submitted.")
        submission = Submission.objects.create(
            phase=phase,
            team=team,
            submitted_by=user,
            system_name=system.name,
            description=system.description,
            metadata=system.metadata,
            file=file_store(captions.data),
            file_name=captions.name[-200:],
            warnings=_warning_lines(warnings),
            label=label_of(system, package)[:80],
            report=None if report is None else file_store(report.data),
            report_name="" if report is None else report.name[-200:],
            upload_key=attached.key or None,
            created_at=now,
        )
        evaluations_create(submission=submission, references=references, now=now)
        audit_record(
            "submission.accept",
            submission,
            actor=user,
            now=now,
            phase=str(phase),
            team=team.slug,
            sha256=submission.file_id,
            upload=upload.name[-200:],
        )
    return submission


def _check_takes_part(challenge: Challenge, team: Team, user: User | None) -> None:
    """Refuse who takes no part; what the installation's own commands submit is nobody's asking."""
    [part] = taking_part(challenge, [team])
    if user is not None and part.missing != MissingStep.NOTHING:
        raise Refused(f"{part.sentence} Nothing was submitted. {part.advice}".strip())


def _earlier_upload(
    phase: Phase, team: Team, upload_key: str, package: Package
) -> Submission | None:
    """The earlier submission with this key; refused for another file."""
    if not upload_key:
        return None
    submission = Submission.objects.filter(phase=phase, team=team, upload_key=upload_key).first()
    if submission is None:
        return None
    captions = package.captions
    if captions is None or hashlib.sha256(captions.data).hexdigest() != submission.file_id:
        raise Refused(
            "This upload key was used for another file. Nothing was submitted. Use a new key."
        )
    return submission


def _warning_lines(warnings: Sequence[Fault]) -> list[str]:
    """The warnings as lines, as many as anyone will read."""
    lines = [str(fault) for fault in warnings[:WARNINGS_KEPT]]
    more = len(warnings) - len(lines)
    return [*lines, f"whole file: {count_of(more, 'more warning')} not listed."] if more else lines


def file_store(data: bytes) -> StoredFile:
    """The stored file with this content; it is created where there is none."""
    stored, _ = StoredFile.objects.get_or_create(
        sha256=hashlib.sha256(data).hexdigest(), defaults={"content": data, "size": len(data)}
    )
    return stored
