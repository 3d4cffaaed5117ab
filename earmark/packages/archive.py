"""Reading a zip archive without trusting it, and sorting its files by system.

Nothing is ever written to a disk.
"""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

MAX_ENTRIES = 1_000
MAX_DIRECTORY_BYTES = 1_000_000
MAX_NAME = 500
_JUNK = {".ds_store", "thumbs.db", "desktop.ini", "__macosx"}
_DRIVE = re.compile(r"[A-Za-z]:")
_END = b"PK\x05\x06"
# What zipfile raises for bytes that are no archive, a part of one, or an altered one.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    struct.error,
)


class PackageRefused(Exception):
    """An archive, or a file in it, that cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
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
        """Open an archive; raises ``PackageRefused``."""
        _check_directory(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE as error:
            raise PackageRefused(
                "The zip archive is damaged or incomplete. Make it again."
            ) from error
        self._infos = self._zip.infolist()
        if len(self._infos) > MAX_ENTRIES:
            raise PackageRefused(_too_many(len(self._infos)))
        self.skipped: list[tuple[str, str]] = []
        self.entries = [
            entry for number, info in enumerate(self._infos) if (entry := self._entry(number, info))
        ]

    def read(self, entry: ArchiveEntry, limit: int) -> bytes:
        """Content of a file; raises ``PackageRefused`` where it is larger or unreadable."""
        info = self._infos[entry.number]
        if info.flag_bits & 0x1:
            raise PackageRefused(
                "The file is protected by a password. Make the archive without one."
            )
        # The others can ask for gigabytes of memory, and fail in ways of their own.
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise PackageRefused(
                "The file is compressed with an unsupported method. Use deflate, the usual one."
            )
        try:
            with self._zip.open(info) as file:
                # The size that the archive states is not trusted.
                data = file.read(limit + 1)
        except _DAMAGE as error:
            raise PackageRefused("The file is damaged in the archive. Make it again.") from error
        if len(data) > limit:
            raise PackageRefused(f"The file has more than {limit:,} bytes, which is the limit.")
        return data

    def _entry(self, number: int, info: zipfile.ZipInfo) -> ArchiveEntry | None:
        """A file that may be read, None for folders and for what is left out."""
        path = info.filename.replace("\\", "/")
        parts = [part for part in path.split("/") if part not in {"", "."}]
        # Asked in this order: a name of no letters is neither file nor folder.
        if not parts or info.is_dir() or parts[-1].startswith("._"):
            return None
        if any(part.lower() in _JUNK for part in parts):
            return None
        if path.startswith("/") or ".." in parts or _DRIVE.match(path) or len(path) > MAX_NAME:
            self.skipped.append((path, "its path points outside the archive"))
            return None
        if stat.S_ISLNK(info.external_attr >> 16):
            self.skipped.append((path, "it is a link"))
            return None
        return ArchiveEntry("/".join(parts), number)


def _check_directory(data: bytes) -> None:
    """Refuse a directory of far too many files before it is read, which would take long."""
    at = data.rfind(_END, max(0, len(data) - 70_000))
    if at < 0 or len(data) < at + 22:
        raise PackageRefused("The zip archive is damaged or incomplete. Make it again.")
    entries, size = struct.unpack("<HI", data[at + 10 : at + 16])
    if entries > MAX_ENTRIES or size > MAX_DIRECTORY_BYTES:
        raise PackageRefused(_too_many(entries))


def _too_many(entries: int) -> str:
    return (
        f"The archive has {entries:,} files and at most {MAX_ENTRIES:,} are read. "
        "Make one with only the captions, the metadata and the report."
    )


TABLES = {".csv", ".tsv"}
DOCUMENTS = {".json", ".jsonl"}
YAMLS = {".yaml", ".yml"}
LABEL = re.compile(r"[^\W_][^\s_/]*_[^\s_/]+_task\d+[a-z]?_[1-9]\d?(?!\d)", re.IGNORECASE)
_ENDING = re.compile(
    r"[._\- ](?:outputs?|predictions?|captions?|meta|metadata|(?:technical[._\- ])?report)$",
    re.IGNORECASE,
)
# Captions of another split, which DCASE asks for in addition to those that are ranked.
_OTHER = re.compile(r"analysis|dev(?:elopment)?|valid(?:ation)?|train", re.IGNORECASE)


@dataclass
class SystemFiles:
    """The files of one system."""

    key: str
    captions: list[ArchiveEntry] = field(default_factory=list)
    metadata: list[ArchiveEntry] = field(default_factory=list)
    reports: list[ArchiveEntry] = field(default_factory=list)


def systems_in(entries: Iterable[ArchiveEntry]) -> list[SystemFiles]:
    """Sort files by system, in the order of their labels; every system has captions."""
    entries = list(entries)
    tables = [entry for entry in entries if entry.suffix in TABLES]
    captions = tables or [entry for entry in entries if entry.suffix in DOCUMENTS]
    systems: dict[str, SystemFiles] = {}
    for entry in captions:
        key = key_of(entry)
        systems.setdefault(key.casefold(), SystemFiles(key)).captions.append(entry)
    metadata = [entry for entry in entries if entry.suffix in YAMLS]
    reports = [entry for entry in entries if entry.suffix == ".pdf"]
    for system in systems.values():
        alone = len(systems) == 1
        system.metadata = _belonging(system, metadata, share=alone)
        # A team writes one report of all its systems.
        system.reports = _belonging(system, reports, share=True)
    return sorted(systems.values(), key=lambda system: system.key.casefold())


def key_of(entry: ArchiveEntry) -> str:
    """Label of a file's system, from its name or its folders, or what is left of its name.

    Where no label of DCASE's form is there, the folder names the system if its
    file has no name but "output".
    """
    for text in (entry.name, *reversed(entry.folders)):
        match = LABEL.search(text)
        if match is not None:
            return match.group()
    stem = _bare(entry.stem)
    if re.fullmatch(r"(?:output|predictions?|captions?|meta|metadata)", stem, re.IGNORECASE):
        return entry.folders[-1] if entry.folders else stem
    return stem


def best_captions(system: SystemFiles) -> list[ArchiveEntry]:
    """Files that may be the captions of a system; one where it is clear which."""
    named = [entry for entry in system.captions if "output" in entry.stem.lower()]
    # The label may contain "dev" by chance.
    main = [
        entry
        for entry in named or system.captions
        if not _OTHER.search(entry.stem.replace(system.key, ""))
    ]
    return main if len(main) == 1 else system.captions


def _belonging(
    system: SystemFiles, entries: list[ArchiveEntry], *, share: bool
) -> list[ArchiveEntry]:
    own = [entry for entry in entries if key_of(entry).casefold() == system.key.casefold()]
    if own:
        return own
    folders = {entry.folders for entry in system.captions}
    neighbours = [entry for entry in entries if entry.folders in folders and entry.folders]
    if len(neighbours) == 1 and not LABEL.search(neighbours[0].name):
        return neighbours
    return entries if share else []


def _bare(stem: str) -> str:
    before = None
    while stem != before:
        before, stem = stem, _ENDING.sub("", stem)
    return stem
