"""Making a backup while the site runs."""

import gzip
import json
import shutil
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection
from django.utils.crypto import salted_hmac

from leaderboard.models import Labeller
from leaderboard.selectors.clips.audio import audio_path, recording_rows
from leaderboard.selectors.labellers.files import CONFIG, REPORT, WEIGHTS, folder_of
from leaderboard.selectors.operations.migrations import (
    Migration,
    migrations_applied,
    migrations_lacking,
)
from leaderboard.selectors.ranking.snapshots import leaderboards
from leaderboard.services.backups import tables
from leaderboard.services.backups.folder import (
    KEY,
    LEADERBOARDS,
    ROWS,
    BackupFile,
    BackupFolder,
    Manifest,
)
from leaderboard.web.refusals import Refused
from scoring import __version__
from scoring.models.descriptors.backbone import BACKBONE_LOCATION


def backup_make(*, path: Path, now: datetime) -> tuple[Manifest, int]:
    """Write all that the site stores to a folder; returns how many files are new there.

    Refused where it is no backup.
    """
    folder = BackupFolder(path)
    with folder.writing():
        with tables.snapshot():
            manifest, recordings, labellers = _database(folder, now)
        # After the rows: what they speak of was stored before them.
        files = {**manifest.files}
        missing = _add_recordings(folder, recordings, files)
        missing += _add_labellers(folder, labellers, files)
        if settings.SECRET_KEY_FILE is not None:
            files[KEY] = _add(folder, settings.SECRET_KEY_FILE)
        manifest = replace(manifest, files=files, missing=missing)
        folder.finish(manifest)
    return manifest, folder.new_files


def _database(folder: BackupFolder, now: datetime) -> tuple[Manifest, dict[str, int], list[str]]:
    """Store what the database has at one moment; also the recordings (with size) and labellers."""
    applied, lacking = migrations_applied(), migrations_lacking()
    if lacking:
        raise Refused(
            f"The database lacks migrations of this version, first {'.'.join(lacking[0])}. "
            "Make the backup with the version that the site runs, or migrate first."
        )
    counts: dict[str, int] = {}
    rows = folder.add(lambda file: counts.update(_write_rows(file, applied)))
    boards = json.dumps(list(leaderboards(now=now))).encode()
    manifest = Manifest(
        earmark=__version__,
        taken_at=now.isoformat(),
        database=connection.vendor,
        migrations=[list(one) for one in sorted(applied)],
        rows=counts,
        sequences=tables.sequences(),
        key_mark=key_mark(settings.SECRET_KEY),
        files={ROWS: rows, LEADERBOARDS: folder.add(lambda file: file.write(boards))},
    )
    recordings: dict[str, int] = {}
    for table in recording_rows():
        recordings |= dict(table.values_list("sha256", "size"))
    labellers = Labeller.objects.values_list("sha256", flat=True).order_by("sha256")
    return manifest, dict(sorted(recordings.items())), list(labellers)


def _write_rows(file: IO[bytes], applied: set[Migration]) -> dict[str, int]:
    with gzip.GzipFile(fileobj=file, mode="wb", compresslevel=6, mtime=0) as packed:
        return tables.rows_write(
            lambda line: packed.write(line.encode()), tables.tables_at(applied)
        )


def _add_recordings(
    folder: BackupFolder, recordings: dict[str, int], files: dict[str, BackupFile]
) -> list[str]:
    """Store recordings that are not there yet; returns those that are missing or damaged."""
    missing = []
    for sha256, size in recordings.items():
        found = BackupFile(sha256, size)
        try:
            if not folder.has(found):
                found = _add(folder, audio_path(sha256))
        except FileNotFoundError:
            missing.append(f"The recording {audio_path(sha256)} is missing.")
            continue
        if found.sha256 != sha256:
            missing.append(f"The recording {audio_path(sha256)} is damaged.")
            continue
        files[f"recordings/{sha256}"] = found
    return missing


def _add_labellers(
    folder: BackupFolder, labellers: list[str], files: dict[str, BackupFile]
) -> list[str]:
    """Store the files of labellers; returns those that are missing."""
    missing = []
    for sha256 in labellers:
        for name in (CONFIG, WEIGHTS, REPORT, BACKBONE_LOCATION):
            path = folder_of(sha256) / name
            if path.is_file():
                files[f"labellers/{sha256}/{name}"] = _add(folder, path)
            elif name in (CONFIG, WEIGHTS):
                missing.append(f"The labeller's file {path} is missing.")
    return missing


def _add(folder: BackupFolder, path: Path) -> BackupFile:
    with path.open("rb") as source:
        return folder.add(partial(shutil.copyfileobj, source))


def key_mark(key: str) -> str:
    """A mark of a SECRET_KEY from which the key cannot be found."""
    return salted_hmac("earmark.backup", "mark", secret=key, algorithm="sha256").hexdigest()
