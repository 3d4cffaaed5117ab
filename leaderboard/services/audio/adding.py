"""Giving the clips of a reference set their sound, and taking it away."""

import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction

from leaderboard.models import AudioFile, Phase, ReferenceSet, User
from leaderboard.selectors.audio import clips_without
from leaderboard.selectors.captions import references_of
from leaderboard.services.audio.address import address_checked
from leaderboard.services.audio.archive import ArchiveRefused, archive_open, recordings_in
from leaderboard.services.audio.folder import recordings_below
from leaderboard.services.audio.matching import Clips
from leaderboard.services.audio.recording import Recording
from leaderboard.services.audio.report import AudioReport, Refusal
from leaderboard.services.audio.store import NoSound, Stored, discard, room, store
from leaderboard.services.audit import audit_record

# A set of recordings may come with notes and other versions beside the clips.
FILES_BESIDE = 1000
NO_SOUND = "It is no sound: wav, flac, mp3, ogg, opus and m4a are taken, by content, not by name."
DAMAGED = "It is damaged within the archive."


class AudioOfOthers(Exception):
    """The references are those of a challenge, too, that others run."""

    def __init__(self) -> None:
        super().__init__(
            "Another challenge, which you do not run, has the same references, and would get the "
            "same sound. Ask the administrators of this site to add it."
        )


class Sorted:
    """The files that came by what becomes of them."""

    def __init__(self) -> None:
        self.chosen: dict[int, Recording] = {}
        self.unknown: list[str] = []
        self.refused: list[Refusal] = []

    @property
    def size(self) -> int:
        """How many bytes the chosen files have, unpacked."""
        return sum(recording.size for recording in self.chosen.values())


def audio_add_zip(*, phase: Phase, path: Path, actor: User | None, now: datetime) -> AudioReport:
    """Give the clips of a phase's references the recordings of a zip.

    Clips that had a recording get the new one. Raises ``ArchiveRefused``, and then
    nothing was stored; a single file that cannot be taken is in the report.
    """
    reference_set = _set_of(phase, actor)
    with archive_open(path, most_files=2 * reference_set.clip_count + FILES_BESIDE) as archive:
        return _take(phase, reference_set, recordings_in(archive), actor, now)


def audio_add_folder(*, phase: Phase, path: Path, actor: User | None, now: datetime) -> AudioReport:
    """Give the clips of a phase's references the recordings of a folder of this machine."""
    return _take(phase, _set_of(phase, actor), recordings_below(path), actor, now)


def _take(
    phase: Phase,
    reference_set: ReferenceSet,
    recordings: Iterable[Recording],
    actor: User | None,
    now: datetime,
) -> AudioReport:
    found = _sorted(recordings, Clips(references_of(reference_set.content_hash).file_names))
    _hold_to_limits(found.size)
    with _undone_on_failure() as stored:
        _store_each(found, stored)
        if stored:
            _record(phase, reference_set, stored, actor, now)
    return AudioReport(
        matched=len(stored),
        size=sum(file.size for file in stored.values()),
        missing=tuple(clips_without(reference_set)),
        unknown=tuple(found.unknown),
        refused=tuple(found.refused),
    )


def _set_of(phase: Phase, actor: User | None) -> ReferenceSet:
    if phase.reference_set is None:
        raise ArchiveRefused("The phase has no references yet. Give it those first.")
    _forbid_others(phase.reference_set, actor)
    return phase.reference_set


def _forbid_others(reference_set: ReferenceSet, actor: User | None) -> None:
    if actor is None or actor.is_superuser:
        return
    if (
        Phase.objects.filter(reference_set=reference_set)
        .exclude(challenge__organisers=actor)
        .exists()
    ):
        raise AudioOfOthers


def _sorted(recordings: Iterable[Recording], clips: Clips) -> Sorted:
    found = Sorted()
    for recording in recordings:
        at = clips.find(recording.names)
        if at is None:
            found.unknown.append(recording.name)
        elif recording.fault is not None:
            found.refused.append(Refusal(recording.name, recording.fault))
        elif at in found.chosen:
            first = found.chosen[at].name
            found.refused.append(Refusal(recording.name, f"It is of the same clip as {first}."))
        else:
            found.chosen[at] = recording
    return found


def _hold_to_limits(size: int) -> None:
    if size > settings.MAX_AUDIO_BYTES:
        raise ArchiveRefused(
            f"Unpacked, the recordings have {size / 1e9:.2f} GB, more than the limit of "
            f"{settings.MAX_AUDIO_BYTES / 1e9:g} GB. Use flac or mp3, or name an address where "
            "they lie."
        )
    if size > room():
        raise ArchiveRefused("The server has no room for these recordings.")


def _store_each(found: Sorted, stored: dict[int, Stored]) -> None:
    for at, recording in found.chosen.items():
        try:
            with recording.open() as source:
                stored[at] = store(source)
        except NoSound:
            found.refused.append(Refusal(recording.name, NO_SOUND))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError):
            found.refused.append(Refusal(recording.name, DAMAGED))


@contextmanager
def _undone_on_failure() -> Iterator[dict[int, Stored]]:
    """Give a place to note what was stored; let go of it where what follows fails."""
    stored: dict[int, Stored] = {}
    try:
        yield stored
    except BaseException:
        discard(file.sha256 for file in stored.values() if file.new)
        raise


@transaction.atomic
def _record(
    phase: Phase,
    reference_set: ReferenceSet,
    stored: dict[int, Stored],
    actor: User | None,
    now: datetime,
) -> None:
    ReferenceSet.objects.select_for_update().defer("payload").get(pk=reference_set.pk)
    replaced = _let_go(reference_set, list(stored))
    AudioFile.objects.bulk_create(
        AudioFile(
            reference_set=reference_set,
            position=at,
            sha256=file.sha256,
            size=file.size,
            media_type=file.media_type,
        )
        for at, file in stored.items()
    )
    _audit(phase, actor, now, "phase.audio", files=len(stored), replaced=replaced)


def _let_go(reference_set: ReferenceSet, positions: list[int] | None = None) -> int:
    """Take recordings away; their files go once that stands."""
    rows = reference_set.audio.all()
    if positions is not None:
        rows = rows.filter(position__in=positions)
    digests = list(rows.values_list("sha256", flat=True))
    rows.delete()
    transaction.on_commit(lambda: discard(digests))
    return len(digests)


@transaction.atomic
def audio_base_url_set(*, phase: Phase, url: str, actor: User | None, now: datetime) -> None:
    """Say where the recordings lie on another server; nothing means nowhere.

    Raises ``AddressRefused``.
    """
    reference_set = _set_of(phase, actor)
    reference_set.audio_base_url = address_checked(url) if url else ""
    reference_set.save(update_fields=["audio_base_url"])
    _audit(phase, actor, now, "phase.audio_address", address=url)


@transaction.atomic
def audio_remove(*, phase: Phase, actor: User | None, now: datetime) -> int:
    """Take every recording away; give how many there were."""
    number = _let_go(_set_of(phase, actor))
    _audit(phase, actor, now, "phase.audio_removed", files=number)
    return number


def _audit(phase: Phase, actor: User | None, now: datetime, action: str, **details: object) -> None:
    audit_record(
        at=now, actor=actor, action=action, target=phase, challenge=phase.challenge, **details
    )
