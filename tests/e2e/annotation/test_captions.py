"""The captions of a project in a real browser: searched, by keyboard and without a script."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from tests.annotation.conftest import Crew, make_crew
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.e2e.annotation.test_imports import looks_right
from tests.e2e.conftest import LogIn

Axe = Callable[[], list[str]]


@pytest.fixture
def crew(transactional_db: None) -> Crew:
    return make_crew()


def test_a_lead_finds_captions_by_keyboard(
    page: Page, live_server: LiveServer, transactional_db: None, crew: Crew, log_in: LogIn, axe: Axe
) -> None:
    disputed_first(crew)
    agreed_second(crew)
    label(crew.items[2], crew.ann, (0, 1, "WHO"), comment="long-without-a-space" * 8)
    log_in(crew.manager)
    page.goto(f"{live_server.url}/annotate/{crew.project.slug}/manage/")
    tabs = page.get_by_role("navigation", name="Managing")
    tabs.get_by_role("link", name="Captions").press("Enter")
    expect(page.get_by_role("status")).to_have_text("4 captions")
    looks_right(page, axe)

    page.get_by_role("navigation", name="States").get_by_role("link", name="To decide").press(
        "Enter"
    )
    expect(page.get_by_role("status")).to_have_text("1 caption matches")
    expect(page.get_by_role("row", name="a dog")).to_contain_text("4 of 7 words in dispute")
    page.get_by_label("State", exact=True).focus()
    page.keyboard.type("any")
    page.get_by_label("Text or number").fill("rain")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name="heavy rain")).to_contain_text("All agree")
    # The address alone shows the same to somebody else.
    page.goto(page.url)
    expect(page.get_by_label("Text or number")).to_have_value("rain")


def test_the_page_of_a_caption_tells_all_that_happened(
    page: Page, live_server: LiveServer, crew: Crew, log_in: LogIn, axe: Axe
) -> None:
    item = disputed_first(crew)
    label(item, crew.ann, (1, 1, "WHO"), comment="long-without-a-space" * 8)
    log_in(crew.manager)
    page.goto(f"{live_server.url}/annotate/{crew.project.slug}/captions/")
    page.get_by_role("link", name="Caption 1").press("Enter")
    history = page.get_by_role("region", name="History")
    expect(history).to_contain_text("changed the answer")
    expect(history).to_contain_text("twice from How to No label")
    looks_right(page, axe)
    page.get_by_role("link", name="Adjudicate", exact=True).press("Enter")
    page.get_by_role("link", name="Who did what").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Caption 1")


def test_a_lead_hands_captions_over_and_downloads_some(
    page: Page, live_server: LiveServer, crew: Crew, log_in: LogIn, axe: Axe
) -> None:
    disputed_first(crew)
    log_in(crew.manager)
    page.goto(f"{live_server.url}/annotate/{crew.project.slug}/captions/?text=train")
    page.get_by_label("Tick caption 3").press("Space")
    page.get_by_role("button", name="Hand to somebody").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1 caption to somebody")
    looks_right(page, axe)
    page.get_by_label("To whom").select_option(crew.ann.username)
    page.get_by_role("button", name="Continue").press("Enter")
    expect(page.get_by_text("1 caption goes to")).to_be_visible()
    looks_right(page, axe)
    page.get_by_role("button", name="Hand over").press("Enter")
    expect(page.get_by_text(f"1 caption handed to {crew.ann.username}.")).to_be_visible()
    expect(page.get_by_label("Text or number")).to_have_value("train")
    expect(page.get_by_role("row", name="several people")).to_contain_text("In work")
    looks_right(page, axe)
    page.get_by_label("Tick caption 3").check()
    page.get_by_role("button", name="Download").press("Enter")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download").press("Enter")
    assert started.value.suggested_filename.endswith("-1-captions.prodigy.jsonl")


def test_a_lead_removes_captions_and_brings_them_back(
    page: Page, live_server: LiveServer, crew: Crew, log_in: LogIn, axe: Axe
) -> None:
    disputed_first(crew)
    log_in(crew.manager)
    page.goto(f"{live_server.url}/annotate/{crew.project.slug}/captions/")
    page.get_by_label("Tick caption 1").press("Space")
    page.get_by_role("button", name="Remove").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Remove 1 caption?")
    expect(page.get_by_role("main")).to_contain_text("2 by 2 people")
    looks_right(page, axe)
    page.get_by_role("button", name="Remove").press("Enter")
    expect(page.get_by_text("1 caption removed.")).to_be_visible()
    states = page.get_by_role("navigation", name="States")
    states.get_by_role("link", name="Removed").press("Enter")
    expect(page.get_by_role("status")).to_have_text("1 caption matches")
    looks_right(page, axe)
    page.get_by_role("link", name="Caption 1").press("Enter")
    expect(page.get_by_text("Removed by")).to_be_visible()
    looks_right(page, axe)
    page.get_by_role("button", name="Bring back").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Bring 1 caption back")
    looks_right(page, axe)
    page.get_by_role("button", name="Bring back").press("Enter")
    expect(page.get_by_text("1 caption brought back.")).to_be_visible()
    expect(page.get_by_role("row", name="a dog")).to_contain_text("To decide")


def test_a_lead_sends_answers_back_with_a_note(
    page: Page,
    live_server: LiveServer,
    crew: Crew,
    log_in: LogIn,
    axe: Axe,
    complaints: list[str],
) -> None:
    disputed_first(crew)
    log_in(crew.manager)
    page.goto(f"{live_server.url}/annotate/{crew.project.slug}/captions/")
    page.get_by_role("link", name="Caption 1").press("Enter")
    page.get_by_role("button", name="Send back").press("Enter")
    expect(page.get_by_text("2 answers to 1 caption go back")).to_be_visible()
    looks_right(page, axe)
    page.get_by_label("Why").fill(" ")
    page.get_by_role("button", name="Send back").press("Enter")
    expect(page.get_by_text("Give the reason")).to_be_visible()
    looks_right(page, axe)
    assert "422" in complaints.pop()
    page.get_by_label("Why").fill("Label the verb, too.")
    page.get_by_role("button", name="Send back").press("Enter")
    expect(page.get_by_text("2 answers to 1 caption sent back.")).to_be_visible()
    expect(page.get_by_role("row", name="a dog")).to_contain_text("Sent back")
    looks_right(page, axe)
