"""Sites to back up and restore: the one of the test, and others in processes of their own."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from leaderboard.models import AudioFile, Labeller, Origin, Phase
from leaderboard.selectors.clips.audio import audio_path
from leaderboard.selectors.labellers.files import artefact_digest
from leaderboard.services.clips.recordings import recording_save
from tests.factories import NOW
from tests.leaderboard.evaluations.worker_process import database_url
from tests.real_data import ROOT
from tests.sounds import wav

PARTS = ("rows.jsonl.gz", "leaderboards.json")


def emptied() -> None:
    """Take every row out of the test's database."""
    call_command("flush", interactive=False, verbosity=0)


def manifest(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return read


def stored_file(folder: Path, name: str) -> Path:
    """The place of a file of a backup."""
    sha256 = manifest(folder)["files"][name]["sha256"]
    return folder / "files" / sha256[:2] / sha256


def contents(folder: Path) -> dict[str, str]:
    """The sha256 of rows and leaderboards: equal for sites that store the same."""
    return {name: manifest(folder)["files"][name]["sha256"] for name in PARTS}


@pytest.fixture
def places(tmp_path: Path, settings: Any) -> Path:
    """Folders of the test's site that no other test writes to."""
    settings.AUDIO_DIR = tmp_path / "audio"
    settings.LABELLERS_DIR = tmp_path / "labellers"
    settings.SECRET_KEY_FILE = tmp_path / "secret_key"
    settings.SECRET_KEY_FILE.write_text(settings.SECRET_KEY)
    return tmp_path


def recording_add(phase: Phase, *, pitch: float = 440.0, position: int = 0) -> Path:
    """Store the recording of a clip of a phase."""
    draft = Path(os.environ["EARMARK_VAR"]) / f"{pitch}.wav"
    draft.write_bytes(wav(pitch=pitch))
    with draft.open("rb") as file:
        stored = recording_save(file)
    assert phase.reference_set is not None
    AudioFile.objects.create(
        reference_set=phase.reference_set,
        position=position,
        sha256=stored.sha256,
        size=stored.size,
        media_type=stored.media_type,
    )
    return audio_path(stored.sha256)


def labeller_add(home: Path) -> Path:
    """Store a labeller, whose two files a backup only copies."""
    draft = home / "draft"
    draft.mkdir(parents=True)
    (draft / "config.json").write_text('{"name": "own"}')
    (draft / "model.safetensors").write_bytes(b"weights")
    sha256 = artefact_digest(draft)
    Labeller.objects.create(
        name="own",
        identity="own@01234567",
        sha256=sha256,
        size=22,
        labels=["WHO", "O"],
        origin=Origin.UPLOADED,
        made_at=NOW,
    )
    draft.rename(home / sha256)
    return home / sha256


class Site:
    """A site in a folder of its own, whose commands run in processes of their own."""

    def __init__(self, folder: Path, url: str = "", **variables: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "EARMARK_VAR": str(folder),
            "DATABASE_URL": url or f"sqlite:///{folder / 'site.sqlite3'}",
            "CACHE_URL": "locmemcache://",
            "CELERY_BROKER_URL": "filesystem://localhost/",
            **variables,
        }

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Begin a command of manage.py."""
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            env=self.environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def manage(self, *arguments: str, fails: bool = False) -> str:
        """Run a command of manage.py; returns what it wrote."""
        process = self.start(*arguments)
        out, errors = process.communicate()
        assert bool(process.returncode) == fails, f"{out}\n{errors}"
        return out + errors


@contextmanager
def empty_database(folder: Path) -> Iterator[str]:
    """The address of an empty database of the kind that the test runs on."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{folder / 'empty.sqlite3'}"
        return
    name = f"{connection.settings_dict['NAME']}_{secrets.token_hex(4)}"
    address, _, _ = database_url().rpartition("/")
    with closing(connection.copy()) as own:
        with own.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{address}/{name}"
        finally:
            with own.cursor() as cursor:
                cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def refuses(statement: str) -> bool:
    """Whether the database refuses a statement."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except Exception as error:
        return "can only be added to" in str(error)
    return False
