"""Restoring a backup into an empty database, and comparing the leaderboards with those of then."""

import gzip
import io
import json
import os
import shutil
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import transaction
from django.utils.crypto import constant_time_compare
from packaging.version import Version

from leaderboard.selectors.clips.audio import audio_path
from leaderboard.selectors.labellers.files import fault_of
from leaderboard.selectors.operations.migrations import migrations_known
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
from leaderboard.services.backups.making import key_mark
from leaderboard.services.clips.recordings import recording_save
from leaderboard.services.labellers.storing import backbone_path_note, staged_move, staging_folder
from leaderboard.web.refusals import Refused
from scoring import __version__


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
