"""Running a project in a real browser: from a file to the labels that come back out of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project, Scheme
from annotation.services.labels import schemes_load
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.e2e.conftest import LogIn
from tests.factories import PhaseFactory, UserFactory

Axe = Callable[[], list[str]]
RECORD = {
    "text": "a dog barks 🐕 twice ",
    "spans": [{"token_start": 1, "token_end": 1, "label": "WHO"}],
    "_session_id": "dev-elia",
}


@pytest.fixture
def manager(transactional_db: None) -> User:
    schemes_load()
    user = UserFactory.create(username="manager")
    PhaseFactory.create(references_public=False).challenge.organisers.add(user)
    UserFactory.create(username="ann")
    return user


def test_a_project_is_made_of_a_file_run_and_downloaded(
    page: Page,
    live_server: LiveServer,
    manager: User,
    log_in: LogIn,
    axe: Axe,
    tmp_path: Path,
    complaints: list[str],
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(json.dumps(RECORD) + "\n")
    bad.write_text(json.dumps({**RECORD, "text": ""}) + "\n{\n")
    log_in(manager)
    page.goto(f"{live_server.url}/annotate/")
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Name").fill("Dogs")
    captions = page.get_by_role("group", name="Captions", exact=True)
    captions.get_by_label("File", exact=False).set_input_files(bad)
    page.get_by_role("button", name="Make the project").click()
    expect(page.get_by_role("heading", name="Left out: 2 records")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was made.")
    # The browser tells that the form was refused.
    complaints.clear()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
    captions.get_by_label("File", exact=False).set_input_files(good)
    page.get_by_label("Inventory of its labels").select_option("aces-13")
    page.get_by_role("button", name="Make the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Dogs")
    page.get_by_role("link", name="People").click()
    expect(page.get_by_role("row", name="dev-elia")).to_contain_text("from a file")
    page.get_by_label("User name").fill("ann")
    page.get_by_role("button", name="Add member").press("Enter")
    page.get_by_label("Role of ann", exact=True).select_option("adjudicator")
    page.get_by_role("button", name="Set the role of ann").press("Enter")
    expect(page.get_by_label("Role of ann", exact=True)).to_have_value("adjudicator")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert axe() == []
    page.get_by_role("link", name="Import and export").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download", exact=True).click()
    assert started.value.suggested_filename == "dogs-all.prodigy.jsonl"
    assert Path(started.value.path()).read_bytes() == good.read_bytes()


def test_the_owner_deletes_a_project_by_keyboard_after_its_name(
    page: Page, live_server: LiveServer, manager: User, log_in: LogIn, axe: Axe
) -> None:
    project = make_project(manager)
    log_in(manager)
    page.goto(f"{live_server.url}/annotate/{project.slug}/manage/settings/")
    assert axe() == []
    page.get_by_role("link", name="Delete").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("permanently?")
    assert axe() == []
    page.get_by_label("To delete the project, enter its name").fill(project.name)
    page.get_by_role("button", name="Delete permanently").press("Enter")
    expect(page.get_by_text(f"{project.name} is deleted.")).to_be_visible()
    assert not Project.objects.exists()


def test_the_labels_to_choose_from_are_those_of_the_scheme(
    page: Page, live_server: LiveServer, manager: User, log_in: LogIn, axe: Axe
) -> None:
    thirteen, ten = (Scheme.objects.get(slug=slug) for slug in ("aces-13", "aces-10"))
    log_in(manager)
    page.goto(f"{live_server.url}/annotate/new/")
    groups = {
        scheme: page.get_by_role("group", name=f"Offered labels, {scheme.title}")
        for scheme in (thirteen, ten)
    }
    expect(groups[thirteen]).to_be_visible()
    expect(groups[ten]).to_be_hidden()
    assert axe() == []
    groups[thirteen].get_by_label("What or where").check()
    page.get_by_label("Name").fill("Dogs")
    page.get_by_label("Labels", exact=True).select_option(str(ten.pk))
    expect(groups[thirteen]).to_be_hidden()
    groups[ten].get_by_label("When").check()
    # What was chosen of the other scheme is not sent.
    page.get_by_role("button", name="Make the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Dogs")
    assert Project.objects.get().offered == ["WHEN"]
