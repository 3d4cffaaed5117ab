"""Recordings on their way in: from a folder or a zip of strangers, by clip, and where they lie."""

import hashlib
import os
import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO

from django.conf import settings

from earmark.captions.clip_names import ClipNames, name_key
from leaderboard.selectors.clips.audio import audio_path, recording_rows
from leaderboard.web.refusals import Refused

# Files that operating systems add.
_JUNK = (".DS_Store", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True)
class Recording:
    """A file that may be of a clip; ``names`` are its possible names, the likeliest first.

    ``fault`` says why it must not be opened.
    """

    names: tuple[str, ...]
    size: int
    open: Callable[[], IO[bytes]]
    fault: str | None = None

    @property
    def name(self) -> str:
        """Its name in reports."""
        return self.names[0]


def is_system_file(name: str) -> bool:
    """Whether a file was added by an operating system."""
    path = PurePosixPath(name.replace("\\", "/"))
    return path.name.startswith("._") or path.name in _JUNK or "__MACOSX" in path.parts


def folder_recordings(folder: Path) -> Iterator[Recording]:
    """Files of a folder and of those below it."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not is_system_file(name):
            yield Recording((name,), path.stat().st_size, _opening(path))


def _opening(path: Path) -> Callable[[], IO[bytes]]:
    return lambda: path.open("rb")


# How the end of a zip begins, and how far before the end of the file that can be.
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x06"
_END_REACH = 65_557 + 20
# The list of a zip's files is read at once; it has fewer bytes than this for each file.
_PER_FILE = 600
_DAMAGED = "The file is not a zip, or it is damaged. Make the file again, or upload it again."
_ENCRYPTED, _UTF_8 = 1, 0x800


def archive_open(path: Path, *, most_files: int) -> zipfile.ZipFile:
    """Open a zip with at most ``most_files``; refused where it has more or is damaged."""
    try:
        listed = _list_size(path)
        if listed > most_files * _PER_FILE:
            raise Refused(_too_many(most_files), field="file")
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
        raise Refused(_DAMAGED, field="file") from error
    # An entry that begins before the file does, or has no name.
    if any(entry.header_offset < 0 or not entry.filename for entry in archive.infolist()):
        archive.close()
        raise Refused(_DAMAGED, field="file")
    if len(archive.infolist()) > most_files:
        archive.close()
        raise Refused(_too_many(most_files), field="file")
    return archive


def _too_many(most: int) -> str:
    return (
        f"The archive has more than {most:,} files, far more than there are clips. Remove files "
        "that are not recordings of them."
    )


def _list_size(path: Path) -> int:
    """Length of the list of files in bytes, without reading it."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END_REACH))
        tail = file.read()
    at = tail.rfind(_END)
    if at < 0:
        raise zipfile.BadZipFile
    length: int = struct.unpack_from("<I", tail, at + 12)[0]
    long = tail.rfind(_END_64, 0, at)
    return length if long < 0 else int(struct.unpack_from("<Q", tail, long + 40)[0])


def zip_recordings(archive: zipfile.ZipFile) -> Iterator[Recording]:
    """Entries that people meant to send; none is opened yet."""
    for entry in archive.infolist():
        if not entry.is_dir() and not is_system_file(entry.filename):
            opening = partial(archive.open, entry)
            yield Recording(_names_of(entry), entry.file_size, opening, _fault_of(entry))


def _fault_of(entry: zipfile.ZipInfo) -> str | None:
    """Why an entry is not opened, or None."""
    if entry.flag_bits & _ENCRYPTED:
        return "It is encrypted. Make the archive without a password."
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "It is a link. Replace it by the file."
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return "It is compressed in an unusual way. Make the archive with plain zip."
    return None


def _names_of(entry: zipfile.ZipInfo) -> tuple[str, ...]:
    """Possible names of an entry: as UTF-8 where that was not declared, and as written."""
    names = [entry.filename]
    if not entry.flag_bits & _UTF_8:
        with suppress(UnicodeError):
            names.insert(0, entry.filename.encode("cp437").decode("utf-8"))
    return tuple(names)


# Types of MPEG-4 files that hold sound alone, or may.
_MP4 = {b"M4A ", b"M4B ", b"mp41", b"mp42", b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"dash"}
HEAD = 64


def media_type_of(head: bytes) -> str | None:
    """Media type of a file that begins with ``head``, None where it is no sound."""
    if head[:4] in {b"RIFF", b"RF64"} and head[8:12] == b"WAVE":
        return "audio/wav"
    if head[:4] == b"fLaC":
        return "audio/flac"
    if head[:4] == b"OggS":
        return "audio/ogg"
    if head[4:8] == b"ftyp" and head[8:12] in _MP4:
        return "audio/mp4"
    if head[:3] == b"ID3" or _mpeg_frame(head):
        return "audio/mpeg"
    return None


def _mpeg_frame(head: bytes) -> bool:
    """Whether it begins with a frame: eleven set bits, a known version, layer, rate, frequency."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    return version != 1 and layer != 0 and head[2] >> 4 != 15 and head[2] >> 2 & 3 != 3


_CHUNK = 1 << 20
INCOMING = "incoming"
# Bytes of the disk that are left to others.
SPARE = 200_000_000


@dataclass(frozen=True, slots=True)
class StoredRecording:
    """A stored recording; ``new`` where it was not there before."""

    sha256: str
    size: int
    media_type: str
    new: bool


class NotAudio(Exception):
    """A file that is no recording in a format that browsers play."""


def incoming_folder() -> Path:
    """The folder in which files wait until they are complete."""
    folder = Path(settings.AUDIO_DIR) / INCOMING
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def free_bytes() -> int:
    """How many bytes may still be stored."""
    return max(0, shutil.disk_usage(incoming_folder()).free - SPARE)


def recording_save(source: IO[bytes]) -> StoredRecording:
    """Store a recording, completely or not at all; raises ``NotAudio``."""
    head = source.read(HEAD)
    media_type = media_type_of(head)
    if media_type is None:
        raise NotAudio
    digest, size = hashlib.sha256(), 0
    with _draft() as draft:
        with draft.open("wb") as file:
            for chunk in chain([head], iter(partial(source.read, _CHUNK), b"")):
                file.write(chunk)
                digest.update(chunk)
                size += len(chunk)
            file.flush()
            os.fsync(file.fileno())
        path = audio_path(digest.hexdigest())
        new = not path.exists()
        if new:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft.replace(path)
    return StoredRecording(digest.hexdigest(), size, media_type, new)


@contextmanager
def _draft() -> Iterator[Path]:
    descriptor, name = tempfile.mkstemp(dir=incoming_folder())
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def recordings_discard(digests: Iterable[str]) -> None:
    """Delete recordings that nothing uses any more."""
    unused = set(digests)
    for rows in recording_rows():
        unused -= set(rows.filter(sha256__in=unused).values_list("sha256", flat=True))
    for sha256 in unused:
        audio_path(sha256).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class RecordingRefusal:
    """A file that was refused, and why."""

    name: str
    why: str


_EXTENSION = re.compile(r"\.(wav|flac|mp3|ogg|oga|m4a|mp4|opus)$", re.IGNORECASE)


def _bare(name: str) -> str:
    return _EXTENSION.sub("", name_key(name))


def _last(name: str) -> str:
    return re.split(r"[/\\]", name)[-1]


def _once(names: Iterable[str]) -> dict[str, int]:
    """The positions of those names that occur once."""
    listed = list(names)
    often = Counter(listed)
    return {name: at for at, name in enumerate(listed) if often[name] == 1}


class ClipMatcher:
    """Finds the clips of a reference set by the names that people write."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = ClipNames(names)
        # Recordings are often converted, so that only the extension differs.
        self._bare = _once(map(_bare, names))
        self._without_folder = _once(_bare(_last(name)) for name in names)

    def find(self, names: Sequence[str]) -> int | None:
        """Position of the clip that has one of these names, folders on either side left out."""
        for name in names:
            for written in (name, _last(name)):
                at = self._names.find(written)
                at = self._bare.get(_bare(written)) if at is None else at
                if at is not None:
                    return at
            at = self._without_folder.get(_bare(_last(name)))
            if at is not None:
                return at
        return None


# An archive of recordings may also contain notes and other versions of the clips.
FILES_BESIDE = 1000
NOT_AUDIO = (
    "It is not a sound that can be used. By its content, whatever its name, it must be wav, flac, "
    "mp3, ogg, opus or m4a."
)
DAMAGED = "It is damaged in the archive. Make the archive again."


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


def recordings_sorted(recordings: Iterable[Recording], clips: ClipMatcher) -> SortedRecordings:
    """Uploaded recordings by the clip that each is of, by their names alone."""
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
                RecordingRefusal(recording.name, f"It is of the same clip as {first}. Remove one.")
            )
        else:
            files.chosen[at] = recording
    return files


def check_limits(size: int) -> None:
    """Refuse where recordings of so many bytes are too much."""
    if size > settings.MAX_AUDIO_BYTES:
        raise Refused(
            f"Unpacked, the recordings have {size / 1e9:.2f} GB, and the limit is "
            f"{settings.MAX_AUDIO_BYTES / 1e9:g} GB. Use flac or mp3, or give an address from "
            "which they can be played.",
            field="file",
        )
    if size > free_bytes():
        raise Refused(
            "The server has no room for these recordings. Tell the administrator.", field="file"
        )


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
def recordings_stored(files: SortedRecordings) -> Iterator[dict[int, StoredRecording]]:
    """Store what was chosen, by clip, and discard it again where what follows fails.

    What cannot be taken is refused one by one, and all of it where it is too much.
    """
    check_limits(files.size)
    stored: dict[int, StoredRecording] = {}
    try:
        _store_each(files, stored)
        yield stored
    except BaseException:
        recordings_discard(file.sha256 for file in stored.values() if file.new)
        raise
