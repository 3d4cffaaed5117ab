"""A file with other labels in a real browser: looked at, mapped, imported and taken back."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Project
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import UserFactory

Axe = Callable[[], list[str]]
LONG = "a session whose name is as long as somebody could make it" * 2


def line(text: str, *labels: str) -> str:
    spans = [
        {"token_start": number, "token_end": number, "label": label}
        for number, label in enumerate(labels)
    ]
    return json.dumps({"text": text, "spans": spans, "_session_id": LONG}) + "\n"


@pytest.fixture
def project(transactional_db: None) -> Project:
    return make_project(UserFactory.create(username="manager"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / f"{'other-labels-' * 6}.jsonl"
    path.write_text(line("a big dog barks", "ART", "SIZE", "WHO") + line("rain", "WEATHER") + "{\n")
    return path


def looks_right(page: Page, axe: Axe) -> None:
    """No fault by axe in either colours, and nothing to be scrolled sideways on a phone."""
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
    wide = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 800})
    fits_width(page)
    assert axe() == []
    page.set_viewport_size(wide or {"width": 1280, "height": 720})


def test_a_lead_looks_at_a_file_maps_it_imports_it_and_takes_it_back_by_keyboard(
    page: Page,
    live_server: LiveServer,
    project: Project,
    file: Path,
    log_in: LogIn,
    axe: Axe,
    complaints: list[str],
) -> None:
    log_in(User.objects.get(username="manager"))
    page.goto(f"{live_server.url}/annotate/{project.slug}/manage/captions/")
    page.get_by_label("File", exact=False).first.set_input_files(file)
    page.get_by_role("button", name="Add", exact=True).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Import other-labels-")
    expect(page.get_by_role("status")).to_contain_text(
        "3 labels of the file are not in ACES, 13 labels: ART (1), SIZE (1), WEATHER (1)."
    )
    looks_right(page, axe)
    assert not Annotation.objects.exists()
    # What is not said is refused, and what was said stays.
    page.get_by_label("What ART becomes").focus()
    page.keyboard.type("Leave")
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("SIZE (1), WEATHER (1)")
    expect(page.get_by_label("What ART becomes")).to_have_value("-")
    # The browser tells that the form was refused.
    complaints.clear()
    assert axe() == []
    page.get_by_label("What SIZE becomes").focus()
    page.keyboard.type("Property of who")
    page.get_by_label("What WEATHER becomes").focus()
    page.keyboard.type("Other")
    page.get_by_label(f"Whose session {LONG} is").focus()
    page.keyboard.type("manager")
    page.get_by_role("button", name="Preview again").press("Enter")
    expect(page.get_by_role("status")).to_have_count(0)
    expect(page.get_by_role("row", name="ART")).to_contain_text("1")
    assert not Annotation.objects.exists()
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="What was imported")).to_be_visible()
    expect(page.get_by_role("row", name="SIZE")).to_contain_text("Property of who or what")
    looks_right(page, axe)
    assert Annotation.objects.filter(user__username="manager", inventory="").count() == 2
    page.get_by_role("link", name="Take back").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Take other-labels-")
    expect(page.get_by_text("2 captions that the file added are deleted")).to_be_visible()
    looks_right(page, axe)
    page.get_by_role("button", name="Take back").press("Enter")
    expect(page.get_by_text("2 captions and 2 annotations are gone.")).to_be_visible()
    assert not Annotation.objects.exists()
    page.goto(f"{live_server.url}/annotate/{project.slug}/manage/files/")
    expect(page.get_by_role("region", name="Imported files")).to_contain_text("Taken back")
    looks_right(page, axe)


def test_the_columns_of_a_table_are_chosen_by_keyboard(
    page: Page,
    live_server: LiveServer,
    project: Project,
    tmp_path: Path,
    log_in: LogIn,
    axe: Axe,
) -> None:
    table = tmp_path / "clips.csv"
    table.write_text('wav,words,"' + "a long name of a column " * 8 + '"\nx.wav,a cow moos,x\n')
    log_in(User.objects.get(username="manager"))
    page.goto(f"{live_server.url}/annotate/{project.slug}/manage/captions/")
    page.get_by_label("File", exact=False).first.set_input_files(table)
    page.get_by_role("button", name="Add", exact=True).press("Enter")
    expect(page.get_by_text("The header has no column with captions.")).to_be_visible()
    looks_right(page, axe)
    page.get_by_label("Column with captions").focus()
    page.keyboard.type("words")
    page.get_by_label("Column with sound files").focus()
    page.keyboard.type("wav")
    page.get_by_role("button", name="Preview again").press("Enter")
    expect(page.get_by_label("Column with captions")).to_have_value("1")
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="What was imported")).to_be_visible()
    assert project.items.get(text="a cow moos").meta["file_name"] == "x.wav"
