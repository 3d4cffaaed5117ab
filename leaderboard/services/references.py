"""Bringing reference captions in."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from leaderboard.models import Kind, Phase, ReferenceSet, User
from leaderboard.services.audit import audit_record
from scoring.captions import Fault, References, read_references


class ReferencesRejected(Exception):
    """The file of references has faults; ``faults`` lists all of them."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__(f"The references have {len(faults)} faults.")
        self.faults = tuple(faults)


class PhaseHasSubmissions(Exception):
    """References of a phase cannot be replaced once systems were scored against them."""

    def __init__(self, phase: Phase) -> None:
        super().__init__(
            f"{phase} already has submissions, scored against its present references. "
            "Make a new phase for the new references."
        )


def references_read(*, data: bytes, file_name: str) -> tuple[References, tuple[Fault, ...]]:
    """Read references and give them with the warnings, or raise ``ReferencesRejected``."""
    reading = read_references(data, file_name=file_name)
    if reading.value is None:
        raise ReferencesRejected(reading.faults)
    return reading.value, reading.warnings


def reference_set_get_or_create(
    *, references: References, name: str, now: datetime
) -> ReferenceSet:
    """Store references, or give the set that already has the same content.

    Where these have ``documents`` of their own, those are stored as well, under
    the same name.
    """
    documents = None
    if references.documents is not None:
        documents = reference_set_get_or_create(references=references.documents, name=name, now=now)
    found, _ = ReferenceSet.objects.get_or_create(
        content_hash=references.content_hash,
        defaults={
            "name": name[:120],
            "clip_count": len(references),
            "caption_count": sum(len(clip.references) for clip in references.clips),
            "payload": ReferenceSet.pack(references),
            "documents": documents,
            "created_at": now,
        },
    )
    return found


@transaction.atomic
def phase_set_references(
    *, phase: Phase, reference_set: ReferenceSet, actor: User | None, now: datetime
) -> None:
    """Give a phase its references; refused once there are submissions."""
    locked = Phase.objects.select_for_update().get(pk=phase.pk)
    if locked.reference_set_id == reference_set.pk:
        return
    if locked.submissions.exclude(kind=Kind.HUMAN).exists():
        raise PhaseHasSubmissions(phase)
    # Captions of people are references of the set that goes.
    locked.submissions.filter(kind=Kind.HUMAN).delete()
    locked.reference_set = reference_set
    locked.save(update_fields=["reference_set"])
    phase.reference_set = reference_set
    audit_record(
        at=now,
        actor=actor,
        action="phase.references",
        target=phase,
        challenge=phase.challenge,
        content_hash=reference_set.content_hash,
        clips=reference_set.clip_count,
    )
