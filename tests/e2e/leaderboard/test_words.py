"""Descriptors of references and systems in the browser, labelled for real by ACES."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase, Submission
from leaderboard.services.evaluations.attempts import evaluation_attempt
from scoring.models.descriptors import find_labeller
from tests.e2e.page_checks import figure_drawn, started
from tests.factories import CANDIDATES, PhaseFactory, TeamFactory, submit

pytestmark = pytest.mark.django_db(transaction=True)

Axe = Callable[[], list[str]]
LONG = "A system with a rather long name that a legend has to cut somewhere"


@pytest.fixture
def phase() -> Phase:
    return PhaseFactory.create(ranking_metric="aces")


@pytest.fixture
def systems(phase: Phase) -> list[Submission]:
    """Two systems scored by ACES; the second hears a cat where a door shuts."""
    found = []
    other = CANDIDATES.replace(b"a door slams", b"a cat meows loudly outside")
    for name, data in (("First", CANDIDATES), (LONG, other)):
        system = submit(phase, TeamFactory.create(), name=name, data=data)
        for evaluation in system.evaluations.filter(family="aces"):
            evaluation_attempt(evaluation_id=evaluation.pk)
        found.append(system)
    return found


def words_page(page: Page, server: LiveServer, phase: Phase) -> None:
    page.goto(server.url + reverse("leaderboard:words", args=[phase.challenge.slug, phase.slug]))
    figure_drawn(page, "descriptors")


def test_from_the_analysis_to_the_clip_that_has_a_word(
    page: Page, live_server: LiveServer, phase: Phase, systems: list[Submission]
) -> None:
    names = [phase.challenge.slug, phase.slug]
    page.goto(live_server.url + reverse("leaderboard:analysis", args=names))
    page.get_by_role("link", name="Words", exact=True).click()
    expect(page.get_by_text(find_labeller().identity).first).to_be_visible()
    table = page.get_by_role("region", name="Descriptors").get_by_role("table")
    expect(table.get_by_role("row").filter(has_text="WHO").first).to_be_visible()
    texts = page.get_by_role("region", name="Most frequent words").get_by_role("table")
    texts.get_by_role("link", name="meows").click()
    expect(page.get_by_role("heading", name="a cat meows loudly outside")).to_be_visible()


def test_what_is_counted_and_compared_is_chosen_without_loading_by_hand(
    page: Page, live_server: LiveServer, phase: Phase, systems: list[Submission]
) -> None:
    page.goto(live_server.url + reverse("leaderboard:system", args=[systems[0].public_id]))
    page.get_by_role("link", name="Words", exact=True).click()
    started(page)
    page.get_by_label("Another system").select_option(systems[1].public_id)
    table = page.get_by_role("region", name="Descriptors").get_by_role("table")
    expect(table.get_by_role("link", name=LONG)).to_be_visible()
    started(page)
    page.get_by_label("Count", exact=True).select_option("Spans")
    expect(table.get_by_role("columnheader", name="Spans").first).to_be_visible()
    started(page)
    page.get_by_label("Compared with").select_option(LONG)
    # What is compared with has no difference: three sets, two columns of differences.
    expect(table.get_by_role("columnheader", name="Diff.")).to_have_count(2)
    expect(page.get_by_label("Another system")).to_have_value(systems[1].public_id)
    page.get_by_role("navigation", name="Descriptors").get_by_role("link", name="WHO").last.click()
    expect(page.get_by_label("Count", exact=True)).to_have_value("spans")
