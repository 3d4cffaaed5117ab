"""Packages in a real browser: what is read from them fills the form, and is corrected later."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase, Submission, Team, User
from tests.e2e.conftest import LogIn
from tests.factories import CANDIDATES, PhaseFactory, TeamFactory, UserFactory, join
from tests.leaderboard.packages.files import METADATA, PDF, archive, package

Axe = Callable[[], list[str]]
SHOTS = os.environ.get("EARMARK_SCREENSHOTS", "")


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    return PhaseFactory.create()


@pytest.fixture
def person(transactional_db: None) -> User:
    user = UserFactory.create()
    join(TeamFactory.create(), user)
    return user


def shot(page: Page, name: str) -> None:
    """Keep a picture, where somebody wants to look at the pages."""
    if not SHOTS:
        return
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.screenshot(path=f"{SHOTS}/{name}-{width}-{scheme}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")


def team_package(folder: Path) -> Path:
    """Make a package of two systems and a report."""
    files: dict[str, bytes | str] = {"task6/report.pdf": PDF}
    for number, encoder in ((1, "CNN14"), (2, "BEATs")):
        label = f"Kim_SNU_task6_{number}"
        files[f"task6/{label}/{label}_output.csv"] = CANDIDATES
        files[f"task6/{label}/{label}.meta.yaml"] = (
            METADATA.replace("Kim_SNU_task6_1", label)
            .replace("Careful listener", f"Listener {number}")
            .replace("CNN14", encoder)
            .replace("98000000", "98M")
        )
    path = folder / "task6.zip"
    path.write_bytes(archive(files))
    return path


def test_a_system_of_a_package_is_chosen_its_metadata_fill_the_form_and_are_corrected(  # noqa: PLR0917
    page: Page,
    live_server: LiveServer,
    phase: Phase,
    person: User,
    log_in: LogIn,
    axe: Axe,
    complaints: list[str],
    tmp_path: Path,
) -> None:
    log_in(person)
    page.goto(f"{live_server.url}/c/{phase.challenge.slug}/{phase.slug}/submit/")
    page.get_by_label("Decoder").fill("My own words")
    page.get_by_label("Captions, or a package").set_input_files(team_package(tmp_path))
    expect(page.get_by_text("Which of the 2 systems")).to_be_visible()
    assert axe() == []
    shot(page, "choose")
    page.get_by_label("Kim_SNU_task6_2").check()
    expect(page.get_by_text("No errors: 5 clips")).to_be_visible()
    expect(page.get_by_label("Kim_SNU_task6_2")).to_be_checked()
    expect(page.get_by_label("System name")).to_have_value("Listener 2")
    expect(page.get_by_label("Encoder")).to_have_value("BEATs")
    expect(page.get_by_label("Parameters")).to_have_value("98000000")
    expect(page.get_by_label("Decoder")).to_have_value("My own words")
    assert axe() == []
    shot(page, "read")
    page.get_by_label("Kim_SNU_task6_1").check()
    expect(page.get_by_label("System name")).to_have_value("Listener 1")
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("Listener 1")
    stored = Submission.objects.get()
    assert stored.label == "Kim_SNU_task6_1"
    assert stored.metadata["system"]["description"]["word_modelling"] == "My own words"
    assert stored.report is not None
    assert axe() == []
    shot(page, "system")
    page.get_by_role("link", name="About", exact=True).click()
    expect(page.get_by_role("link", name="Technical report")).to_be_visible()
    assert axe() == []

    page.get_by_role("link", name="Edit the description").click()
    words = page.locator("#id_metadata")
    words.fill("submission:\n  label: [broken\n")
    assert axe() == []
    page.get_by_role("button", name="Save the description").click()
    expect(page.get_by_text("cannot be read").first).to_be_visible()
    expect(words).to_have_value("submission:\n  label: [broken\n")
    # The browser reports the status of the refusal.
    assert [line for line in complaints if "422" not in line] == []
    complaints.clear()
    shot(page, "edit")
    words.fill(METADATA)
    page.get_by_role("button", name="Save the description").click()
    expect(page.get_by_text("The description was changed.")).to_be_visible()
    said = Submission.objects.get().metadata["system"]["description"]
    assert said["word_modelling"] == "transformer"


def test_metadata_beside_captions_fill_the_form_and_leave_with_their_file(
    page: Page, live_server: LiveServer, phase: Phase, person: User, log_in: LogIn, tmp_path: Path
) -> None:
    log_in(person)
    captions, metadata, whole = (tmp_path / name for name in ("c.csv", "m.yaml", "p.zip"))
    captions.write_bytes(CANDIDATES)
    metadata.write_text(METADATA)
    whole.write_bytes(package(csv=CANDIDATES))
    page.goto(f"{live_server.url}/c/{phase.challenge.slug}/{phase.slug}/submit/")
    page.get_by_label("Captions, or a package").set_input_files(whole)
    expect(page.get_by_label("Encoder")).to_have_value("CNN14")
    page.get_by_label("Captions, or a package").set_input_files(captions)
    expect(page.get_by_label("Encoder")).to_have_value("")
    page.get_by_label("Metadata file").set_input_files(metadata)
    expect(page.get_by_label("Encoder")).to_have_value("CNN14")
    assert Team.objects.count() == 1
