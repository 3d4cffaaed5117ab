"""What is backed up comes back: into the same database, an empty one, or one of another kind."""

import hashlib
import json
import os
import shutil
import signal
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotation.models import Sound
from leaderboard.models import AuditEvent, User
from leaderboard.selectors.clips.audio import audio_path
from leaderboard.services.audit_log import audit_record
from leaderboard.services.backups import tables
from tests.factories import NOW, TeamFactory, UserFactory, finish, submit
from tests.leaderboard.access.one_of_everything import Everything, everything
from tests.leaderboard.backups.sites import (
    Site,
    contents,
    emptied,
    labeller_add,
    manifest,
    places,
    recording_add,
    refuses,
    stored_file,
)
from tests.leaderboard.conftest import Cast
from tests.leaderboard.evaluations.worker_process import database_url
from tests.waiting import wait_until

__all__ = ["places"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site(cast: Cast, places: Path) -> Everything:
    """One of everything, two ranked systems, a recording, a labeller and an act in the log."""
    made = everything(cast)
    finish(submit(cast.phase, TeamFactory.create(), name="Second"), value=0.7)
    recording_add(cast.phase)
    labeller_add(places / "labellers")
    audit_record("test", "é \U0001f600", actor=cast.organiser, now=NOW)
    return made


@pytest.fixture
def made(site: Everything, tmp_path: Path) -> Path:
    """A backup of the site, which is then empty."""
    folder = tmp_path / "backup"
    call_command("backup", folder, verbosity=0)
    emptied()
    return folder


def ids(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def test_everything_comes_back(
    site: Everything, places: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "backup"
    gone = UserFactory.create().pk
    User.objects.filter(pk=gone).delete()
    call_command("backup", folder)
    emptied()
    for stored in ("audio", "labellers"):
        (places / stored).rename(places / f"{stored}-before")
    assert User.objects.count() == 0
    call_command("restore", folder)
    said = capsys.readouterr().out
    phase = site.cast.phase
    assert f"{phase.challenge.slug}/{phase.slug}" in said
    assert "as it was" in said
    call_command("backup", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(folder)
    for stored in ("audio", "labellers"):
        before, now = (
            {path.relative_to(home): path.read_bytes() for path in ids(home)}
            for home in (places / f"{stored}-before", places / stored)
        )
        assert before
        assert now == before
    # What the database refuses, it still does; and no number is given to another person.
    assert AuditEvent.objects.exists()
    assert refuses("UPDATE leaderboard_auditevent SET action = 'other'")
    assert refuses("DELETE FROM leaderboard_auditevent")
    assert UserFactory.create().pk > gone


def test_only_its_owner_reads_a_backup(made: Path) -> None:
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (made, *made.rglob("*"))}
    expected = {path: 0o700 if path.is_dir() else 0o600 for path in modes}
    assert modes == expected


def test_a_second_backup_writes_only_what_is_new(site: Everything, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    call_command("backup", folder)
    first, recording = contents(folder), next(iter((tmp_path / "audio").rglob("*/*")))
    kept = folder / "files" / recording.name[:2] / recording.name
    written = kept.stat().st_mtime_ns, kept.stat().st_ino
    recording_add(site.cast.phase, pitch=880, position=1)
    call_command("backup", folder)
    assert contents(folder)["rows.jsonl.gz"] != first["rows.jsonl.gz"]
    assert (kept.stat().st_mtime_ns, kept.stat().st_ino) == written
    call_command("backup", folder, verify=True)
    held = {path.name for path in ids(folder / "files")}
    assert held == {file["sha256"] for file in manifest(folder)["files"].values()}


def test_the_site_goes_on_writing_while_it_is_backed_up(site: Everything) -> None:
    """And the backup has everything as it was when it began."""
    done = threading.Event()

    def write() -> None:
        UserFactory.create()
        connection.close()
        done.set()

    with tables.snapshot():
        before = User.objects.count()
        other = threading.Thread(target=write)
        other.start()
        assert done.wait()
        other.join()
        assert User.objects.count() == before
    assert User.objects.count() == before + 1


def test_a_backup_that_was_killed_is_not_taken_for_one(
    site: Everything, places: Path, tmp_path: Path
) -> None:
    folder, recording = tmp_path / "backup", next(iter((places / "audio").rglob("*/*")))
    content = recording.read_bytes()
    recording.unlink()
    os.mkfifo(recording)  # whoever opens it waits for ever
    own = Site(
        tmp_path / "own",
        database_url(),
        EARMARK_AUDIO=str(places / "audio"),
        EARMARK_LABELLERS=str(places / "labellers"),
    )
    process = own.start("backup", str(folder))
    wait_until(lambda: process.poll() is not None or len(list(folder.glob("files/*/*"))) >= 2)
    assert process.poll() is None
    with pytest.raises(CommandError, match="Another backup is being written"):
        call_command("backup", folder)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with pytest.raises(CommandError, match="not a finished backup"):
        call_command("restore", folder)
    recording.unlink()
    recording.write_bytes(content)
    call_command("backup", folder)
    call_command("backup", folder, verify=True)


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def count_wrongly(folder: Path) -> None:
    wrong = manifest(folder)
    wrong["rows"]["leaderboard.user"] += 1
    (folder / "manifest.json").write_text(json.dumps(wrong))


def say_newer(folder: Path, **more: Any) -> None:
    (folder / "manifest.json").write_text(json.dumps({**manifest(folder), **more}))


NEWER = [["leaderboard", "9999_of_tomorrow"]]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda folder: damage(stored_file(folder, "rows.jsonl.gz")), "rows.jsonl.gz) has the"),
        (lambda folder: stored_file(folder, "leaderboards.json").unlink(), "cannot be read"),
        (count_wrongly, "leaderboard.user has"),
        (lambda folder: say_newer(folder, earmark="99.0"), "newer version of Earmark (99.0"),
        (lambda folder: say_newer(folder, migrations=NEWER), "leaderboard.9999_of_tomorrow"),
        (lambda folder: say_newer(folder, format=99), "newer version"),
        (lambda folder: say_newer(folder, files={"../../x": {}}), "damaged"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "damaged"),
        (lambda folder: (folder / "manifest.json").unlink(), "not a finished backup"),
        (shutil.rmtree, "not a finished backup"),
    ],
)
def test_what_is_no_good_backup_is_refused_in_words(
    made: Path, change: Callable[[Path], object], words: str
) -> None:
    change(made)
    with pytest.raises(CommandError) as refused:
        call_command("restore", made)
    assert words in str(refused.value)
    assert User.objects.count() == 0


def test_a_database_that_is_not_empty_is_refused(made: Path) -> None:
    UserFactory.create()
    with pytest.raises(CommandError, match="is not empty: leaderboard_user has rows"):
        call_command("restore", made)


def test_a_folder_of_other_files_is_not_written_to(site: Everything, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("Dear")
    with pytest.raises(CommandError, match="not a backup"):
        call_command("backup", tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_what_the_disk_lacks_is_named(site: Everything, places: Path, tmp_path: Path) -> None:
    recording = next(iter((places / "audio").rglob("*/*")))
    damage(recording)
    call_command("backup", tmp_path / "backup")
    assert manifest(tmp_path / "backup")["missing"] == [f"The recording {recording} is damaged."]
    recording.unlink()
    call_command("backup", tmp_path / "backup")
    assert manifest(tmp_path / "backup")["missing"] == [f"The recording {recording} is missing."]
    emptied()
    call_command("restore", tmp_path / "backup")
    assert not audio_path(recording.name).exists()


def test_the_key_is_put_back_or_asked_for(
    made: Path, places: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    key, path = settings.SECRET_KEY, settings.SECRET_KEY_FILE
    settings.SECRET_KEY = "of the new machine"
    path.write_text("of the new machine")
    call_command("restore", made)
    assert path.read_text() == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.with_name("secret_key.replaced").read_text() == "of the new machine"
    emptied()
    settings.SECRET_KEY_FILE = None
    call_command("restore", made)
    assert "SECRET_KEY in the environment is not the one" in capsys.readouterr().out


def test_a_key_of_the_environment_is_to_be_kept_apart(
    site: Everything, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.SECRET_KEY_FILE = None
    call_command("backup", tmp_path / "backup")
    assert "Store it separately" in capsys.readouterr().out
    assert "secret_key" not in manifest(tmp_path / "backup")["files"]
    emptied()
    settings.SECRET_KEY = "another"
    call_command("restore", tmp_path / "backup")
    assert "is not in the backup" in capsys.readouterr().out


def test_a_leaderboard_that_changed_is_told(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = stored_file(made, "leaderboards.json")
    boards = json.loads(path.read_text())
    first = boards[0]["systems"][0]
    first["rank"], name = 7, first["system_name"]
    changed = manifest(made)
    text = json.dumps(boards).encode()
    sha256 = hashlib.sha256(text).hexdigest()
    changed["files"]["leaderboards.json"] = {"sha256": sha256, "size": len(text)}
    goal = made / "files" / sha256[:2]
    goal.mkdir(exist_ok=True)
    (goal / sha256).write_bytes(text)
    (made / "manifest.json").write_text(json.dumps(changed))
    with pytest.raises(CommandError, match="not as they were"):
        call_command("restore", made)
    said = capsys.readouterr().out
    assert "has changed" in said
    assert f"{name} (" in said
    assert "rank was 7 and is 1" in said


def test_recordings_of_labelling_projects_are_backed_up_and_restored(
    site: Everything, places: Path, tmp_path: Path
) -> None:
    sound = Sound.objects.get()
    path = audio_path(sound.sha256)
    data = path.read_bytes()
    folder = tmp_path / "backup"
    call_command("backup", folder, verbosity=0)
    assert stored_file(folder, f"recordings/{sound.sha256}").read_bytes() == data
    emptied()
    shutil.rmtree(places / "audio")
    call_command("restore", folder, verbosity=0)
    assert Sound.objects.get().file_name == sound.file_name
    assert path.read_bytes() == data
