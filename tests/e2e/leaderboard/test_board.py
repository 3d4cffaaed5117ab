"""The leaderboard in a browser: pages, choices by keyboard, ties, files, light and dark."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Kind, Phase, Submission, User
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from tests.e2e.conftest import LogIn
from tests.factories import PhaseFactory, TeamFactory, UserFactory, finish, join, submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada() -> User:
    return UserFactory.create(username="ada")


@pytest.fixture
def phase(ada: User, monkeypatch: pytest.MonkeyPatch) -> Phase:
    """A phase of five systems on pages of two, with ranges of ranks, and a baseline."""
    monkeypatch.setattr("leaderboard.selectors.board.table.PER_PAGE", 2)
    phase = PhaseFactory.create()
    for number in range(5):
        team = TeamFactory.create(name=f"Team of {number}")
        if number == 0:
            join(team, ada)
        system = submit(phase, team, name=f"<b>System</b> {number} {'long ' * 8}")
        finish(system, value=0.4 + number / 50, seed=number)
        Submission.objects.filter(pk=system.pk).update(
            metadata={"audio_modelling": "BEATs" if number == 1 else "PANNs"}
        )
    base = submit(phase, TeamFactory.create(), name="Base")
    finish(base)
    Submission.objects.filter(pk=base.pk).update(kind=Kind.BASELINE)
    rank_estimates_refresh(phase_id=phase.pk, now=timezone.now())
    return phase


def address(phase: Phase, live_server: LiveServer, name: str = "board") -> str:
    return live_server.url + reverse(f"leaderboard:{name}", args=[phase.challenge.slug, phase.slug])


def test_by_keyboard_from_ties_to_the_next_page_and_a_choice(
    page: Page, live_server: LiveServer, phase: Phase, ada: User, log_in: LogIn
) -> None:
    log_in(ada)
    page.goto(address(phase, live_server))
    tied = page.locator(".board__tied").first
    tied.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(tied).to_contain_text("System")
    expect(page.locator(".board__beside")).to_contain_text("does not compete")
    page.get_by_role("link", name="Next").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".pager")).to_contain_text("3 to 4 of 5")
    expect(page.locator(".board tbody tr").first).to_contain_text("3")
    page.get_by_role("link", name="Your systems").click()
    expect(page.locator(".board-shown")).to_contain_text("1 of 5 teams. Ranks are among all 5.")
    expect(page.locator("tr.is-own")).to_have_count(1)
    page.get_by_role("link", name="Show all", exact=True).click()
    page.locator("summary", has_text="Systems").click()
    page.get_by_label("Encoder").fill("beats")
    page.keyboard.press("Enter")
    expect(page.locator(".board tbody").first.locator("tr")).to_have_count(1)
    page.get_by_role("link", name="N-gram").click()
    expect(page.locator(".board thead")).to_contain_text("BLEU-4")
    assert "encoder=beats" in page.url


def test_what_is_shown_can_be_taken_along(
    page: Page, live_server: LiveServer, phase: Phase
) -> None:
    page.goto(address(phase, live_server) + "?columns=meteor&systems=all")
    page.get_by_label("Format").select_option("latex")
    page.get_by_label("with intervals").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    told = download.value.path().read_text(encoding="utf-8")
    assert told.count(r"\textless{}b\textgreater{}System") == 5
    assert r"\toprule" in told
    assert "METEOR" in told
    assert "FENSE" not in told
