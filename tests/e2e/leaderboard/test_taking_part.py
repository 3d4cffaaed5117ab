"""Taking part, in a real browser: from no account to a scored system's page."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.cache import cache
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase, Submission
from scoring.captions import read_references
from tests.e2e.conftest import scripts_held_back
from tests.factories import PASSWORD, ChallengeFactory, PhaseFactory, reference_set
from tests.leaderboard.challenges.test_demo_data import DATA, FAULTS, MISSING_CLIP

CAREFUL = DATA / "systems" / "careful.csv"
FAULTY = DATA / "faulty.csv"

# A drop as the browser reports it; Playwright itself can only fill the file field.
Axe = Callable[[], list[str]]

DROP = """
async ([selector, name, bytes]) => {
  const files = new DataTransfer();
  files.items.add(new File([new Uint8Array(bytes)], name, { type: "text/csv" }));
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.querySelector(selector).dispatchEvent(
      new DragEvent(type, { dataTransfer: files, bubbles: true, cancelable: true }));
  }
}
"""


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    cache.clear()
    references = read_references((DATA / "references.csv").read_bytes()).value
    assert references is not None
    return PhaseFactory.create(
        challenge=ChallengeFactory.create(slug="sounds", title="Sounds"),
        slug="open",
        name="Open",
        reference_set=reference_set(references),
        references_public=False,
        quota_per_day=4,
    )


def drop(page: Page, path: Path) -> None:
    expect(page.get_by_text("Or drop the file here")).to_be_visible()
    page.evaluate(DROP, [".file-drop", path.name, list(path.read_bytes())])


def sign_up(page: Page, server: LiveServer, *, way: str, name: str = "nora") -> None:
    page.goto(f"{server.url}{way}")
    page.get_by_role("main").get_by_role("link", name="Sign up").click()
    page.get_by_label("User name").fill(name)
    page.get_by_label("E-mail address").fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()


def make_team(page: Page, name: str = "Sound Lab") -> None:
    page.get_by_label("Team name").fill(name)
    page.get_by_role("button", name="Make the team and go on").click()


def test_from_no_account_over_twenty_faults_to_the_system_page(
    page: Page, live_server: LiveServer, phase: Phase, axe: Axe
) -> None:
    sign_up(page, live_server, way="/c/sounds/open/submit/")
    make_team(page)
    expect(page.get_by_text("4 of 4 submissions left today")).to_be_visible()
    assert axe() == []

    drop(page, FAULTY)
    rows = page.get_by_role("region", name="Errors in the file").locator("tbody tr")
    expect(rows.first).to_be_visible()
    warned = page.get_by_role("region", name="Warnings about the file").locator("tbody tr")
    texts = rows.all_inner_texts() + warned.all_inner_texts()
    lines = {int(found[1]) for text in texts if (found := re.match(r"(?:line )?(\d+)\b", text))}
    assert lines == set(FAULTS)
    assert any("whole file" in text and MISSING_CLIP in text for text in texts)
    assert axe() == []
    assert not Submission.objects.exists()

    drop(page, CAREFUL)
    expect(page.get_by_text("No errors: 72 clips")).to_be_visible()
    expect(rows).to_have_count(0)
    page.get_by_label("System name").fill("Careful")
    page.get_by_label("Encoder").fill("CNN14")
    page.get_by_role("button", name="Submit").click()
    expect(page).to_have_url(re.compile(r"/s/\w+/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Careful")
    submission = Submission.objects.get()
    assert bytes(submission.file.content) == CAREFUL.read_bytes(), "a dropped file is sent whole"
    assert submission.metadata == {"system": {"description": {"audio_modelling": "CNN14"}}}


def test_a_file_chosen_before_the_scripts_came_is_checked_all_the_same(
    page: Page, live_server: LiveServer, phase: Phase
) -> None:
    sign_up(page, live_server, way="/c/sounds/open/submit/")
    make_team(page)
    expect(page.get_by_label("Captions, or a package")).to_be_visible()
    with scripts_held_back(page):
        page.goto(page.url, wait_until="commit")
        page.get_by_label("Captions, or a package").set_input_files(CAREFUL)
    expect(page.get_by_text("No errors: 72 clips")).to_be_visible()


def test_everything_works_without_javascript(
    browser: Browser, live_server: LiveServer, phase: Phase
) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{live_server.url}/accounts/signup/?next=/c/sounds/open/submit/")
    page.get_by_label("User name").fill("nora")
    page.get_by_label("E-mail address").fill("nora@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign up").click()
    page.get_by_label("Team name").fill("Sound Lab")
    page.get_by_role("button", name="Make the team and go on").click()

    page.get_by_label("System name").fill("Careful")
    page.get_by_label("Captions, or a package").set_input_files(FAULTY)
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("region", name="Errors in the file")).to_be_visible()
    expect(page.get_by_label("System name")).to_have_value("Careful")

    page.get_by_label("Captions, or a package").set_input_files(CAREFUL)
    page.get_by_role("button", name="Submit").click()
    expect(page).to_have_url(re.compile(r"/s/\w+/$"))
    page.context.close()


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(
    page: Page, live_server: LiveServer, phase: Phase, tmp_path: Path
) -> None:
    sign_up(page, live_server, way="/c/sounds/open/submit/")
    make_team(page)
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * 5_000_001)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    # The hint appears when the script that looks at sizes has started.
    expect(page.get_by_text("Or drop the file here")).to_be_visible()
    page.get_by_label("Captions, or a package").set_input_files(large)
    expect(page.get_by_text("large.csv is larger than the limit of 5 MB.")).to_be_visible()
    assert not [url for url in asked if url.endswith("/check/")]


def test_a_team_grows_by_a_link(
    page: Page, live_server: LiveServer, phase: Phase, axe: Axe
) -> None:
    sign_up(page, live_server, way="/c/sounds/open/submit/")
    make_team(page)
    page.goto(f"{live_server.url}/teams/sound-lab/")
    page.get_by_role("button", name="Make a link").click()
    made = page.locator("code[id^=invitation]")
    expect(made).to_be_visible()
    assert axe() == []
    link = made.inner_text()

    page.context.clear_cookies()
    sign_up(page, live_server, way=link.removeprefix(live_server.url), name="amir")
    expect(page.get_by_role("heading", name="Join Sound Lab")).to_be_visible()
    assert axe() == []
    page.get_by_role("button", name="Join the team").click()
    expect(page.get_by_text("You are now a member of Sound Lab.")).to_be_visible()
    expect(page.get_by_role("button", name="Make a link")).to_have_count(0)


def test_a_token_is_shown_once(page: Page, live_server: LiveServer, phase: Phase, axe: Axe) -> None:
    sign_up(page, live_server, way="/account/tokens/")
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Make a token").click()
    secret = page.locator("#new-token").inner_text()
    assert secret.startswith("ear_")
    assert axe() == []
    page.goto(f"{live_server.url}/account/tokens/")
    expect(page.get_by_role("rowheader", name="laptop")).to_be_visible()
    expect(page.get_by_text(secret)).to_have_count(0)
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("You have no tokens.")).to_be_visible()
