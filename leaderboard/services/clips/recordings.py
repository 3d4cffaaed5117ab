"""Recordings on their way in, from a folder of this machine or from a zip of strangers."""

import stat
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

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
    """Tell whether a file was added by an operating system."""
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
_DAMAGED = "The file is no zip, or it is damaged. Make it anew, or send it again."
_ENCRYPTED, _UTF_8 = 1, 0x800


class AudioArchiveRefused(Exception):
    """The whole archive is refused; nothing of it was stored."""


def archive_open(path: Path, *, most_files: int) -> zipfile.ZipFile:
    """Open a zip with at most ``most_files``, or raise ``AudioArchiveRefused``."""
    try:
        listed = _list_size(path)
        if listed > most_files * _PER_FILE:
            raise AudioArchiveRefused(_too_many(most_files))
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
        raise AudioArchiveRefused(_DAMAGED) from error
    if any(entry.header_offset < 0 for entry in archive.infolist()):  # before the file begins
        archive.close()
        raise AudioArchiveRefused(_DAMAGED)
    if len(archive.infolist()) > most_files:
        archive.close()
        raise AudioArchiveRefused(_too_many(most_files))
    return archive


def _too_many(most: int) -> str:
    return f"The archive has more than {most:,} files, far more than the references have clips."


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
        return "It is a link and no file."
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
