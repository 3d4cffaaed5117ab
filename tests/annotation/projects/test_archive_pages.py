"""A whole project downloaded in the browser, and a new one made of it after a look."""

import io
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotation.models import Annotation, Project, Role
from annotation.services.formats.project_archives import project_archive_download
from annotation.services.formats.waiting_imports import archives_expire
from annotation.tasks import labeller_sweep
from leaderboard.models import User
from tests.annotation.conftest import Crew
from tests.annotation.labelled import label
from tests.annotation.projects.manage_page import HOSTILE
from tests.leaderboard.scored_pages import text

NEW = "/annotate/new/archive/"


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.AUDIO_DIR = tmp_path / "audio"
    return tmp_path / "audio"


@pytest.fixture
def staff(crew: Crew) -> Client:
    """The browser of somebody who may make projects."""
    User.objects.filter(pk=crew.outsider.pk).update(is_staff=True)
    label(crew.items[0], crew.ann, (1, 1, "WHO"))
    crew.project.members.filter(user=crew.bob).update(name=HOSTILE)
    return crew.client(crew.outsider)


def send(client: Client, content: bytes) -> Any:
    return client.post(NEW, {"file": SimpleUploadedFile("x.zip", content)})


def waiting(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("project-*"))


def archived(project: Project) -> bytes:
    return b"".join(project_archive_download(project).pieces)


def test_managers_download_the_project_that_the_page_offers(crew: Crew) -> None:
    client = crew.client(crew.manager)
    page = client.get(f"/annotate/{crew.project.slug}/manage/files/")
    address = f"/annotate/{crew.project.slug}/manage/files/archive/"
    assert f'action="{address}"' in page.content.decode()
    response = client.post(address)
    assert response.headers["Content-Type"] == "application/zip"
    name = f'attachment; filename="{crew.project.slug}.project.zip"'
    assert response.headers["Content-Disposition"] == name
    with zipfile.ZipFile(io.BytesIO(b"".join(response))) as archive:
        assert archive.testzip() is None
        assert "answers.jsonl" in archive.namelist()
    assert client.get(address).status_code == 405
    for user in (crew.ann, crew.judge, crew.outsider):
        assert crew.client(user).post(address).status_code == 404
    # As many in a minute as anybody needs.
    assert [client.post(address).status_code for _ in range(6)] == [200] * 5 + [429]


def test_a_project_is_made_after_a_look_at_it(crew: Crew, staff: Client, folder: Path) -> None:
    response = send(staff, archived(crew.project))
    assert response.status_code == 302
    assert Project.objects.count() == 1
    address = response.headers["Location"]
    page = text(staff.get(address).content)
    assert "Make Project 0 from this archive?" in page
    assert "Captions 4 Answers 1 Settled captions 0" in page
    assert f"Account of {crew.ann.username} 1 0" in page
    assert "<script>" not in staff.get(address).content.decode().split("<main", 1)[1]
    people = {"person-1": crew.ann.username, "person-0": "nobody-here"}
    refused = staff.post(address, people)
    assert refused.status_code == 422
    assert "There is no user with this name" in text(refused.content)
    twice = staff.post(address, {"person-1": crew.ann.username, "person-2": crew.ann.username})
    assert "Each account can be only one person" in text(twice.content)
    made = staff.post(address, {"person-1": crew.ann.username})
    second = Project.objects.exclude(pk=crew.project.pk).get()
    assert made.headers["Location"] == f"/annotate/{second.slug}/manage/members/"
    assert second.owner == crew.outsider
    assert Annotation.objects.get(item__project=second).user == crew.ann
    assert second.members.get(user=crew.outsider).role == Role.MANAGER
    assert waiting(folder) == []
    assert staff.get(address).status_code == 404


def test_an_archive_waits_for_its_sender_alone_and_not_for_long(
    crew: Crew, staff: Client, folder: Path, admin_client: Client
) -> None:
    first = send(staff, archived(crew.project)).headers["Location"]
    second = send(staff, archived(crew.project)).headers["Location"]
    # Another takes its place.
    assert staff.get(first).status_code == 404
    assert len(waiting(folder)) == 2
    assert admin_client.get(second).status_code == 404
    assert admin_client.get(f"{NEW}..%2F..%2Fx/").status_code == 404
    labeller_sweep()
    assert staff.get(second).status_code == 200
    archives_expire(now=timezone.now() + timedelta(days=2))
    assert waiting(folder) == []
    assert staff.post(second).status_code == 404


def test_a_discarded_archive_is_gone(crew: Crew, staff: Client, folder: Path) -> None:
    address = send(staff, archived(crew.project)).headers["Location"]
    assert staff.post(address, {"discard": "yes"}).headers["Location"] == "/annotate/new/"
    assert waiting(folder) == []
    assert Project.objects.count() == 1


def test_what_cannot_be_taken_in_is_said_by_member_and_line(
    crew: Crew, staff: Client, folder: Path
) -> None:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archived(crew.project))) as old,
        zipfile.ZipFile(buffer, "w") as new,
    ):
        for name in old.namelist():
            lost = b'"WHO"' if name == "answers.jsonl" else b"\0"
            new.writestr(name, old.read(name).replace(lost, b'"CAT"'))
    response = send(staff, buffer.getvalue())
    assert response.status_code == 422
    assert "answers.jsonl, line 1: spans: The scheme has no such label." in text(response.content)
    assert waiting(folder) == []
    assert "not a zip" in text(send(staff, b"x").content)
    assert "Choose the archive" in text(staff.post(NEW).content)


def test_an_archive_that_is_too_large_is_refused_unread(
    crew: Crew, staff: Client, settings: Any
) -> None:
    settings.MAX_AUDIO_BYTES = 100
    assert "larger than the limit" in text(send(staff, archived(crew.project)).content)


def test_who_may_make_no_projects_finds_no_page(crew: Crew) -> None:
    for user in (crew.ann, crew.manager, crew.outsider):
        assert crew.client(user).get(NEW).status_code == 404
        assert send(crew.client(user), b"x").status_code == 404


def test_the_api_gives_the_same_file(crew: Crew) -> None:
    response = crew.client(crew.manager).get(f"/api/v1/labelling/{crew.project.slug}/archive")
    assert b"".join(response) == archived(crew.project)
