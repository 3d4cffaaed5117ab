"""References that organisers look at before a phase uses them."""

from datetime import datetime, timedelta

from django.db import transaction

from leaderboard.models import Kind, Phase, ReferenceSet, StagedReferences, User
from leaderboard.services.audit import audit_record
from leaderboard.services.references import (
    PhaseHasSubmissions,
    phase_set_references,
    reference_set_get_or_create,
    references_read,
)
from scoring.captions import Fault, References

# What nobody confirmed within this time is deleted when others stage theirs.
KEPT = timedelta(days=2)


class NothingStaged(Exception):
    """There is no file to be confirmed: it was used, discarded, replaced or is too old."""

    def __init__(self) -> None:
        super().__init__(
            "The file is no longer there: it was used, discarded or replaced by another. "
            "Upload it again."
        )


def references_stage(
    *, phase: Phase, user: User, name: str, file_name: str, data: bytes, now: datetime
) -> tuple[StagedReferences, References, tuple[Fault, ...]]:
    """Read a file whole and lay it aside for its use to be confirmed; give it with its warnings.

    Raises ``PhaseHasSubmissions`` or ``ReferencesRejected``; then nothing is stored. It
    takes the place of what the same person staged for the phase before.
    """
    if phase.submissions.exclude(kind=Kind.HUMAN).exists():
        raise PhaseHasSubmissions(phase)
    references, warnings = references_read(data=data, file_name=file_name)
    StagedReferences.objects.filter(created_at__lt=now - KEPT).delete()
    staged, _ = StagedReferences.objects.update_or_create(
        phase=phase,
        user=user,
        defaults={
            "name": name[:120],
            "file_name": file_name[-200:],
            "content": data,
            "created_at": now,
        },
    )
    return staged, references, warnings


def staged_read(staged: StagedReferences) -> tuple[References, tuple[Fault, ...]]:
    """Read a file that was staged, and give its warnings again."""
    return references_read(data=bytes(staged.content), file_name=staged.file_name)


@transaction.atomic
def staged_use(*, phase: Phase, user: User, content_hash: str, now: datetime) -> ReferenceSet:
    """Give a phase the references that ``user`` has looked at.

    ``content_hash`` is that of what was shown, since another window may have staged
    another file. Raises ``NothingStaged`` or ``PhaseHasSubmissions``; then nothing changes.
    """
    staged = _own(phase, user)
    references, _ = staged_read(staged)
    if references.content_hash != content_hash:
        raise NothingStaged
    stored = reference_set_get_or_create(references=references, name=staged.name, now=now)
    phase_set_references(phase=phase, reference_set=stored, actor=user, now=now)
    staged.delete()
    return stored


@transaction.atomic
def staged_discard(*, phase: Phase, user: User, now: datetime) -> None:
    """Forget a file that was staged."""
    staged = _own(phase, user)
    audit_record(
        at=now,
        actor=user,
        action="phase.references_discard",
        target=f"{phase.challenge.slug}/{phase.slug}",
        challenge=phase.challenge,
        file=staged.file_name,
    )
    staged.delete()


def _own(phase: Phase, user: User) -> StagedReferences:
    staged = StagedReferences.objects.select_for_update().filter(phase=phase, user=user).first()
    if staged is None:
        raise NothingStaged
    return staged
