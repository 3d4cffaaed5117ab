"""Two people in one team, in real browsers: invited, submitting, withdrawing, choosing."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Counting, Phase, Submission
from tests.e2e.leaderboard.test_taking_part import make_team, sign_up
from tests.factories import (
    CANDIDATES,
    ChallengeFactory,
    PhaseFactory,
    finish,
)

Axe = Callable[[], list[str]]


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    cache.clear()
    return PhaseFactory.create(
        challenge=ChallengeFactory.create(slug="sounds", title="Sounds"),
        slug="open",
        name="Open",
        counting=Counting.CHOSEN,
        quota_per_day=2,
        systems_per_team=2,
    )


@pytest.fixture
def other(browser: Browser) -> Iterator[Page]:
    """The second person's browser."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def hand_in(page: Page, server: LiveServer, name: str, file: Path) -> None:
    page.goto(f"{server.url}/c/sounds/open/submit/")
    page.get_by_label("System name").fill(name)
    page.get_by_label("Captions, or a package").set_input_files(file)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page).to_have_url(re.compile(r"/s/\w+/$"))


def test_a_refusal_loses_neither_the_file_nor_what_was_found_in_it(
    page: Page,
    live_server: LiveServer,
    phase: Phase,
    tmp_path: Path,
    complaints: list[str],
) -> None:
    file = tmp_path / "captions.csv"
    file.write_bytes(CANDIDATES)
    sign_up(page, live_server, way="/c/sounds/open/submit/", name="nora")
    make_team(page)
    page.goto(f"{live_server.url}/c/sounds/open/submit/")
    chosen = page.get_by_label("Captions, or a package")
    chosen.set_input_files(file)
    expect(page.get_by_text("No errors: 5 clips")).to_be_visible()
    name, submit_button = (
        page.get_by_label("System name"),
        page.get_by_role("button", name="Submit", exact=True),
    )
    # Nothing is sent without a name, since this file brings none.
    expect(name).to_have_attribute("required", "")
    submit_button.click()
    expect(name).to_be_focused()
    name.fill("Care\u202eful")
    page.get_by_label("Description").fill("Kept text")
    submit_button.click()
    expect(page.get_by_text("The name has an invisible character.")).to_be_visible()
    assert chosen.evaluate("input => input.files[0].name") == "captions.csv"
    expect(page.get_by_text("No errors: 5 clips")).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("Kept text")
    name.fill("Careful")
    submit_button.click()
    expect(page).to_have_url(re.compile(r"/s/\w+/$"))
    expect(page.get_by_text("Careful was submitted and is being scored.")).to_be_visible()
    complaints.clear()  # the browser reports the 422 itself


def test_two_people_share_a_team_and_decide_what_counts(
    page: Page, other: Page, live_server: LiveServer, phase: Phase, axe: Axe, tmp_path: Path
) -> None:
    file = tmp_path / "captions.csv"
    file.write_bytes(CANDIDATES)
    sign_up(page, live_server, way="/c/sounds/open/submit/", name="nora")
    make_team(page)
    sign_up(other, live_server, way="/teams/", name="amir")

    page.goto(f"{live_server.url}/teams/sound-lab/")
    page.get_by_label("User name").fill("amir")
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_text("amir was invited, and finds it under Teams.")).to_be_visible()
    assert axe() == []

    other.goto(f"{live_server.url}/notices/")
    expect(other.get_by_role("link", name="Notices 1 not read")).to_be_visible()
    other.get_by_role("link", name="nora invites you to join the team Sound Lab.").click()
    other.get_by_role("button", name="Join Sound Lab", exact=True).click()
    expect(other.get_by_text("You are now a member of Sound Lab.")).to_be_visible()

    hand_in(page, live_server, "First", file)
    hand_in(other, live_server, "Second", file)
    other.goto(f"{live_server.url}/c/sounds/open/submit/")
    expect(other.get_by_text("0 of 2 submissions left today; the count resets")).to_be_visible()
    # The page of a system loads itself again once scored and may overtake the next address.
    page.goto("about:blank")
    for submission in Submission.objects.all():
        finish(submission)

    page.goto(f"{live_server.url}/notices/")
    expect(page.get_by_role("link", name=re.compile("Second was scored: CIDEr-D"))).to_be_visible()
    assert axe() == []
    page.get_by_role("link", name=re.compile("Second was scored")).click()
    page.get_by_role("link", name="Withdraw", exact=True).click()
    expect(page.get_by_role("heading", name="Withdraw Second?")).to_be_visible()
    assert axe() == []
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("Second was withdrawn. You can take it back")).to_be_visible()
    assert axe() == []

    second = Submission.objects.get(system_name="Second")
    other.goto(f"{live_server.url}/s/{second.public_id}/")
    other.get_by_role("link", name="Take it back").click()
    other.get_by_role("button", name="Take back").click()
    expect(other.get_by_text("Second stands again.")).to_be_visible()
    other.get_by_role("link", name="Sound Lab").first.click()
    other.get_by_role("link", name="First", exact=True).click()
    other.get_by_role("link", name="Let it count").click()
    other.get_by_role("button", name="Choose").click()
    expect(other.get_by_text("First now counts for your team.")).to_be_visible()

    page.goto(f"{live_server.url}/teams/sound-lab/")
    expect(page.get_by_role("row", name=re.compile("First.*counts"))).to_be_visible()
    history = page.get_by_role("region", name="History")
    for sentence in ("amir chose First to count.", "nora withdrew Second.", "amir joined."):
        expect(history.get_by_text(sentence)).to_be_visible()
    assert axe() == []
