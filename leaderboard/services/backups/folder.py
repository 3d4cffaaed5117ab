"""The folder of a backup: files named by their content, and a manifest that says what they are.

``manifest.json`` is written last and in one step. A folder without it is no finished backup;
one that is written anew holds the former backup until then. A file is never written twice, so a
second backup into the same folder copies only what is new.
"""

import fcntl
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from leaderboard.services.labellers.storing import folder_sync
from leaderboard.web.refusals import Refused

MANIFEST, LOCK, _UNFINISHED = "manifest.json", "backup.lock", "unfinished-"
ROWS, LEADERBOARDS, KEY = "rows.jsonl.gz", "leaderboards.json", "secret_key"
FORMAT = 1
_SHA256 = "[0-9a-f]{64}"
_LABELLER_FILE = r"(?:config\.json|model\.safetensors|report\.json|backbone)"
_NAMES = re.compile(
    rf"{re.escape(ROWS)}|{re.escape(LEADERBOARDS)}|{KEY}"
    rf"|recordings/{_SHA256}|labellers/{_SHA256}/{_LABELLER_FILE}"
)


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file of a backup."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds.

    ``rows`` counts those of each table. ``missing`` names what the database speaks of and the
    disk did not have. ``key_mark`` tells the SECRET_KEY of the site from others without telling
    it; the key itself is among the files where the site keeps it in one.
    """

    earmark: str
    taken_at: str
    database: str
    migrations: list[list[str]]
    rows: dict[str, int]
    sequences: dict[str, int]
    key_mark: str
    missing: list[str] = field(default_factory=list)
    files: dict[str, BackupFile] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum({file.sha256: file.size for file in self.files.values()}.values())


class BackupFolder:
    """Reading a backup, and writing one while ``writing``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.new_files = 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make the folder and keep others from writing to it."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        ours = any((self.path / name).exists() for name in (MANIFEST, LOCK))
        if not ours and any(self.path.iterdir()):
            raise Refused(f"{self.path} has files, but is not a backup. Name an empty folder.")
        with os.fdopen(os.open(self.path / LOCK, os.O_WRONLY | os.O_CREAT, 0o600), "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise Refused(
                    f"Another backup is being written to {self.path}. Wait until it is finished."
                ) from error
            self._delete(self.path.glob(f"{_UNFINISHED}*"))
            (self.path / "files").mkdir(mode=0o700, exist_ok=True)
            yield

    def add(self, write: Callable[[IO[bytes]], object]) -> BackupFile:
        """Store what ``write`` writes."""
        descriptor, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self.path)  # mode 0600
        draft = Path(name)
        try:
            with os.fdopen(descriptor, "w+b") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
                file.seek(0)
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                stored = BackupFile(digest, os.fstat(file.fileno()).st_size)
            if not self.has(stored):
                self._place(digest).parent.mkdir(mode=0o700, exist_ok=True)
                draft.replace(self._place(digest))
                self.new_files += 1
        finally:
            draft.unlink(missing_ok=True)
        return stored

    def has(self, file: BackupFile) -> bool:
        """Whether a file of that name and size is there."""
        place = self._place(file.sha256)
        return place.is_file() and place.stat().st_size == file.size

    def finish(self, manifest: Manifest) -> None:
        """Make what was added the backup of this folder, and delete what is no part of it."""
        for folder in {self._place(file.sha256).parent for file in manifest.files.values()}:
            folder_sync(folder)
        text = json.dumps(asdict(manifest), indent=1, sort_keys=True) + "\n"
        draft = self.path / f"{_UNFINISHED}{MANIFEST}"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path / MANIFEST)
        folder_sync(self.path)
        named = {self._place(file.sha256) for file in manifest.files.values()}
        self._delete(path for path in self.path.glob("files/*/*") if path not in named)

    @staticmethod
    def _delete(paths: Iterator[Path]) -> None:
        for path in paths:
            path.unlink()

    def manifest(self) -> Manifest:
        """What the backup holds."""
        path = self.path / MANIFEST
        try:
            read: dict[str, Any] = json.loads(path.read_bytes())
            if read["format"] > FORMAT:
                raise Refused(
                    f"{self.path} was written by a newer version of Earmark ({read['earmark']}). "
                    "Restore it with that version."
                )
            files = {name: BackupFile(**file) for name, file in read.pop("files").items()}
            manifest = Manifest(**read, files=files)
        except FileNotFoundError as error:
            raise Refused(
                f"{self.path} is not a finished backup: it has no {MANIFEST}, which is "
                "written last. Name another backup."
            ) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Refused(
                f"{path} is damaged and cannot be read: {error!r}. Use another copy of the backup."
            ) from error
        for name, file in files.items():
            if not _NAMES.fullmatch(name) or not re.fullmatch(_SHA256, file.sha256):
                raise Refused(
                    f"{path} is damaged: it names the file {name[:100]!r}. Use another copy of the "
                    "backup."
                )
        return manifest

    def check(self, manifest: Manifest) -> None:
        """Compare all files with the manifest; refused with those that differ."""
        faults = [
            f"{self._place(file.sha256)} ({name}) {fault}"
            for name, file in sorted(manifest.files.items())
            if (fault := self._fault(file))
        ]
        if faults:
            listed = "\n  ".join(faults[:20])
            raise Refused(
                f"The backup is damaged: {len(faults)} of {len(manifest.files)} files. Use another "
                f"copy of it.\n  {listed}"
            )

    def _fault(self, file: BackupFile) -> str:
        try:
            with self._place(file.sha256).open("rb") as stored:
                digest = hashlib.file_digest(stored, "sha256").hexdigest()
        except OSError as error:
            return f"cannot be read: {error.strerror}"
        return "" if digest == file.sha256 else f"has the sha256 {digest}"

    def open(self, file: BackupFile) -> IO[bytes]:
        """Open a file to be read."""
        return self._place(file.sha256).open("rb")

    def _place(self, sha256: str) -> Path:
        return self.path / "files" / sha256[:2] / sha256
