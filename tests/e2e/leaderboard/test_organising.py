"""From nothing to an open challenge in a real browser, with the references of Clotho."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from django.contrib.auth.models import Permission
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Challenge, User
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import PhaseFactory, TeamFactory, UserFactory, finish, join, submit

Flawless = Callable[[], None]
CLIPS, CAPTIONS = 1_045, 5_225


@pytest.fixture
def organiser(transactional_db: None) -> User:
    user = UserFactory.create(username="elia")
    user.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    return user


@dataclass(frozen=True)
class Files:
    """The references of Clotho's evaluation split, and the same with a fault at the end."""

    clotho: Path
    faulty: Path


@pytest.fixture
def files(shared_data: Path, tmp_path: Path) -> Files:
    clotho = shared_data / "clotho" / "clotho_captions_evaluation.csv"
    faulty = tmp_path / "faulty.csv"
    faulty.write_bytes(clotho.read_bytes() + b"Radio Garble.wav,Another,Row,Of,It,Here\n")
    return Files(clotho, faulty)


@pytest.fixture
def flawless(page: Page, axe: Callable[[], list[str]]) -> Flawless:
    """Check the page in light and dark, and that a phone need not scroll it sideways."""

    def check() -> None:
        schemes: tuple[Literal["dark", "light"], ...] = ("dark", "light")
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            assert axe() == []
        before = page.viewport_size
        page.set_viewport_size({"width": 390, "height": 800})
        fits_width(page)
        if before:
            page.set_viewport_size(before)

    return check


def test_from_nothing_to_open(
    page: Page,
    live_server: LiveServer,
    organiser: User,
    log_in: LogIn,
    flawless: Flawless,
    files: Files,
    complaints: list[str],
) -> None:
    log_in(organiser)
    page.goto(live_server.url)
    page.get_by_role("navigation", name="Site").get_by_role("link", name="Manage").click()
    page.wait_for_url("**/manage/")
    flawless()
    page.get_by_role("link", name="New challenge").first.click()
    page.wait_for_url("**/manage/new/")
    flawless()
    # The form by keyboard alone; the address follows the title.
    page.get_by_label("Title").focus()
    page.keyboard.type("Sounds of Spring: 2027")
    expect(page.get_by_label("Address")).to_have_value("sounds-of-spring-2027")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type("Europe/Berlin")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="DCASE 2024")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sounds of Spring: 2027")
    expect(page.get_by_role("heading", name="Before it can open")).to_be_visible()
    flawless()

    _references(page, flawless, files, complaints)
    _dates(page, flawless)
    _text(page, flawless)
    _announcement(page, flawless)
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("button", name="Publish").press("Enter")
    expect(page.get_by_text("everyone sees it.")).to_be_visible()
    flawless()
    page.context.clear_cookies()
    page.goto(f"{live_server.url}/c/sounds-of-spring-2027/")
    expect(page.get_by_text("The data are there")).to_be_visible()
    hidden = page.get_by_role("article", name="Evaluation split (hidden)")
    expect(hidden).to_contain_text("4 systems at once")
    expect(hidden).to_contain_text("Opens")
    public = page.get_by_role("article", name="Development-testing split (public)")
    expect(public.get_by_role("link", name="Submit")).to_be_visible()
    flawless()
    made = Challenge.objects.get(slug="sounds-of-spring-2027")
    counts = made.phases.values_list("reference_set__clip_count", "reference_set__caption_count")
    assert list(counts) == [(CLIPS, CAPTIONS), (CLIPS, CAPTIONS)]


def _references(page: Page, flawless: Flawless, files: Files, complaints: list[str]) -> None:
    page.get_by_role("link", name="Upload Development-testing split (public)").click()
    page.wait_for_url("**/references/")
    flawless()
    page.get_by_label("References", exact=True).set_input_files(files.faulty)
    page.get_by_role("button", name="Look at the file").click()
    expect(page.get_by_text("1 error in faulty.csv")).to_be_visible()
    expect(page.get_by_role("table")).to_contain_text("already in line")
    # The browser tells that the file was refused.
    complaints.clear()
    flawless()
    page.get_by_label("References", exact=True).set_input_files(files.clotho)
    page.get_by_role("button", name="Look at the file").click()
    expect(page.get_by_text("The first 5 of 1,045 clips.")).to_be_visible()
    expect(page.get_by_text("5 each")).to_be_visible()
    flawless()
    page.get_by_role("button", name="Use these references").click()
    expect(page.get_by_text("1,045 clips, 5,225 captions.")).to_be_visible()
    flawless()
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Upload Evaluation split (hidden)").click()
    page.get_by_label("References", exact=True).set_input_files(files.clotho)
    page.get_by_role("button", name="Look at the file").press("Enter")
    expect(page.get_by_text("The same content is used by")).to_be_visible()
    page.get_by_role("checkbox", name="Score one reference").uncheck()
    page.get_by_role("button", name="Use these references").press("Enter")
    expect(page.get_by_text("nothing of them would be hidden")).to_be_visible()
    page.get_by_role("checkbox", name="one phase hides what another shows").check()
    page.get_by_role("button", name="Use these references").press("Enter")
    expect(page.get_by_text("1,045 clips, 5,225 captions.")).to_be_visible()


def _dates(page: Page, flawless: Flawless) -> None:
    page.get_by_role("navigation", name="The phase").get_by_role("link", name="Rules").click()
    page.get_by_label("Opens").fill("2099-04-01T09:00")
    page.get_by_label("Closes").fill("2099-05-01T23:59")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The rules were saved.")).to_be_visible()
    expect(page.get_by_text("It is set to 2099-05-01 21:59 UTC.")).to_be_visible()
    page.get_by_text("Columns of the leaderboard").first.click()
    flawless()
    page.get_by_role("navigation", name="Managing").get_by_role("link", name="Phases").click()
    page.wait_for_url("**/phases/")
    flawless()
    page.get_by_role("button", name="Down Development-testing").press("Enter")
    expect(page.get_by_role("row").nth(1)).to_contain_text("Evaluation split (hidden)")
    page.get_by_role("link", name="Add a phase").click()
    page.wait_for_url("**/phases/new/")
    flawless()


def _text(page: Page, flawless: Flawless) -> None:
    page.get_by_role("navigation", name="Managing").get_by_role("link", name="Text").click()
    page.get_by_label("Text", exact=False).last.fill("# Task\n\nDescribe *sounds*.")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("region", name="Preview").locator("em")).to_have_text("sounds")
    flawless()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The text was saved.")).to_be_visible()


def _announcement(page: Page, flawless: Flawless) -> None:
    links = page.get_by_role("navigation", name="Managing")
    links.get_by_role("link", name="Announcements").click()
    page.get_by_label("Title").fill("The data are there")
    page.get_by_role("button", name="Announce").press("Enter")
    announced = page.get_by_role("link", name="The data are there")
    expect(announced).to_be_visible()
    flawless()
    announced.click()
    page.wait_for_url(re.compile(r"/announcements/\d+/$"))
    flawless()
    links.get_by_role("link", name="People").click()
    page.get_by_label("User name or e-mail address").fill("friend@example.org")
    page.get_by_role("button", name="Add organiser").press("Enter")
    expect(page.get_by_text("An invitation is on its way to friend@example.org.")).to_be_visible()
    flawless()


def test_rules_under_submissions_are_asked_twice(
    page: Page,
    live_server: LiveServer,
    organiser: User,
    log_in: LogIn,
    flawless: Flawless,
    complaints: list[str],
) -> None:
    phase, team = PhaseFactory.create(), TeamFactory.create()
    phase.challenge.organisers.add(organiser)
    join(team, UserFactory.create())
    finish(submit(phase, team))
    log_in(organiser)
    page.goto(f"{live_server.url}/c/{phase.challenge.slug}/{phase.slug}/")
    page.get_by_role("link", name="Manage").last.click()
    page.get_by_label("Ranking metric", exact=True).select_option("fense")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Ranked by FENSE instead of CIDEr-D")
    complaints.clear()
    flawless()
    page.get_by_role("button", name="Change the rules").press("Enter")
    expect(page.get_by_text("The rules were saved.")).to_be_visible()
    phase.refresh_from_db()
    assert phase.ranking_metric == "fense"
