"""Making a reference set of a data set that was made on this site, with its recordings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from leaderboard.models import AudioFile, Phase, RecordingRow, ReferenceSet, User
from leaderboard.services.audit_log import audit_phase, audit_record
from leaderboard.services.organising.references import (
    captions_shown_check,
    phase_set_references,
    reference_set_get_or_create,
    references_read,
)


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


@dataclass(frozen=True, slots=True)
class PhaseUse:
    """The phase that gets the references at once; ``public``: whether everyone may read them.

    ``confirmed``: also where another phase shows or hides the same captions.
    """

    phase: Phase
    public: bool
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class PublishedReferences:
    """The stored set; ``sounds`` counts the recordings that its clips got."""

    reference_set: ReferenceSet
    sounds: int


@transaction.atomic
def references_publish(
    *, made: MadeReferences, use: PhaseUse | None, actor: User, now: datetime
) -> PublishedReferences:
    """Store references with their recordings and card, and have a phase use them.

    Where the phase's challenge has the same content already, its set gets the card and the
    recordings that it lacks. Where it is refused, nothing is stored.
    """
    references, _ = references_read(data=made.content, file_name=made.file_name)
    stored = reference_set_get_or_create(
        challenge=use.phase.challenge if use else None,
        references=references,
        name=made.name,
        now=now,
    )
    ReferenceSet.objects.select_for_update().defer("payload").get(pk=stored.pk)
    ReferenceSet.objects.filter(pk=stored.pk).update(card=dict(made.card))
    sounds = _sounds_add(stored, references.file_names, made.sounds)
    if use is not None:
        _use(stored, use, actor, now)
    audit_record(
        at=now,
        actor=actor,
        action="references.publish",
        target=made.name,
        challenge=use.phase.challenge if use else None,
        content_hash=stored.content_hash,
        clips=stored.clip_count,
        sounds=sounds,
    )
    return PublishedReferences(stored, sounds)


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


def _use(stored: ReferenceSet, use: PhaseUse, actor: User, now: datetime) -> None:
    phase = use.phase
    captions_shown_check(
        stored.read(), phase=phase, public=use.public, actor=actor, confirmed=use.confirmed
    )
    phase_set_references(phase=phase, reference_set=stored, actor=actor, now=now, confirmed=True)
    changed = Phase.objects.filter(pk=phase.pk, references_public=not use.public)
    if changed.update(references_public=use.public):
        before, after = {"references_public": not use.public}, {"references_public": use.public}
        audit_phase(phase, "phase.change", actor=actor, now=now, before=before, after=after)
        phase.references_public = use.public
