"""Reading a zip from strangers: its size is known before anything of it is unpacked."""

import stat
import struct
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from leaderboard.services.audio.recording import Recording, is_junk

# How the end of a zip begins, and how far before the end of the file that can be.
_END, _END_64 = b"PK\x05\x06", b"PK\x06\x06"
_END_REACH = 65_557 + 20
# The list of a zip's files is read whole; with this many bytes each it is surely shorter.
_PER_FILE = 600
_DAMAGED = "The file is no zip, or it is damaged. Make it anew, or send it again."
_ENCRYPTED, _UTF_8 = 1, 0x800


class ArchiveRefused(Exception):
    """The archive as a whole cannot be taken; nothing of it was stored."""


def archive_open(path: Path, *, most_files: int) -> zipfile.ZipFile:
    """Open a zip with at most ``most_files``, or raise ``ArchiveRefused``."""
    try:
        listed = _list_size(path)
        if listed > most_files * _PER_FILE:
            raise ArchiveRefused(_too_many(most_files))
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
        raise ArchiveRefused(_DAMAGED) from error
    if any(entry.header_offset < 0 for entry in archive.infolist()):  # before the file begins
        archive.close()
        raise ArchiveRefused(_DAMAGED)
    if len(archive.infolist()) > most_files:
        archive.close()
        raise ArchiveRefused(_too_many(most_files))
    return archive


def _too_many(most: int) -> str:
    return f"The archive has more than {most:,} files, far more than the references have clips."


def _list_size(path: Path) -> int:
    """Read how long the list of files is, without reading it."""
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


def recordings_in(archive: zipfile.ZipFile) -> Iterator[Recording]:
    """Give the entries that are files of people; none is opened yet."""
    for entry in archive.infolist():
        if not entry.is_dir() and not is_junk(entry.filename):
            opening = partial(archive.open, entry)
            yield Recording(_names_of(entry), entry.file_size, opening, _fault_of(entry))


def _fault_of(entry: zipfile.ZipInfo) -> str | None:
    """Say why an entry is not even opened, or None."""
    if entry.flag_bits & _ENCRYPTED:
        return "It is encrypted. Make the archive without a password."
    if stat.S_ISLNK(entry.external_attr >> 16):
        return "It is a link and no file."
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return "It is compressed in an unusual way. Make the archive with plain zip."
    return None


def _names_of(entry: zipfile.ZipInfo) -> tuple[str, ...]:
    """List what an entry may be called: as UTF-8 where that was not declared, and as written."""
    names = [entry.filename]
    if not entry.flag_bits & _UTF_8:
        with suppress(UnicodeError):
            names.insert(0, entry.filename.encode("cp437").decode("utf-8"))
    return tuple(names)
