"""The main job, end to end: browser, site, queue, a real worker, leaderboard and plots."""

from pathlib import Path

from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.demo import LOGINS
from leaderboard.demo.load import CHALLENGE, DATA, PHASE, demo_load
from leaderboard.models import Submission
from scoring.registry import METRICS, metrics_for
from tests.e2e.page_checks import figure_drawn
from tests.leaderboard.evaluations.worker_process import running_worker

# By every metric, each of which a new worker loads; minutes on a busy machine.
SCORED_WITHIN_MS = 480_000


def test_an_upload_is_scored_ranked_and_plotted(
    page: Page, live_server: LiveServer, tmp_path: Path
) -> None:
    _, *others = demo_load(now=timezone.now())
    # One system to be compared with is enough here; each takes a worker a quarter of a minute.
    Submission.objects.filter(pk__in=[other.pk for other in others]).delete()
    participant = LOGINS[0]
    board = f"{live_server.url}/c/{CHALLENGE}/{PHASE}/"
    page.goto(board)
    page.get_by_role("link", name="Submit", exact=True).click()
    page.get_by_label("User name or e-mail address").fill(participant.username)
    page.get_by_label("Password").fill(participant.password)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    page.get_by_label("Captions, or a package").set_input_files(DATA / "systems" / "careful.csv")
    expect(page.get_by_text("No errors")).to_be_visible()
    page.get_by_label("System name").fill("First try")
    page.get_by_role("main").get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()
    with running_worker(tmp_path):
        expect(page.locator("#clip-scores")).to_be_visible(timeout=SCORED_WITHIN_MS)
    figure_drawn(page, "clip-scores")
    for name in metrics_for(several=False):
        expect(page.get_by_role("link", name=METRICS[name].label, exact=True).first).to_be_visible()
    page.get_by_role("link", name="Clips", exact=True).click()
    page.get_by_role("table").get_by_role("link").nth(1).click()
    page.get_by_role("heading", name="ACES").click()
    aces = page.locator("details", has=page.get_by_role("heading", name="ACES"))
    expect(aces.locator(".word").first).to_be_visible()
    page.goto(board)
    row = page.get_by_role("row").filter(has_text="First try")
    expect(row).to_contain_text("Team Visitor")
    expect(row).to_contain_text("1")
