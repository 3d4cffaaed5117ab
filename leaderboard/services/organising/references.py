"""Reading, staging and setting the references of phases, and publishing those made here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from earmark.captions import Fault, References, read_references
from earmark.captions.faults import count_of
from leaderboard.models import (
    AudioFile,
    Challenge,
    Kind,
    Phase,
    RecordingRow,
    ReferenceSet,
    StagedReferences,
    User,
)
from leaderboard.selectors.organising.references import shared_captions
from leaderboard.services.audit_log import audit_record
from leaderboard.web.refusals import Refused

NOTHING_STAGED = (
    "The file is no longer there: it was used, discarded or replaced by another. Upload it again."
)


def captions_shown_check(
    references: References, *, phase: Phase, public: bool, actor: User | None, confirmed: bool
) -> None:
    """Refuse to hide captions all of which another phase shows, unless that is meant."""
    if confirmed:
        return
    shared = shared_captions(references, phase=phase, public=public, actor=actor)
    if whole := [one for one in shared if one.is_whole]:
        raise Refused(
            f"{' '.join(map(str, whole))} So none of them would stay hidden. Confirm that "
            "you want this.",
            field="confirmed",
        )


def _refuse_scored(phase: Phase) -> None:
    """References stay once systems were scored against them."""
    if phase.submissions.of_teams().exists():
        raise Refused(
            f"{phase} already has submissions scored against its present references. "
            "Make a new phase for the new references.",
            field="phase",
        )


def references_read(*, data: bytes, file_name: str) -> tuple[References, tuple[Fault, ...]]:
    """References of a file, with its warnings; refused with all that is wrong."""
    reading = read_references(data, file_name=file_name)
    if reading.value is None:
        errors = count_of(len(reading.faults), "error")
        raise Refused(f"The references have {errors}.", status=422, faults=reading.faults)
    return reading.value, reading.warnings


def reference_set_get_or_create(
    *, challenge: Challenge | None, references: References, name: str, now: datetime
) -> ReferenceSet:
    """The challenge's set with this content; it is created where there is none.

    Without a challenge it is always created: sets of nobody have nothing in common.
    ``documents`` of the references are stored as well, under the same name.
    """
    documents = None
    if references.documents is not None:
        documents = reference_set_get_or_create(
            challenge=challenge, references=references.documents, name=name, now=now
        )
    sets = ReferenceSet.objects if challenge is not None else ReferenceSet.objects.none()
    reference_set, _ = sets.get_or_create(
        challenge=challenge,
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
    return reference_set


@transaction.atomic
def phase_set_references(
    *,
    phase: Phase,
    reference_set: ReferenceSet,
    actor: User | None,
    now: datetime,
    confirmed: bool = False,
) -> None:
    """Set the references of a phase; what another phase shows is hidden only if ``confirmed``."""
    locked = Phase.objects.select_for_update().get(pk=phase.pk)
    if locked.reference_set_id == reference_set.pk:
        return
    _refuse_scored(locked)
    captions_shown_check(
        reference_set.read(),
        phase=locked,
        public=locked.references_public,
        actor=actor,
        confirmed=confirmed,
    )
    # The human row is made of references of the old set.
    locked.submissions.filter(kind=Kind.HUMAN).delete()
    locked.reference_set = reference_set
    locked.save(update_fields=["reference_set"])
    phase.reference_set = reference_set
    audit_record(
        "phase.references",
        str(phase),
        actor=actor,
        now=now,
        challenge=phase.challenge,
        content_hash=reference_set.content_hash,
        clips=reference_set.clip_count,
    )


def references_stage(
    *, phase: Phase, user: User, name: str, file_name: str, data: bytes, now: datetime
) -> tuple[StagedReferences, References, tuple[Fault, ...]]:
    """Read a file of references and stage it until its use is confirmed.

    It replaces what the same person staged for the phase before.
    """
    _refuse_scored(phase)
    references, warnings = references_read(data=data, file_name=file_name)
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


def staged_references_read(staged: StagedReferences) -> tuple[References, tuple[Fault, ...]]:
    """References of a staged file, with its warnings."""
    return references_read(data=bytes(staged.content), file_name=staged.file_name)


@transaction.atomic
def staged_references_use(
    *, phase: Phase, user: User, content_hash: str, now: datetime, confirmed: bool = False
) -> ReferenceSet:
    """Set the references of a phase to those that ``user`` has looked at.

    ``content_hash`` is that of what was shown, since another window may have staged
    another file.
    """
    staged = _staged_by(phase, user)
    references, _ = staged_references_read(staged)
    if references.content_hash != content_hash:
        raise Refused(NOTHING_STAGED)
    stored = reference_set_get_or_create(
        challenge=phase.challenge, references=references, name=staged.name, now=now
    )
    phase_set_references(
        phase=phase, reference_set=stored, actor=user, now=now, confirmed=confirmed
    )
    staged.delete()
    return stored


@transaction.atomic
def staged_references_discard(*, phase: Phase, user: User, now: datetime) -> None:
    """Discard a staged file."""
    staged = _staged_by(phase, user)
    audit_record("phase.references_discard", phase, actor=user, now=now, file=staged.file_name)
    staged.delete()


def _staged_by(phase: Phase, user: User) -> StagedReferences:
    staged = StagedReferences.objects.select_for_update().filter(phase=phase, user=user).first()
    if staged is None:
        raise Refused(NOTHING_STAGED)
    return staged


@dataclass(frozen=True, slots=True)
class MadeReferences:
    """References as they were made: a file that is read like an upload, sounds by clip's name.

    ``card`` is as ``ReferenceSet.card`` has it.
    """

    name: str
    content: bytes
    file_name: str
    sounds: Mapping[str, RecordingRow] = field(default_factory=dict)
    card: Mapping[str, Any] = field(default_factory=dict)


@transaction.atomic
def references_publish(
    *,
    made: MadeReferences,
    phase: Phase | None,
    public: bool,
    confirmed: bool,
    actor: User,
    now: datetime,
) -> ReferenceSet:
    """Store references with their recordings and card, and have a phase use them, if one is given.

    ``public``: whether everyone may read them there; ``confirmed``: also where another phase shows
    or hides the same captions. Where the phase's challenge has the same content already, its set
    gets the card and the recordings that it lacks. Where it is refused, nothing is stored.
    """
    references, _ = references_read(data=made.content, file_name=made.file_name)
    challenge = phase.challenge if phase else None
    stored = reference_set_get_or_create(
        challenge=challenge, references=references, name=made.name, now=now
    )
    ReferenceSet.objects.select_for_update().defer("payload").get(pk=stored.pk)
    ReferenceSet.objects.filter(pk=stored.pk).update(card=dict(made.card))
    sounds = _sounds_add(stored, references.file_names, made.sounds)
    if phase is not None:
        captions_shown_check(
            stored.read(), phase=phase, public=public, actor=actor, confirmed=confirmed
        )
        phase_set_references(
            phase=phase, reference_set=stored, actor=actor, now=now, confirmed=True
        )
        changed = Phase.objects.filter(pk=phase.pk, references_public=not public)
        if changed.update(references_public=public):
            before, after = {"references_public": not public}, {"references_public": public}
            audit_record("phase.change", phase, actor=actor, now=now, before=before, after=after)
            phase.references_public = public
    audit_record(
        "references.publish",
        made.name,
        actor=actor,
        now=now,
        challenge=challenge,
        content_hash=stored.content_hash,
        clips=stored.clip_count,
        sounds=sounds,
    )
    return stored


def _sounds_add(
    stored: ReferenceSet, names: tuple[str, ...], sounds: Mapping[str, RecordingRow]
) -> int:
    """Give recordings to the clips that have none; their files lie there already."""
    there = set(stored.audio.values_list("position", flat=True))
    rows = AudioFile.objects.bulk_create(
        AudioFile(
            reference_set=stored,
            position=at,
            sha256=sounds[name].sha256,
            size=sounds[name].size,
            media_type=sounds[name].media_type,
        )
        for at, name in enumerate(names)
        if name in sounds and at not in there
    )
    return len(rows)
