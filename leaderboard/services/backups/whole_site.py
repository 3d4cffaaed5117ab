"""Making a backup while the site runs, and restoring one into an empty database.

What is restored is compared with the leaderboards of then.
"""

import gzip
import io
import json
import os
import shutil
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.utils.crypto import constant_time_compare, salted_hmac
from packaging.version import Version

from earmark import __version__
from earmark.models.descriptors.backbone import BACKBONE_LOCATION
from leaderboard.models import Labeller
from leaderboard.selectors.clips.audio import audio_path, recording_rows
from leaderboard.selectors.labellers.files import CONFIG, REPORT, WEIGHTS, fault_of, folder_of
from leaderboard.selectors.operations.migrations import (
    Migration,
    migrations_applied,
    migrations_known,
    migrations_lacking,
)
from leaderboard.selectors.ranking.snapshots import (
    LeaderboardComparison,
    leaderboards,
    leaderboards_compared,
)
from leaderboard.services.backups import tables
from leaderboard.services.backups.folder import (
    KEY,
    LEADERBOARDS,
    ROWS,
    BackupFile,
    BackupFolder,
    Manifest,
)
from leaderboard.services.clips.recordings import recording_save
from leaderboard.services.labellers.storing import backbone_path_note, staged_move, staging_folder
from leaderboard.web.refusals import Refused


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
        file = BackupFile(sha256, size)
        try:
            if not folder.has(file):
                file = _add(folder, audio_path(sha256))
        except FileNotFoundError:
            missing.append(f"The recording {audio_path(sha256)} is missing.")
            continue
        if file.sha256 != sha256:
            missing.append(f"The recording {audio_path(sha256)} is damaged.")
            continue
        files[f"recordings/{sha256}"] = file
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


def backup_read(path: Path) -> Manifest:
    """Check every file of a backup, and that this version can read it."""
    folder = BackupFolder(path)
    manifest = folder.manifest()
    known = migrations_known()
    newer = sorted({(app, name) for app, name in manifest.migrations} - known)
    if newer or Version(manifest.earmark) > Version(__version__):
        which = f", with the migration {'.'.join(newer[0])}" if newer else ""
        raise Refused(
            f"The backup was made by a newer version of Earmark ({manifest.earmark}{which}; this "
            f"is {__version__}). Restore it with that version."
        )
    folder.check(manifest)
    return manifest


def backup_restore(
    *, path: Path, now: datetime
) -> tuple[Manifest, list[LeaderboardComparison], str]:
    """Restore a backup, and migrate it to this version.

    Returns what was restored, the leaderboards then and now, and what is to be done about
    SECRET_KEY, if anything.

    Nothing is stored where the backup is damaged or the database not empty. The rows are stored
    all together or not at all; whatever stops it before is mended by restoring again.
    """
    manifest = backup_read(path)
    folder = BackupFolder(path)
    applied = {(app, name) for app, name in manifest.migrations}
    tables.database_prepare(applied)
    _restore_files(folder, manifest)
    _restore_rows(folder, manifest, tables.tables_at(applied))
    call_command("migrate", interactive=False, verbosity=0)
    with folder.open(manifest.files[LEADERBOARDS]) as file:
        then = json.load(file)
    compared = list(leaderboards_compared(then, list(leaderboards(now=now))))
    return manifest, compared, _restore_key(folder, manifest)


@transaction.atomic(durable=True)
def _restore_rows(
    folder: BackupFolder, manifest: Manifest, by_name: dict[str, tables.Table]
) -> None:
    with folder.open(manifest.files[ROWS]) as file, gzip.open(file) as unpacked:
        counts = tables.rows_load(io.TextIOWrapper(unpacked, "utf-8"), by_name)
    differing = [
        f"{name} has {counts.get(name, 0):,} rows and should have {count:,}"
        for name, count in manifest.rows.items()
        if counts.get(name, 0) != count
    ]
    if differing:
        raise Refused(
            f"The backup is damaged: {'; '.join(differing[:20])}. Use another copy of it."
        )
    tables.sequences_set(manifest.sequences)


def _restore_files(folder: BackupFolder, manifest: Manifest) -> None:
    """Store recordings and labellers where they belong; those that are there already stay."""
    labellers: dict[str, dict[str, BackupFile]] = {}
    for name, stored in manifest.files.items():
        kind, _, rest = name.partition("/")
        if kind == "recordings":
            path = audio_path(rest)
            if not (path.is_file() and path.stat().st_size == stored.size):
                with folder.open(stored) as source:
                    recording_save(source)
        elif kind == "labellers":
            sha256, _, file_name = rest.partition("/")
            labellers.setdefault(sha256, {})[file_name] = stored
    for sha256, files in labellers.items():
        if not fault_of(sha256):
            continue
        with staging_folder() as place:
            for name, stored in files.items():
                with folder.open(stored) as source, (place / name).open("wb") as goal:
                    shutil.copyfileobj(source, goal)
            backbone_path_note(place)
            staged_move(place, sha256)


def _restore_key(folder: BackupFolder, manifest: Manifest) -> str:
    """Put the key back where this site keeps it in a file; returns what remains to be done."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    if any(constant_time_compare(key_mark(key), manifest.key_mark) for key in keys):
        return ""
    stored, path = manifest.files.get(KEY), settings.SECRET_KEY_FILE
    if stored is None:
        return (
            "SECRET_KEY is not the one of the site that was backed up, and is not in the backup. "
            "Set it in the environment to that site's: without it, second factors do not work and "
            "everyone is logged out."
        )
    if path is None:
        return (
            "SECRET_KEY in the environment is not the one of the site that was backed up. Set it "
            f"to the content of {folder.path / 'files' / stored.sha256[:2] / stored.sha256}."
        )
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    with folder.open(stored) as source, draft.open("wb") as goal:
        shutil.copyfileobj(source, goal)
    replaced = path.with_name(f"{path.name}.replaced")
    shutil.copy2(path, replaced)
    draft.replace(path)
    return f"{path} is now the one of the backup; the previous one is {replaced}. Restart the site."
