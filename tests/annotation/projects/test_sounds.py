"""Recordings of a project's own: matched by name, heard by members alone, in parts, backed up."""

import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Sound
from annotation.selectors.sounds import sound_coverage
from annotation.services.projects import Task, items_add
from annotation.services.sounds import sounds_add_zip
from leaderboard.models import AudioFile, AuditEvent
from leaderboard.selectors.clips.audio import audio_path
from tests.annotation.conftest import Crew, make_project
from tests.annotation.projects.manage_page import HOSTILE
from tests.annotation.projects.test_life_cycle import contents_shown
from tests.factories import PhaseFactory
from tests.leaderboard.scored_pages import text
from tests.sounds import wav, zipped

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def named(crew: Crew) -> Crew:
    """Three captions of two sounds beside those that name none."""
    names = ("dog.wav", "dog.wav", f"b/{HOSTILE}.wav")
    tasks = [Task(f"caption {n}", meta={"file_name": name}) for n, name in enumerate(names)]
    items_add(project=crew.project, tasks=tasks)
    return crew


def send(crew: Crew, tmp_path: Path, files: dict[str, bytes], client: Client | None = None) -> Any:
    path = zipped(files, tmp_path / "x.zip")
    client = client or crew.client(crew.manager)
    data = {"file": SimpleUploadedFile("x.zip", path.read_bytes())}
    return client.post(f"/annotate/{crew.project.slug}/manage/sounds/", data)


def files_in(folder: Path) -> int:
    return sum(path.is_file() for path in folder.rglob("*"))


def test_a_zip_is_matched_by_name_and_reported_on(
    named: Crew, tmp_path: Path, folder: Path
) -> None:
    files = {
        "a/dog.flac": wav(),
        "cat.wav": wav(),
        f"b/{HOSTILE}.mp3": b"no sound",
        ".DS_Store": b"",
    }
    response = send(named, tmp_path, files)
    assert "<script>alert" not in response.content.decode()
    page = text(response.content)
    for said in (
        "1 recording stored",
        "1 refused, 1 not named by any caption, 1 name still without a recording.",
        "Not named by any caption: 1 cat.wav",
        "it must be wav,",
        "Captions with a recording here 2 of 7",
    ):
        assert said in page, said
    assert Sound.objects.get().file_name == "dog.wav"
    assert files_in(folder) == 1
    assert AuditEvent.objects.get(action="labelling.sounds").details["files"] == 1


@pytest.mark.parametrize(
    ("captions", "sent", "matched"),
    [
        (["clips/dog.wav"], "dog.flac", ["clips/dog.wav"]),
        (["dog.wav"], "x/y/dog.wav", ["dog.wav"]),
        (["a/1.wav", "b/1.wav"], "b/1.wav", ["b/1.wav"]),
        (["a/1.wav", "b/1.wav"], "c/1.wav", []),
    ],
)
def test_folders_matter_only_where_a_name_would_be_two(
    crew: Crew, tmp_path: Path, captions: list[str], sent: str, matched: list[str]
) -> None:
    tasks = [Task(f"a caption of {name}", meta={"file_name": name}) for name in captions]
    items_add(project=crew.project, tasks=tasks)
    send(crew, tmp_path, {sent: wav()})
    assert [*Sound.objects.values_list("file_name", flat=True)] == matched


def test_a_new_recording_of_a_name_takes_the_place_of_the_old(
    named: Crew, tmp_path: Path, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    for pitch in (440.0, 880.0):
        with django_capture_on_commit_callbacks(execute=True):
            send(named, tmp_path, {"dog.wav": wav(pitch=pitch)})
    assert files_in(folder) == 1
    assert Sound.objects.get().size == len(wav())


def test_what_is_no_archive_or_too_large_is_refused_and_nothing_stored(
    named: Crew, tmp_path: Path, settings: Any, folder: Path
) -> None:
    settings.MAX_AUDIO_BYTES = 100_000
    bomb = zipped({"dog.wav": wav(60)}, tmp_path / "bomb.zip", method=zipfile.ZIP_DEFLATED)
    assert bomb.stat().st_size < 100_000
    for data, said in (
        (b"no zip", "The file is not a zip, or it is damaged."),
        (b"x" * 200_000, "The file is larger than the limit"),
        (bomb.read_bytes(), "and the limit is"),
    ):
        file = SimpleUploadedFile("x.zip", data)
        response = named.client(named.manager).post(
            f"/annotate/{named.project.slug}/manage/sounds/", {"file": file}
        )
        assert response.status_code == 422
        assert said in text(response.content)
    assert not Sound.objects.exists()
    assert files_in(folder) == 0


def test_members_hear_it_in_parts_and_nobody_else(named: Crew, tmp_path: Path) -> None:
    send(named, tmp_path, {"dog.wav": wav()})
    pk = Sound.objects.get().pk
    address = f"/annotate/{named.project.slug}/sounds/{pk}/"
    for user, status in ((None, 302), (named.outsider, 404), (named.ann, 200), (named.judge, 200)):
        assert named.client(user).get(address).status_code == status
    client = named.client(named.ann)
    whole = client.get(address)
    assert b"".join(whole.streaming_content) == wav()  # type: ignore[attr-defined]
    assert whole["Content-Type"] == "audio/wav"
    part = client.get(address, headers={"range": "bytes=2-5"})
    assert (part.status_code, b"".join(part.streaming_content)) == (206, wav()[2:6])  # type: ignore[attr-defined]
    assert client.get(address, headers={"range": f"bytes={10**6}-"}).status_code == 416
    assert client.get(address, headers={"if-none-match": whole["ETag"]}).status_code == 304
    other = make_project(named.manager)
    elsewhere = f"/annotate/{other.slug}/sounds/{pk}/"
    assert named.client(named.manager).get(elsewhere).status_code == 404


def test_a_recording_is_deleted_when_nothing_uses_it_any_more(
    named: Crew, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    send(named, tmp_path, {"dog.wav": wav()})
    row = Sound.objects.get()
    phase = PhaseFactory.create()
    assert phase.reference_set is not None
    used = AudioFile.objects.create(
        reference_set=phase.reference_set,
        position=0,
        sha256=row.sha256,
        size=row.size,
        media_type=row.media_type,
    )
    client = named.client(named.manager)
    address = f"/annotate/{named.project.slug}/manage/sounds/remove/"
    assert "1 recording" in text(client.get(address).content)
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(address).status_code == 302
    assert not Sound.objects.exists()
    assert audio_path(row.sha256).is_file()
    used.delete()
    send(named, tmp_path, {"dog.wav": wav()})
    with django_capture_on_commit_callbacks(execute=True):
        client.post(address)
    assert not audio_path(row.sha256).exists()


def test_names_that_cannot_be_ones_are_no_names(crew: Crew, tmp_path: Path) -> None:
    names: list[Any] = [5, ["a"], None, "", "  ", "x" * 501]
    tasks = [Task(f"caption {n}", meta={"file_name": name}) for n, name in enumerate(names)]
    items_add(project=crew.project, tasks=tasks)
    found = sound_coverage(crew.project)
    assert (found["captions"], found["unnamed"], found["without"]) == (10, 10, [])
    response = send(crew, tmp_path, {"dog.wav": wav()})
    assert response.status_code == 422
    assert "No caption of the project names a sound." in text(response.content)


def test_what_breaks_off_leaves_no_file(
    named: Crew, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("annotation.services.sounds.sounds_record", broken)
    with pytest.raises(RuntimeError):
        sounds_add_zip(
            project=named.project,
            path=zipped({"dog.wav": wav()}, tmp_path / "x.zip"),
            act=None,  # type: ignore[arg-type]
        )
    assert files_in(folder) == 0


def test_a_deleted_project_leaves_no_recording_that_nothing_else_has(
    named: Crew, tmp_path: Path, folder: Path, django_capture_on_commit_callbacks: Any
) -> None:
    send(named, tmp_path, {"dog.wav": wav()})
    assert files_in(folder) == 1
    address = f"/annotate/{named.project.slug}/manage/delete/"
    client = named.client(named.manager)
    assert "Recordings 1" in text(client.get(address).content)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(address, contents_shown(named) | {"name": named.project.name})
    assert not Sound.objects.exists()
    assert files_in(folder) == 0
