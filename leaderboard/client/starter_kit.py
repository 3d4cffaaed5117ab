"""Unpacking a starter kit: plain files, into one folder, over nothing that is there."""

import io
import re
import zipfile
from pathlib import Path

from leaderboard.client.command_line import Misused, RequestRefused

MAX_BYTES = 5_000_000
_NAME = re.compile(r"[\w-]+/([A-Za-z0-9_]+\.(?:py|md|txt))", re.ASCII)


def kit_unpack(data: bytes, folder: Path) -> int:
    """Write the files of a kit to a new or empty folder; returns how many they are."""
    files = _files(data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise Misused(f"{folder} is not empty. Name another folder with --out.")
        for name, content in files.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise Misused(f"{folder} cannot be written: {error.strerror}.") from error
    return len(files)


def _files(data: bytes) -> dict[str, bytes]:
    """The files by name: no site may put any other file, or one elsewhere."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            named = [(_NAME.fullmatch(entry.filename), entry) for entry in entries]
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise RequestRefused(f"The starter kit is larger than {MAX_BYTES / 1e6:g} MB.")
            if not all(match for match, _ in named):
                raise RequestRefused("The starter kit has files that no starter kit has.")
            return {match[1]: archive.read(entry) for match, entry in named if match}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise RequestRefused("The site did not send a starter kit.") from error
