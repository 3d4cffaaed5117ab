"""Adding recordings to a reference set's clips, and removing them."""

import ipaddress
import re
from contextlib import ExitStack
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
    FILES_BESIDE,
    ClipMatcher,
    RecordingRefusal,
    StoredRecording,
    archive_open,
    folder_recordings,
    recordings_discard,
    recordings_sorted,
    recordings_stored,
    zip_recordings,
)
from leaderboard.web.refusals import Refused


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


def audio_base_url_checked(address: str) -> str:
    """The address in its stored form; refused where browsers should not play from it."""
    url = address.strip()
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _unusable(
            address, "it is not an address. Write one such as https://example.org/audio."
        ) from error
    if parts.scheme != "https":
        raise _unusable(address, "it must begin with https://")
    if not _HOST.fullmatch(host) or "@" in parts.netloc or port == 0:
        raise _unusable(address, "it names no server. Write one such as https://example.org/audio.")
    if not (settings.PRIVATE_ADDRESSES or _is_public(host)):
        raise _unusable(
            address,
            "it leads into a private network, where visitors' browsers must not be sent. The "
            "administrator of this site can allow it (EARMARK_PRIVATE_ADDRESSES).",
        )
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise _unusable(address, "clips' names are added at its end, so it may not contain ? or #.")
    if not _PATH.fullmatch(parts.path) or len(url) > _LONGEST:
        raise _unusable(
            address,
            f"its path may have only letters of ASCII, digits and plain signs, and the address at "
            f"most {_LONGEST} characters.",
        )
    return url.rstrip("/")


def _unusable(address: str, why: str) -> Refused:
    return Refused(f"{address[:_LONGEST]!r} cannot be used: {why}", field="address")


def _is_public(host: str) -> bool:
    """Whether a host is on the internet, by how it is written: no name server is asked."""
    if not _NUMBER.fullmatch(host):
        return not _PRIVATE_NAME.fullmatch(host)
    try:
        number = ipaddress.IPv4Address(host)
    except ValueError:  # a form that only browsers read
        return False
    return number.is_global and not number.is_multicast


def audio_add(*, phase: Phase, path: Path, actor: User | None, now: datetime) -> AudioReport:
    """Add the recordings of a zip, or a folder of this machine, to the clips of a phase.

    Clips that had a recording get the new one. Where all of it is refused,
    nothing was stored; a single file that cannot be taken is in the report.
    """
    reference_set = _reference_set_of(phase)
    clips = ClipMatcher(references_of(reference_set.content_hash).file_names)
    with ExitStack() as stack:
        if path.is_dir():
            recordings = folder_recordings(path)
        else:
            most_files = 2 * reference_set.clip_count + FILES_BESIDE
            archive = stack.enter_context(archive_open(path, most_files=most_files))
            recordings = zip_recordings(archive)
        files = recordings_sorted(recordings, clips)
        stored = stack.enter_context(recordings_stored(files))
        if stored:
            _record(phase, reference_set, stored, actor, now)
    return AudioReport(
        matched=len(stored),
        size=sum(file.size for file in stored.values()),
        missing=tuple(clips_without(reference_set)),
        unknown=tuple(files.unknown),
        refused=tuple(files.refused),
    )


def _reference_set_of(phase: Phase) -> ReferenceSet:
    if phase.reference_set is None:
        raise Refused("The phase has no references yet. Add them first.", field="file")
    return phase.reference_set


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
    """Set where the recordings lie on another server; empty means nowhere."""
    reference_set = _reference_set_of(phase)
    address = audio_base_url_checked(url) if url else ""
    reference_set.audio_base_url = address
    reference_set.save(update_fields=["audio_base_url"])
    _audit(phase, actor, now, "phase.audio_address", address=address)


@transaction.atomic
def audio_remove(*, phase: Phase, actor: User | None, now: datetime) -> int:
    """Remove every recording; returns how many there were."""
    number = _remove_rows(_reference_set_of(phase))
    _audit(phase, actor, now, "phase.audio_removed", files=number)
    return number


def _audit(phase: Phase, actor: User | None, now: datetime, action: str, **details: object) -> None:
    audit_record(action, str(phase), actor=actor, now=now, challenge=phase.challenge, **details)
