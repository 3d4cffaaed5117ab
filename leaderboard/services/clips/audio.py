"""Adding recordings to a reference set's clips, and removing them."""

import ipaddress
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction

from leaderboard.models import AudioFile, Phase, ReferenceSet, User
from leaderboard.selectors.clips.audio import clips_without
from leaderboard.selectors.clips.corpus import references_of
from leaderboard.services.audit_log import audit_record
from leaderboard.services.clips.recordings import (
    AudioArchiveRefused,
    NotAudio,
    Recording,
    StoredRecording,
    archive_open,
    folder_recordings,
    free_bytes,
    recording_save,
    recordings_discard,
    zip_recordings,
)
from scoring.captions.clip_names import ClipNames, name_key


@dataclass(frozen=True, slots=True)
class RecordingRefusal:
    """A file that was refused, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class AudioReport:
    """The result of adding recordings.

    ``missing`` are clips of the references that still have none; ``unknown`` are files
    for which the references have no clip.
    """

    matched: int
    size: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    refused: tuple[RecordingRefusal, ...]


# The address is used in the policy of pages and before names of files.
_HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9.-]*[a-z0-9])?", re.IGNORECASE)
_PATH = re.compile(r"[A-Za-z0-9/_.~%!$&'()*+,=:@-]*")
_LONGEST = 200
# Names that public name servers do not have; and what browsers read as a number, 0x7f.1 too.
_PRIVATE_NAME = re.compile(
    r"[^.]+|.*\.(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)", re.IGNORECASE)


class AddressRefused(Exception):
    """An address from which browsers cannot, or should not, play."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(f"{address[:_LONGEST]!r} cannot be used: {why}")


def audio_base_url_checked(address: str) -> str:
    """The address in its stored form; raises ``AddressRefused``."""
    url = address.strip()
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise AddressRefused(address, "it is no address.") from error
    if parts.scheme != "https":
        raise AddressRefused(address, "it must begin with https://.")
    if not _HOST.fullmatch(host) or "@" in parts.netloc or port == 0:
        raise AddressRefused(address, "it names no server.")
    if not (settings.PRIVATE_ADDRESSES or _is_public(host)):
        raise AddressRefused(
            address,
            "it leads into a private network, where visitors' browsers must not be sent. Whoever "
            "runs this site can allow it (EARMARK_PRIVATE_ADDRESSES).",
        )
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise AddressRefused(address, "the clips' names are put behind it: leave ? and # away.")
    if not _PATH.fullmatch(parts.path) or len(url) > _LONGEST:
        raise AddressRefused(address, "write its path in plain letters, not longer than a line.")
    return url.rstrip("/")


def _is_public(host: str) -> bool:
    """Whether a host is on the internet, by how it is written: no name server is asked."""
    if not _NUMBER.fullmatch(host):
        return not _PRIVATE_NAME.fullmatch(host)
    try:
        number = ipaddress.IPv4Address(host)
    except ValueError:  # a form that only browsers read
        return False
    return number.is_global and not number.is_multicast


_EXTENSION = re.compile(r"\.(wav|flac|mp3|ogg|oga|m4a|mp4|opus)$", re.IGNORECASE)


def _bare(name: str) -> str:
    return _EXTENSION.sub("", name_key(name))


class ClipMatcher:
    """Finds the clips of a reference set by the names that people write."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = ClipNames(names)
        bare = [_bare(name) for name in names]
        often = Counter(bare)
        # Recordings are often converted, so that only the extension differs.
        self._bare = {name: at for at, name in enumerate(bare) if often[name] == 1}

    def find(self, names: Sequence[str]) -> int | None:
        """Position of the clip that has one of these names, folders left out."""
        for name in names:
            for written in (name, re.split(r"[/\\]", name)[-1]):
                at = self._names.find(written)
                at = self._bare.get(_bare(written)) if at is None else at
                if at is not None:
                    return at
        return None


# An archive of recordings may also contain notes and other versions of the clips.
FILES_BESIDE = 1000
NOT_AUDIO = "It is no sound: wav, flac, mp3, ogg, opus and m4a are taken, by content, not by name."
DAMAGED = "It is damaged within the archive."


class AudioOfOthers(Exception):
    """The references are also used by a challenge that others run."""

    def __init__(self) -> None:
        super().__init__(
            "Another challenge, which you do not run, has the same references, and would get the "
            "same sound. Ask the administrators of this site to add it."
        )


class SortedRecordings:
    """Uploaded recordings, sorted into those to store, unknown ones and refused ones."""

    def __init__(self) -> None:
        self.chosen: dict[int, Recording] = {}
        self.unknown: list[str] = []
        self.refused: list[RecordingRefusal] = []

    @property
    def size(self) -> int:
        """Bytes of the chosen files, unpacked."""
        return sum(recording.size for recording in self.chosen.values())


def audio_add_zip(*, phase: Phase, path: Path, actor: User | None, now: datetime) -> AudioReport:
    """Add the recordings of a zip to the clips of a phase's references.

    Clips that had a recording get the new one. Raises ``AudioArchiveRefused``, and then
    nothing was stored; a single file that cannot be taken is in the report.
    """
    reference_set = _reference_set_of(phase, actor)
    with archive_open(path, most_files=2 * reference_set.clip_count + FILES_BESIDE) as archive:
        return _add_recordings(phase, reference_set, zip_recordings(archive), actor, now)


def audio_add_folder(*, phase: Phase, path: Path, actor: User | None, now: datetime) -> AudioReport:
    """Add the recordings of a folder of this machine to the clips of a phase's references."""
    return _add_recordings(
        phase, _reference_set_of(phase, actor), folder_recordings(path), actor, now
    )


def _add_recordings(
    phase: Phase,
    reference_set: ReferenceSet,
    recordings: Iterable[Recording],
    actor: User | None,
    now: datetime,
) -> AudioReport:
    files = _sorted(recordings, ClipMatcher(references_of(reference_set.content_hash).file_names))
    _check_limits(files.size)
    with _discarded_on_failure() as stored:
        _store_each(files, stored)
        if stored:
            _record(phase, reference_set, stored, actor, now)
    return AudioReport(
        matched=len(stored),
        size=sum(file.size for file in stored.values()),
        missing=tuple(clips_without(reference_set)),
        unknown=tuple(files.unknown),
        refused=tuple(files.refused),
    )


def _reference_set_of(phase: Phase, actor: User | None) -> ReferenceSet:
    if phase.reference_set is None:
        raise AudioArchiveRefused("The phase has no references yet. Give it those first.")
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


def _sorted(recordings: Iterable[Recording], clips: ClipMatcher) -> SortedRecordings:
    files = SortedRecordings()
    for recording in recordings:
        at = clips.find(recording.names)
        if at is None:
            files.unknown.append(recording.name)
        elif recording.fault is not None:
            files.refused.append(RecordingRefusal(recording.name, recording.fault))
        elif at in files.chosen:
            first = files.chosen[at].name
            files.refused.append(
                RecordingRefusal(recording.name, f"It is of the same clip as {first}.")
            )
        else:
            files.chosen[at] = recording
    return files


def _check_limits(size: int) -> None:
    if size > settings.MAX_AUDIO_BYTES:
        raise AudioArchiveRefused(
            f"Unpacked, the recordings have {size / 1e9:.2f} GB, more than the limit of "
            f"{settings.MAX_AUDIO_BYTES / 1e9:g} GB. Use flac or mp3, or name an address where "
            "they lie."
        )
    if size > free_bytes():
        raise AudioArchiveRefused("The server has no room for these recordings.")


def _store_each(files: SortedRecordings, stored: dict[int, StoredRecording]) -> None:
    for at, recording in files.chosen.items():
        try:
            with recording.open() as source:
                stored[at] = recording_save(source)
        except NotAudio:
            files.refused.append(RecordingRefusal(recording.name, NOT_AUDIO))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError):
            files.refused.append(RecordingRefusal(recording.name, DAMAGED))


@contextmanager
def _discarded_on_failure() -> Iterator[dict[int, StoredRecording]]:
    """Collect what is stored, and discard it where what follows fails."""
    stored: dict[int, StoredRecording] = {}
    try:
        yield stored
    except BaseException:
        recordings_discard(file.sha256 for file in stored.values() if file.new)
        raise


@transaction.atomic
def _record(
    phase: Phase,
    reference_set: ReferenceSet,
    stored: dict[int, StoredRecording],
    actor: User | None,
    now: datetime,
) -> None:
    ReferenceSet.objects.select_for_update().defer("payload").get(pk=reference_set.pk)
    replaced = _remove_rows(reference_set, list(stored))
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


def _remove_rows(reference_set: ReferenceSet, positions: list[int] | None = None) -> int:
    """Delete rows of recordings; their files are deleted on commit."""
    rows = reference_set.audio.all()
    if positions is not None:
        rows = rows.filter(position__in=positions)
    digests = list(rows.values_list("sha256", flat=True))
    rows.delete()
    transaction.on_commit(lambda: recordings_discard(digests))
    return len(digests)


@transaction.atomic
def audio_base_url_set(*, phase: Phase, url: str, actor: User | None, now: datetime) -> None:
    """Set where the recordings lie on another server; empty means nowhere.

    Raises ``AddressRefused``.
    """
    reference_set = _reference_set_of(phase, actor)
    reference_set.audio_base_url = audio_base_url_checked(url) if url else ""
    reference_set.save(update_fields=["audio_base_url"])
    _audit(phase, actor, now, "phase.audio_address", address=url)


@transaction.atomic
def audio_remove(*, phase: Phase, actor: User | None, now: datetime) -> int:
    """Remove every recording; returns how many there were."""
    number = _remove_rows(_reference_set_of(phase, actor))
    _audit(phase, actor, now, "phase.audio_removed", files=number)
    return number


def _audit(phase: Phase, actor: User | None, now: datetime, action: str, **details: object) -> None:
    audit_record(
        at=now, actor=actor, action=action, target=phase, challenge=phase.challenge, **details
    )
