"""Turning on a judge from elsewhere in a browser: cost, consent, and what visitors are told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase, User
from leaderboard.outside_models import LanguageModelServer
from tests.clap import small_clap
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import PhaseFactory, TeamFactory, UserFactory, submit

Axe = Callable[[], list[str]]


@pytest.fixture
def phase(transactional_db: None, settings: Any, tmp_path: Path) -> Phase:
    cache.clear()
    settings.LANGUAGE_MODELS = {
        "judge": LanguageModelServer(
            name="judge",
            address="https://api.example.org/v1",
            model="model-2025-01-01",
            price_in=2.5,
            price_out=10,
        )
    }
    settings.CLAP_MODELS = {"small": small_clap(tmp_path / "clap")}
    return PhaseFactory.create()


def test_an_organiser_sees_the_cost_and_agrees(
    page: Page, live_server: LiveServer, phase: Phase, log_in: LogIn, axe: Axe
) -> None:
    organiser: User = UserFactory.create()
    phase.challenge.organisers.add(organiser)
    submit(phase, TeamFactory.create())
    log_in(organiser)
    args = [phase.challenge.slug, phase.slug]
    page.goto(live_server.url + reverse("leaderboard:manage-outside", args=args))
    judge = page.get_by_role("region", name="CLAIR-A")
    expect(judge.get_by_role("cell", name="1 x 5 = 5", exact=True)).to_be_visible()
    assert axe() == []
    for width in (360, 1200):
        page.set_viewport_size({"width": width, "height": 900})
        fits_width(page)
    judge.get_by_label("may be sent to the host").check()
    judge.get_by_role("button", name="Turn on").click()
    expect(page.get_by_text("Systems that have no score of it yet will be scored.")).to_be_visible()
    expect(judge.get_by_text("on, with judge")).to_be_visible()
    assert axe() == []
    page.goto(live_server.url + reverse("leaderboard:board", args=args))
    expect(page.get_by_text("Sent to api.example.org:")).to_be_visible()
    assert axe() == []
