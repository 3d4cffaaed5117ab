"""The leaderboard and what is around it: ties and choices by keyboard, progress, deadlines."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from leaderboard.models import Evaluation, EvaluationState, Kind, Submission
from leaderboard.services.evaluations.states import evaluation_claim
from leaderboard.services.jobs.states import job_renew
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from tests import factories
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import started
from tests.factories import PhaseFactory, TeamFactory, UserFactory, finish, submit


def test_by_keyboard_from_ties_to_the_next_page_and_a_choice(
    page: Page, log_in: LogIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five systems on pages of two, with ranges of ranks, and a baseline."""
    monkeypatch.setattr("leaderboard.selectors.board.table.PER_PAGE", 2)
    phase, ada = PhaseFactory.create(), UserFactory.create()
    for number, encoder in enumerate(("PANNs", "BEATs", "PANNs", "PANNs", "PANNs")):
        system = submit(phase, TeamFactory.create(), name=f"System {number} {'long ' * 8}")
        finish(system, value=0.4 + number / 50, seed=number)
        metadata = {"audio_modelling": encoder}
        Submission.objects.filter(pk=system.pk).update(metadata=metadata)
        if number == 0:
            factories.join(system.team, ada)
    base = submit(phase, TeamFactory.create(), name="Base")
    finish(base)
    Submission.objects.filter(pk=base.pk).update(kind=Kind.BASELINE)
    rank_estimates_refresh(phase_id=phase.pk, now=timezone.now())
    log_in(ada)
    page.goto(reverse("leaderboard:board", args=[phase.challenge.slug, phase.slug]))
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
    page.locator("summary", has_text="Columns").click()
    page.get_by_role("link", name="N-gram").click()
    expect(page.locator(".board thead")).to_contain_text("BLEU-4")
    assert "encoder=beats" in page.url


def test_progress_moves_and_ends_with_the_results(page: Page) -> None:
    submission = submit(PhaseFactory.create(), TeamFactory.create(), name="Live")
    page.goto(reverse("leaderboard:system", args=[submission.public_id]))
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    first = submission.evaluations.order_by("pk")[0]
    now, lease = timezone.now(), timedelta(minutes=1)
    claim = evaluation_claim(evaluation_id=first.pk, now=now, lease=lease)
    assert claim is not None
    job_renew(claim=claim, clips_done=3, now=now, lease=lease)
    expect(page.get_by_text("3 of 5 clips")).to_be_visible()
    Evaluation.objects.filter(pk=first.pk).update(state=EvaluationState.PENDING)
    first.refresh_from_db()
    factories.finish_evaluation(first, value=0.5, generator=np.random.default_rng(1))
    # Its values come while others are scored, and the page is not loaded again.
    expect(page.get_by_role("region", name="Scores of Live")).to_contain_text("0.5")
    expect(page.get_by_text("1 of 19 metric families done.")).to_be_visible()
    for evaluation in submission.evaluations.exclude(pk=first.pk):
        factories.finish_evaluation(evaluation, value=0.5, generator=np.random.default_rng(1))
    expect(page.locator("#progress")).to_have_count(0)


def test_the_keyboard_reaches_the_content_first_and_the_account_menu_needs_no_script(
    page: Page, log_in: LogIn
) -> None:
    log_in(UserFactory.create(username="ada"))
    page.route("**/*.js", lambda route: route.fulfill(content_type="text/javascript", body=""))
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    name = page.get_by_role("button", name="ada", exact=True)
    name.click()
    entry = page.get_by_role("button", name="Log out")
    expect(entry).to_be_visible()
    page.keyboard.press("Escape")
    expect(entry).to_be_hidden()
    expect(name).to_be_focused()


def test_a_deadline_is_told_on_the_readers_own_clock(
    new_context: Callable[..., BrowserContext],
) -> None:
    phase = PhaseFactory.create(closes_at=datetime(2099, 3, 12, 23, 59, tzinfo=UTC))
    told = {}
    for zone in ("Asia/Tokyo", "UTC"):
        page = new_context(timezone_id=zone).new_page()
        page.goto(reverse("leaderboard:challenge", args=[phase.challenge.slug]))
        started(page)
        told[zone] = page.locator(".state__when").inner_text()
    assert "12 Mar 2099, 23:59 UTC (Fri 13 Mar, 08:59 your time)" in told["Asia/Tokyo"]
    assert "your time" not in told["UTC"]
