"""From the leaderboard to why a clip got 0: three clicks, or three times the enter key."""

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.factories import CANDIDATES, PhaseFactory, TeamFactory, submit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def phase() -> Phase:
    """A phase by CB-score with one system, scored for real, that hears a cat where a door shuts."""
    phase = PhaseFactory.create(ranking_metric="cb_score")
    data = CANDIDATES.replace(b"a door slams", b"a cat meows")
    system = submit(phase, TeamFactory.create(), name="Cat lover", data=data)
    for evaluation in system.evaluations.filter(family__in=["cb", "fluency", "spice"]):
        evaluation_attempt(evaluation_id=evaluation.pk)
    return phase


def board(page: Page, server: LiveServer, phase: Phase) -> None:
    names = (phase.challenge.slug, phase.slug)
    page.goto(server.url + reverse("leaderboard:board", args=names))


def expect_the_reason(page: Page) -> None:
    expect(page.get_by_role("heading", name="a cat meows")).to_be_visible()
    why = page.locator("details", has=page.get_by_role("heading", name="CB-score and CB recall"))
    expect(why).to_contain_text("0.000")
    expect(why).to_contain_text("The caption names")
    expect(why).to_contain_text("Cat")
    expect(why.get_by_role("row", name="Door")).to_be_visible()


def test_three_clicks(page: Page, live_server: LiveServer, phase: Phase) -> None:
    board(page, live_server, phase)
    page.get_by_role("link", name="Cat lover").click()
    page.get_by_role("link", name="Clips", exact=True).click()
    page.get_by_role("table").get_by_role("link", name=".wav").first.click()
    expect_the_reason(page)


def test_the_parts_of_earmark_add_up_to_its_score(page: Page, live_server: LiveServer) -> None:
    system = submit(PhaseFactory.create(ranking_metric="earmark"), TeamFactory.create())
    evaluation = system.evaluations.get(family="earmark")
    evaluation_attempt(evaluation_id=evaluation.pk)
    score = float(evaluation.results.get().read_per_clip()[0])
    page.goto(live_server.url + reverse("leaderboard:clip", args=[system.public_id, 1]))
    why = page.locator("details", has=page.get_by_role("heading", name="Earmark", exact=True))
    expect(why).to_contain_text(f"{score:.3f}")
    parts = why.get_by_role("table").get_by_role("row")
    expect(parts.filter(has_text="Similarity to the references")).to_be_visible()
    shares = parts.locator("td:last-child").all_inner_texts()
    assert len(shares) == len(why.get_by_role("rowheader").all())
    # Each is written with three decimals.
    assert sum(map(float, shares)) == pytest.approx(score, abs=0.0005 * len(shares) + 0.0005)


def press_through(page: Page, wanted: Locator) -> None:
    """Go on with the tab key until the link has the focus, then open it."""
    wanted.wait_for()
    for _ in range(60):
        page.keyboard.press("Tab")
        if wanted.evaluate("link => link === document.activeElement"):
            page.keyboard.press("Enter")
            return
    pytest.fail("The tab key does not reach the link.")


def test_by_the_keyboard_alone(page: Page, live_server: LiveServer, phase: Phase) -> None:
    board(page, live_server, phase)
    press_through(page, page.get_by_role("link", name="Cat lover"))
    page.wait_for_url("**/s/*/")
    press_through(page, page.get_by_role("link", name="Clips", exact=True))
    page.wait_for_url("**/clips/")
    press_through(page, page.get_by_role("table").get_by_role("link", name=".wav").first)
    expect_the_reason(page)
