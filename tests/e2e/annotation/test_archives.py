"""A whole project on its way through a browser: downloaded, looked at, made again, people told."""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Project, Role
from annotation.services.formats.file_imports import FileChoice, LabelFile, file_import
from annotation.services.projects import ProjectAct, Task, items_add
from annotation.services.sounds import sounds_add_zip
from leaderboard.models import User
from tests.annotation.conftest import NOW, Crew, make_crew
from tests.annotation.labelled import agreed_second, disputed_first
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.sounds import wav, zipped

Axe = Callable[[], list[str]]
LONG = "a session whose name is as long as somebody could make it" * 2


@pytest.fixture
def crew(transactional_db: None, settings: Any, tmp_path: Path) -> Crew:
    """A project with answers, a session of a file and a sound; its manager may make others."""
    settings.AUDIO_DIR = tmp_path / "audio"
    crew = make_crew()
    User.objects.filter(pk=crew.manager.pk).update(is_staff=True)
    disputed_first(crew)
    agreed_second(crew)
    for name in (LONG, "tape"):
        line = json.dumps({"text": f"rain {name}", "spans": [], "_session_id": name})
        file = LabelFile(io.BytesIO(line.encode()), "tape.jsonl")
        file_import(
            project=crew.project, file=file, choice=FileChoice(), actor=crew.manager, now=NOW
        )
    items_add(project=crew.project, tasks=[Task("a bell", meta={"file_name": "bell.wav"})])
    sounds = zipped({"bell.wav": wav()}, tmp_path / "sounds.zip")
    sounds_add_zip(project=crew.project, path=sounds, act=ProjectAct(crew.manager, NOW))
    return crew


def looks_right(page: Page, axe: Axe, name: str) -> None:
    """No fault by axe in light and dark, wide and narrow, and nothing to be scrolled sideways."""
    wide = page.viewport_size
    for width in (1400, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            assert axe() == []
            fits_width(page)
            if folder := os.environ.get("EARMARK_SCREENSHOTS"):
                page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
    page.set_viewport_size(wide or {"width": 1280, "height": 720})


def test_a_project_is_downloaded_and_made_again_with_its_people(
    page: Page,
    live_server: LiveServer,
    crew: Crew,
    log_in: LogIn,
    axe: Axe,
    tmp_path: Path,
    complaints: list[str],
) -> None:
    log_in(crew.manager)
    site = f"{live_server.url}/annotate"
    page.goto(f"{site}/{crew.project.slug}/manage/files/")
    looks_right(page, axe, "files")
    with page.expect_download() as told:
        page.get_by_role("button", name="Download the project").click()
    archive = tmp_path / "project.zip"
    told.value.save_as(archive)
    page.goto(f"{site}/new/")
    looks_right(page, axe, "new")
    page.get_by_role("link", name="make it from another project's archive").click()
    looks_right(page, axe, "upload")
    (tmp_path / "broken.zip").write_bytes(b"no zip")
    page.get_by_label("Archive of a project").set_input_files(tmp_path / "broken.zip")
    page.get_by_role("button", name="Preview the archive").click()
    expect(page.get_by_text("The file is not a zip, or it is damaged.")).to_be_visible()
    complaints.clear()
    looks_right(page, axe, "refused")
    page.get_by_label("Archive of a project").set_input_files(archive)
    page.get_by_role("button", name="Preview the archive").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Make Project 0 from this archive?")
    mine = page.get_by_label(f"Account of {crew.manager.username}")
    expect(mine).to_have_value(crew.manager.username)
    page.get_by_label(f"Account of {crew.ann.username}").fill(crew.ann.username)
    looks_right(page, axe, "preview")
    page.get_by_role("button", name="Make the project").press("Enter")
    expect(page.get_by_text("Project 0 is ready, and you manage it.")).to_be_visible()
    second = Project.objects.exclude(pk=crew.project.pk).get()
    assert second.members.get(user=crew.manager).role == Role.MANAGER
    assert second.members.get(user=crew.ann).name == crew.ann.username
    looks_right(page, axe, "people")
    page.goto(f"{site}/{second.slug}/manage/")
    looks_right(page, axe, "overview")


def test_a_session_is_given_by_keyboard_and_taken_back(
    page: Page, live_server: LiveServer, crew: Crew, log_in: LogIn, axe: Axe
) -> None:
    log_in(crew.manager)
    page.goto(f"{live_server.url}/annotate/{crew.project.slug}/manage/members/")
    page.get_by_role("link", name="Give to an account the work of tape", exact=True).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Whose work is tape?")
    looks_right(page, axe, "session")
    page.get_by_label("Member", exact=True).select_option(label=crew.ann.username)
    page.get_by_role("button", name="Give the work").press("Enter")
    expect(page.get_by_text(f"Now of {crew.ann.username}: 1 answer.")).to_be_visible()
    looks_right(page, axe, "given")
    page.get_by_role("link", name="Take back the work of tape").press("Enter")
    looks_right(page, axe, "take-back")
    page.get_by_role("button", name="Take back").press("Enter")
    expect(
        page.get_by_role("link", name="Give to an account the work of tape", exact=True)
    ).to_be_visible()
    assert Annotation.objects.filter(user__username__endswith="/tape").count() == 1


def test_pages_of_owners_and_of_sounds(
    page: Page, live_server: LiveServer, crew: Crew, log_in: LogIn, axe: Axe
) -> None:
    """Archiving, deleting, removing sounds: nothing is done before it was asked."""
    log_in(crew.manager)
    manage = f"{live_server.url}/annotate/{crew.project.slug}/manage"
    for name in ("archive", "delete", "sounds", "sounds/remove"):
        page.goto(f"{manage}/{name}/")
        looks_right(page, axe, name.replace("/", "-"))
    page.goto(f"{manage}/archive/")
    page.get_by_role("button", name="Archive").press("Enter")
    expect(page.get_by_text("The project is archived.", exact=True)).to_be_visible()
    page.goto(f"{manage}/archive/")
    looks_right(page, axe, "bring-back")
