"""A labeller that somebody sends: a zip with two files, of which nothing else is taken."""

import re
import stat
import tempfile
import zipfile
import zlib
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings

from leaderboard.models import Labeller, Origin, User
from leaderboard.selectors.labellers.files import CONFIG, FILES, REPORT, WEIGHTS
from leaderboard.services.audio.archive import ArchiveRefused, archive_open
from leaderboard.services.audio.recording import is_junk
from leaderboard.services.labellers.checking import MOST_CONFIG_BYTES, json_object
from leaderboard.services.labellers.refusing import LabellerRefused
from leaderboard.services.labellers.registering import MOST_REPORT_BYTES, labeller_register

MOST_FILES = 20
CARD = "MODEL_CARD.md"
_ENCRYPTED, _CHUNK = 1, 1 << 20
_DATA_HASH = re.compile(r"[0-9a-f]{64}")


def labeller_upload(
    *, path: Path, name: str, note: str, actor: User | None, now: datetime
) -> Labeller:
    """Keep the labeller of a zip; what its report says is taken as its maker's word.

    Files are read by their own names alone, into places of ours: no path in the
    archive is followed. Raises ``LabellerRefused``; then nothing is kept.
    """
    with tempfile.TemporaryDirectory(dir=settings.FILE_UPLOAD_TEMP_DIR) as folder:
        place = Path(folder)
        report = _unpacked(path, place)
        recipe, data_hash = report.get("recipe"), report.get("data_hash")
        return labeller_register(
            folder=place,
            name=name,
            origin=Origin.UPLOADED,
            data_hash=_hash(data_hash),
            recipe=recipe if isinstance(recipe, dict) else {},
            scores=report,
            note=note,
            actor=actor,
            now=now,
        )


def _hash(told: Any) -> str:
    if told in (None, ""):
        return ""
    if not isinstance(told, str) or not _DATA_HASH.fullmatch(told):
        raise LabellerRefused(
            f"{REPORT} has the data_hash {str(told)[:80]!r}. Give a sha256, 64 hex digits."
        )
    return told


def _unpacked(path: Path, place: Path) -> dict[str, Any]:
    """Unpack the two files to ``place``, and give the report."""
    try:
        with archive_open(path, most_files=MOST_FILES) as archive:
            entries = _entries(archive)
            _write(archive, entries[CONFIG], place / CONFIG, MOST_CONFIG_BYTES)
            _write(archive, entries[WEIGHTS], place / WEIGHTS, settings.MAX_LABELLER_BYTES)
            if REPORT not in entries:
                return {}
            _write(archive, entries[REPORT], place / REPORT, MOST_REPORT_BYTES)
    except ArchiveRefused as refused:
        raise LabellerRefused(_of_a_labeller(refused)) from refused
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeError) as error:
        raise LabellerRefused("The archive is damaged. Make it anew, or send it again.") from error
    told = json_object((place / REPORT).read_bytes(), REPORT)
    # What lies beside the weights is written anew, without captions.
    (place / REPORT).unlink()
    return told


def _of_a_labeller(refused: ArchiveRefused) -> str:
    text = str(refused)
    if "more than" in text:
        return f"The archive has more than {MOST_FILES} files. A labeller has {', '.join(FILES)}."
    return text


def _entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Find the files of a labeller, which may lie in one folder together."""
    listed = [
        entry for entry in archive.infolist() if not entry.is_dir() and not is_junk(entry.filename)
    ]
    homes = {str(PurePosixPath(entry.filename).parent) for entry in listed}
    if len(homes) > 1:
        raise LabellerRefused("The files of the archive lie in several folders. Put them into one.")
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in listed:
        name = PurePosixPath(entry.filename).name
        if name not in {*FILES, REPORT, CARD}:
            raise LabellerRefused(
                f"The archive has a file that labellers do not have: {entry.filename[:80]!r}. "
                f"It may have {CONFIG}, {WEIGHTS}, {REPORT} and {CARD}."
            )
        if name in found:
            raise LabellerRefused(f"The archive has {name} twice.")
        _check_entry(entry, name)
        found[name] = entry
    for name in FILES:
        if name not in found:
            raise LabellerRefused(f"The archive has no {name}.")
    return found


def _check_entry(entry: zipfile.ZipInfo, name: str) -> None:
    if entry.flag_bits & _ENCRYPTED:
        raise LabellerRefused(f"{name} is encrypted. Make the archive without a password.")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise LabellerRefused(f"{name} is a link and no file.")
    if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise LabellerRefused(f"{name} is compressed in an unusual way. Use plain zip.")


def _write(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, most: int) -> None:
    """Unpack one file, and stop where it is larger than it may be, whatever the list says."""
    name, size = path.name, 0
    if entry.file_size > most:
        raise LabellerRefused(f"{name} is larger than {most / 1e6:,g} MB.")
    with archive.open(entry) as source, path.open("wb") as goal:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > most:
                raise LabellerRefused(f"{name} is larger than {most / 1e6:,g} MB.")
            goal.write(chunk)
