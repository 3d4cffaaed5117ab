"""What is kept back, before a real browser: hidden references, hidden names, a frozen ranking."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase
from leaderboard.selectors.visibility.blind_names import team_alias
from tests.e2e.conftest import LogIn
from tests.factories import PhaseFactory, TeamFactory, UserFactory
from tests.leaderboard.scored_pages import scored

pytestmark = pytest.mark.django_db(transaction=True)


def address(live_server: LiveServer, phase: Phase, name: str) -> str:
    return live_server.url + reverse(f"leaderboard:{name}", args=[phase.challenge.slug, phase.slug])


def test_a_ranking_is_frozen_hidden_and_revealed(
    page: Page, live_server: LiveServer, log_in: LogIn, axe: Callable[[], list[str]]
) -> None:
    phase = PhaseFactory.create(references_public=False)
    organiser = UserFactory.create()
    phase.challenge.organisers.add(organiser)
    rivals = TeamFactory.create(name="Rivals")
    first = scored(phase, rivals, "Oak", 0.6)
    scored(phase, TeamFactory.create(), "Elm", 0.4)
    board = address(live_server, phase, "board")

    # Ranks and corpus numbers of hidden references, and nothing of a single clip.
    page.goto(board)
    expect(page.get_by_role("row").filter(has_text="Oak")).to_contain_text("1")
    tabs = page.get_by_role("navigation", name="Pages of this phase")
    expect(tabs.get_by_role("link", name="Analysis")).to_be_visible()
    for page_of_clips in ("Distributions", "Compare", "Words"):
        expect(tabs.get_by_role("link", name=page_of_clips)).to_have_count(0)
    page.get_by_role("link", name="Oak").click()
    expect(page.get_by_text("The references of this phase are hidden")).to_be_visible()
    expect(page.get_by_role("main").get_by_role("link", name="Clips")).to_have_count(0)

    log_in(organiser)
    page.goto(address(live_server, phase, "manage-ranking"))
    assert axe() == []
    page.get_by_role("button", name="Freeze the ranking").click()
    expect(page.get_by_role("button", name="Reveal the ranking")).to_be_visible()
    scored(phase, TeamFactory.create(), "Ash", 0.9)
    page.goto(board)
    expect(page.get_by_role("row").filter(has_text="Ash")).to_contain_text("1")
    page.get_by_role("link", name="What everyone else sees").click()
    expect(page.get_by_text("Frozen since")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="Ash")).to_have_count(0)
    assert axe() == []

    Phase.objects.filter(pk=phase.pk).update(names_hidden_until=timezone.now() + timedelta(1))
    page.context.clear_cookies()
    page.goto(board)
    expect(page.get_by_role("row").filter(has_text=team_alias(phase.pk, rivals.pk))).to_be_visible()
    for name in ("Oak", "Rivals", "Ash"):
        expect(page.get_by_text(name)).to_have_count(0)
    assert axe() == []

    Phase.objects.filter(pk=phase.pk).update(names_hidden_until=None)
    log_in(organiser)
    page.goto(address(live_server, phase, "manage-ranking"))
    page.get_by_role("button", name="Reveal the ranking").click()
    page.context.clear_cookies()
    page.goto(board)
    expect(page.get_by_role("row").filter(has_text="Ash")).to_contain_text("1")
    page.get_by_role("link", name="Kept rankings").click()
    page.get_by_role("table").get_by_role("link").nth(2).click()
    expect(page.get_by_role("row").filter(has_text="Oak")).to_contain_text("1")
    assert first.public_id in page.content()
    assert axe() == []
