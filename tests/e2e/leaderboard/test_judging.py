"""Organisers judge submissions and score a phase anew, in a real browser with real scores."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase, Rescoring, User
from leaderboard.selectors.organising.rescoring import open_rescoring
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import figure_drawn, fits_width
from tests.factories import PhaseFactory, TeamFactory, UserFactory, join
from tests.leaderboard.organising.rescoring_cases import LONG, SHORT, compute, names, scored_truly

Axe = Callable[[], list[str]]
REASON = "Trained on the evaluation clips."


@pytest.fixture
def phase(transactional_db: None) -> Phase:
    """Two systems: one is best with the usual length penalty, the other with a narrow one."""
    made = PhaseFactory.create(name="Evaluation", challenge__title="Captions 2026")
    for team, system, rows in (("Owls", "Long", LONG), ("Wrens", "Short", SHORT)):
        scored_truly(made, TeamFactory.create(name=team), system, rows)
    return made


@pytest.fixture
def organiser(phase: Phase) -> User:
    user = UserFactory.create(username="rank-honestly")
    phase.challenge.organisers.add(user)
    return user


def looked_at(page: Page, axe: Axe, name: str) -> None:
    """Check both colour schemes and a narrow screen; keep pictures where somebody wants them."""
    folder = os.environ.get("EARMARK_PICTURES", "")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
        if folder:
            page.screenshot(path=Path(folder) / f"{name}-{scheme}.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 844})
    if folder:
        page.screenshot(path=Path(folder) / f"{name}-narrow.png", full_page=True)
    fits_width(page)
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_system_is_disqualified_and_restored(
    page: Page, live_server: LiveServer, phase: Phase, organiser: User, log_in: LogIn, axe: Axe
) -> None:
    log_in(organiser)
    slug = phase.challenge.slug
    page.goto(f"{live_server.url}/manage/{slug}/submissions/")
    expect(page.get_by_role("row", name="Long")).to_contain_text("stands")
    looked_at(page, axe, "submissions")
    page.get_by_label("Contains").fill("lon")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("row", name="Short")).to_have_count(0)
    page.get_by_role("link", name="Long", exact=True).click()
    page.get_by_label("Reason").fill(REASON)
    looked_at(page, axe, "submission")
    page.get_by_role("button", name="Disqualify").press("Enter")
    expect(page.get_by_role("blockquote")).to_have_text(REASON)
    board = f"{live_server.url}/c/{slug}/{phase.slug}/"
    page.goto(board)
    expect(page.get_by_role("row", name="Short")).to_contain_text("1")
    expect(page.get_by_role("row", name="Long")).to_have_count(0)
    page.go_back()
    page.get_by_role("button", name="Restore").press("Enter")
    expect(page.get_by_role("heading", name="Disqualify")).to_be_visible()
    page.goto(board)
    expect(page.get_by_role("row", name="Long")).to_be_visible()
    page.goto(f"{live_server.url}/manage/{slug}/audit/")
    expect(page.get_by_role("main")).to_contain_text(
        f"rank-honestly disqualified Long (Owls), reason: {REASON}"
    )
    looked_at(page, axe, "audit")


def test_a_phase_is_rescored_and_taken_back(
    page: Page, live_server: LiveServer, phase: Phase, organiser: User, log_in: LogIn, axe: Axe
) -> None:
    log_in(organiser)
    here = f"{live_server.url}/manage/{phase.challenge.slug}/{phase.slug}/rescoring/"
    page.goto(here)
    page.get_by_label("CIDEr-D", exact=True).check()
    page.get_by_text("Parameters of CIDEr-D").click()
    page.locator("#id_cider_d__sigma").fill("1")
    page.get_by_label("Reason").fill("Long captions shall not win")
    looked_at(page, axe, "rescoring-new")
    page.get_by_role("button", name="Start dry run").click()
    expect(page.get_by_text("2 scores to go")).to_be_visible()
    looked_at(page, axe, "rescoring-running")
    assert names(phase) == ["Long", "Short"]
    found = open_rescoring(phase)
    assert found is not None
    compute(found)
    # The page comes anew by itself once everything is computed.
    expect(page.get_by_role("heading", name="What would change")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("another system is first")
    expect(page.get_by_role("row", name="Short")).to_contain_text("up 1")
    expect(page.get_by_role("main")).to_contain_text("sigma:1")
    assert names(phase) == ["Long", "Short"]
    looked_at(page, axe, "rescoring-diff")
    page.get_by_role("button", name="Publish").press("Enter")
    expect(page.get_by_text("The ranking of before was kept.")).to_be_visible()
    assert names(phase) == ["Short", "Long"]
    looked_at(page, axe, "rescoring-history")
    page.get_by_role("button", name="Go back to before it").press("Enter")
    expect(page.get_by_role("row", name="Long Owls")).to_contain_text("up 1")
    page.get_by_role("button", name="Publish").press("Enter")
    expect(page.get_by_role("row", name="published")).to_have_count(2)
    assert names(phase) == ["Long", "Short"]
    assert Rescoring.objects.filter(published_at__isnull=False).count() == 2


def test_what_was_typed_stays_where_the_scorer_refuses_it(
    page: Page,
    live_server: LiveServer,
    phase: Phase,
    organiser: User,
    log_in: LogIn,
    complaints: list[str],
) -> None:
    join(TeamFactory.create(), organiser)
    log_in(organiser)
    page.goto(f"{live_server.url}/manage/{phase.challenge.slug}/{phase.slug}/rescoring/")
    page.get_by_label("CB-score", exact=False).first.check()
    page.get_by_text("Parameters of CB-score").click()
    page.locator("#id_cb__senses").fill("0")
    page.get_by_label("Reason").fill("Fewer senses")
    page.get_by_role("button", name="Start dry run").click()
    expect(page.get_by_text("Give a whole number from 1 up")).to_be_visible()
    expect(page.locator("#id_cb__senses")).to_have_value("0")
    expect(page.get_by_label("Reason")).to_have_value("Fewer senses")
    # The browser tells that the form was refused.
    complaints.clear()


def test_other_rules_are_tried_in_the_lab_by_keyboard(
    page: Page, live_server: LiveServer, phase: Phase, organiser: User, log_in: LogIn, axe: Axe
) -> None:
    log_in(organiser)
    page.goto(f"{live_server.url}/c/{phase.challenge.slug}/{phase.slug}/")
    page.get_by_role("link", name="Ranking lab").click()
    expect(page.get_by_text("Nothing changes until you publish a dry run")).to_be_visible()
    looked_at(page, axe, "lab")
    page.get_by_role("checkbox", name="Owls", exact=True).press("Space")
    page.get_by_label("Metric 2").select_option(label="METEOR")
    page.get_by_label("Several metrics mixed by").select_option(label="their ranks")
    page.get_by_label("Decimals").press("Enter")
    expect(page.get_by_text("mixed by their ranks; without the teams Owls")).to_be_visible()
    page.wait_for_url("**/lab/?metric=*meteor:1&mix=ranks&teams=*")
    expect(page.get_by_role("row", name="Long")).to_contain_text("left out")
    expect(page.get_by_role("row", name="Short").first).to_contain_text("1")
    drawing = figure_drawn(page, "ranks-now-and-then")
    expect(drawing.locator(".lines path").first).to_be_attached()
    with page.expect_download() as started:
        page.get_by_role("link", name="CSV").click()
    assert "Short" in Path(started.value.path()).read_text(encoding="utf-8")
    page.locator("summary", has_text="Other rules").click()
    looked_at(page, axe, "lab-tried")
