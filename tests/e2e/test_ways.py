"""Ways of those who come for the first time, with their clicks counted.

``EARMARK_PATHS=docs/images pytest tests/e2e/test_ways.py`` draws their pictures.
"""

from pathlib import Path

from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.demo.load import CHALLENGE, DATA, PHASE, demo_load
from leaderboard.models import Phase, Submission
from leaderboard.selectors.evaluations.progress import family_label
from tests.e2e.test_whole_path import SCORED_WITHIN_MS
from tests.e2e.walk import Walk
from tests.factories import PASSWORD
from tests.leaderboard.evaluations.worker_process import running_worker


def demo_without_scores() -> Phase:
    """The open phase of the demo challenge, with one system that nobody scored yet."""
    _, *others = demo_load(now=timezone.now())
    Submission.objects.filter(pk__in=[other.pk for other in others]).delete()
    return Phase.objects.get(challenge__slug=CHALLENGE, slug=PHASE)


def test_from_home_to_a_first_scored_system(
    page: Page, live_server: LiveServer, tmp_path: Path
) -> None:
    phase = demo_without_scores()
    walk = Walk(page, "first-submission")
    page.goto(live_server.url)
    walk.click(page.get_by_role("link", name=phase.name, exact=True).first)
    walk.click(page.get_by_role("link", name="Submit", exact=True))
    walk.click(page.get_by_role("main").get_by_role("link", name="Sign up"))
    page.get_by_label("Username").fill("nora")
    page.get_by_label("Email").fill("nora@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    walk.click(page.get_by_role("main").get_by_role("button", name="Sign up"))
    page.get_by_label("Team name").fill("Sound Lab")
    walk.click(page.get_by_role("button", name="Make the team and go on"))
    page.get_by_label("Captions, or a package").set_input_files(DATA / "systems" / "careful.csv")
    expect(page.get_by_text("No faults")).to_be_visible()
    page.get_by_label("System name").fill("First try")
    walk.click(page.get_by_role("main").get_by_role("button", name="Submit"))
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()
    with running_worker(tmp_path):
        scores = page.get_by_role("region", name="Scores of First try")
        expect(scores).to_be_visible(timeout=SCORED_WITHIN_MS)
    walk.end()
    assert walk.clicks <= 6

    # From home again: the leader, its clips, and why the first of them has its scores.
    walk = Walk(page, "clip-explanation")
    page.goto(live_server.url)
    walk.click(page.get_by_role("link", name="First try", exact=True).first)
    walk.click(page.get_by_role("link", name="Clips", exact=True))
    walk.click(page.get_by_role("table").get_by_role("link").nth(1))
    label = family_label(phase.ranking.family)
    explained = page.locator("details", has=page.get_by_role("heading", name=label, exact=True))
    expect(explained.locator(".detail__why")).to_be_visible()
    walk.end()
    assert walk.clicks <= 3
