"""Reading a zip archive without trusting it: nothing is ever written to a disk."""

import io
import re
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath

MAX_ENTRIES = 1_000
MAX_DIRECTORY_BYTES = 1_000_000
MAX_NAME = 500
_JUNK = {".ds_store", "thumbs.db", "desktop.ini", "__macosx"}
_DRIVE = re.compile(r"[A-Za-z]:")
_END = b"PK\x05\x06"


class ArchiveRefused(Exception):
    """An archive, or a file in it, that is not read; the text says why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an archive: its path with / between, and where it lies in the directory."""

    path: str
    number: int

    @property
    def name(self) -> str:
        """The file's own name."""
        return PurePosixPath(self.path).name

    @property
    def stem(self) -> str:
        """The name without its last extension."""
        return PurePosixPath(self.path).stem

    @property
    def suffix(self) -> str:
        """The extension in small letters."""
        return PurePosixPath(self.path).suffix.lower()

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders around it, the innermost last."""
        return PurePosixPath(self.path).parts[:-1]


def is_zip(data: bytes) -> bool:
    """Tell a zip archive by its first bytes."""
    return data.startswith((b"PK\x03\x04", _END))


class Archive:
    """A zip archive in memory; ``skipped`` names what is in it and was left out, and why."""

    def __init__(self, data: bytes) -> None:
        """Open an archive; raises ``ArchiveRefused``."""
        _check_directory(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (
            zipfile.BadZipFile,
            ValueError,
            OSError,
            NotImplementedError,
            struct.error,
        ) as error:
            raise ArchiveRefused(
                "The zip archive is damaged or not complete. Make it again."
            ) from error
        self._infos = self._zip.infolist()
        if len(self._infos) > MAX_ENTRIES:
            raise ArchiveRefused(_too_many(len(self._infos)))
        self.skipped: list[tuple[str, str]] = []
        self.entries = [
            entry for number, info in enumerate(self._infos) if (entry := self._entry(number, info))
        ]

    def read(self, entry: Entry, limit: int) -> bytes:
        """Give a file's content; raises ``ArchiveRefused`` where it is larger or unreadable."""
        info = self._infos[entry.number]
        if info.flag_bits & 0x1:
            raise ArchiveRefused(
                "The file is protected by a password. Make the archive without one."
            )
        try:
            with self._zip.open(info) as file:
                # The size that the archive names is not believed.
                data = file.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
            raise ArchiveRefused("The file is damaged in the archive. Make it again.") from error
        except (NotImplementedError, RuntimeError) as error:
            raise ArchiveRefused(
                "The file is compressed in a way that is not read. Use the usual one (deflate)."
            ) from error
        if len(data) > limit:
            raise ArchiveRefused(f"The file has more than {limit:,} bytes, which is the limit.")
        return data

    def _entry(self, number: int, info: zipfile.ZipInfo) -> Entry | None:
        """Give a file that may be read, None for folders and what is left out."""
        path = info.filename.replace("\\", "/")
        parts = [part for part in path.split("/") if part not in {"", "."}]
        if info.is_dir() or not parts or _is_junk(parts):
            return None
        if path.startswith("/") or ".." in parts or _DRIVE.match(path) or len(path) > MAX_NAME:
            self.skipped.append((path, "its path leads out of the archive"))
            return None
        if stat.S_ISLNK(info.external_attr >> 16):
            self.skipped.append((path, "it is a link"))
            return None
        return Entry("/".join(parts), number)


def _check_directory(data: bytes) -> None:
    """Refuse a directory of far too many files before it is read, which takes long."""
    at = data.rfind(_END, max(0, len(data) - 70_000))
    if at < 0 or len(data) < at + 22:
        raise ArchiveRefused("The zip archive is damaged or not complete. Make it again.")
    entries, size = struct.unpack("<HI", data[at + 10 : at + 16])
    if entries > MAX_ENTRIES or size > MAX_DIRECTORY_BYTES:
        raise ArchiveRefused(_too_many(entries))


def _too_many(entries: int) -> str:
    return (
        f"The archive has {entries:,} files and at most {MAX_ENTRIES:,} are read. "
        "Give one with the captions, the metadata and the report."
    )


def _is_junk(parts: list[str]) -> bool:
    return parts[-1].startswith("._") or any(part.lower() in _JUNK for part in parts)
