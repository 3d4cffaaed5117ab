"""Ways of those who come for the first time, with their clicks counted.

``EARMARK_PATHS=docs/images pytest tests/e2e/test_ways.py`` draws their pictures.
"""

from datetime import timedelta
from pathlib import Path

from django.contrib.auth.models import Permission
from django.utils import timezone
from PIL import Image, ImageDraw
from playwright.sync_api import Page, expect

from earmark.registry import METRICS, metrics_for
from leaderboard.demo.load import CHALLENGE, DATA, PHASE, demo_load
from leaderboard.models import Phase, Submission
from leaderboard.models.challenge import families_for
from leaderboard.services.workers import worker_seen
from tests.e2e.conftest import WORKED_WITHIN_MS, LogIn
from tests.e2e.page_checks import figure_drawn
from tests.e2e.walk import Walk
from tests.factories import PASSWORD, UserFactory
from tests.leaderboard.evaluations.worker_process import running_worker


def demo_without_scores() -> Phase:
    """The open phase of the demo challenge, with one system that nobody scored yet."""
    _, *others = demo_load(now=timezone.now())
    Submission.objects.filter(pk__in=[other.pk for other in others]).delete()
    return Phase.objects.get(challenge__slug=CHALLENGE, slug=PHASE)


def test_from_home_to_a_first_scored_system(page: Page, tmp_path: Path) -> None:
    phase = demo_without_scores()
    walk = Walk(page, "first-submission")
    page.goto("/")
    walk.click(page.get_by_role("link", name=phase.name, exact=True).first)
    walk.click(page.get_by_role("link", name="Submit", exact=True))
    walk.click(page.get_by_role("main").get_by_role("link", name="Sign up"))
    page.get_by_label("User name").fill("nora")
    page.get_by_label("E-mail address").fill("nora@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    walk.click(page.get_by_role("main").get_by_role("button", name="Sign up"))
    page.get_by_label("Team name").fill("Sound Lab")
    walk.click(page.get_by_role("button", name="Make the team and go on"))
    page.get_by_label("Captions, or a package").set_input_files(DATA / "systems" / "careful.csv")
    expect(page.get_by_text("No errors")).to_be_visible()
    page.get_by_label("System name").fill("First try")
    walk.click(page.get_by_role("main").get_by_role("button", name="Submit"))
    expect(page.get_by_role("heading", name="Progress")).to_be_visible()
    with running_worker(tmp_path):
        expect(page.locator("#progress")).to_have_count(0, timeout=WORKED_WITHIN_MS)
    for name in metrics_for(several=False):
        expect(page.get_by_role("link", name=METRICS[name].label, exact=True).first).to_be_visible()
    figure_drawn(page, "clip-scores")
    walk.end()
    assert walk.clicks <= 6

    # From home again: the leader, its clips, and why the first of them has its scores.
    walk = Walk(page, "clip-explanation")
    page.goto("/")
    walk.click(page.get_by_role("link", name="First try", exact=True).first)
    walk.click(page.get_by_role("link", name="Clips", exact=True))
    walk.click(page.get_by_role("table").get_by_role("link").nth(1))
    why = page.get_by_role("region", name="In short")
    expect(why).to_contain_text(phase.ranking.label)
    expect(why).to_contain_text("Similarity")
    walk.end()
    assert walk.clicks <= 3
    page.goto(f"/c/{CHALLENGE}/{PHASE}/")
    row = page.get_by_role("row").filter(has_text="First try")
    expect(row).to_contain_text("Sound Lab")
    expect(row).to_contain_text("1")


def test_from_nothing_to_an_open_challenge(page: Page, log_in: LogIn, tmp_path: Path) -> None:
    """With approval, terms, a logo, and metrics of its own."""
    organiser = UserFactory.create(username="elia")
    organiser.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    log_in(organiser)
    # Pages of organisers warn where nobody was heard of.
    queues = ["cpu", "gpu", "maintenance"]
    worker_seen(name="worker:1", queues=queues, jobs=1, now=timezone.now() + timedelta(hours=1))
    logo = tmp_path / "logo.png"
    picture = Image.new("RGB", (240, 120), "#0a5c6b")
    ImageDraw.Draw(picture).ellipse((80, 20, 160, 100), fill="#fcfcfa")
    picture.save(logo)

    walk = Walk(page, "open-challenge")
    page.goto("/manage/")
    walk.click(page.get_by_role("link", name="New challenge").first)
    page.get_by_label("Title").fill("Sounds of Spring")
    page.get_by_role("radio", name="Empty").check()
    walk.click(page.get_by_role("button", name="Create challenge"))

    managing = page.get_by_role("navigation", name="Managing")
    walk.click(managing.get_by_role("link", name="Text"))
    page.get_by_label("Text", exact=False).last.fill("Describe each recording in one sentence.")
    page.get_by_label("Terms").fill("Use no recordings of the evaluation set for training.")
    page.get_by_label("Organisers admit teams").check()
    walk.click(page.get_by_role("button", name="Save"))
    walk.click(page.get_by_role("link", name="Images and logo"))
    page.get_by_label("Image", exact=True).set_input_files(logo)
    walk.click(page.get_by_role("button", name="Upload"))
    walk.click(page.get_by_role("button", name="Use as logo"))

    walk.click(managing.get_by_role("link", name="Phases"))
    walk.click(page.get_by_role("link", name="Add a phase").first)
    page.get_by_label("Name", exact=True).fill("Evaluation")
    page.get_by_label("Ranking metric", exact=True).select_option(value="fense")
    page.get_by_role("radio", name="Only the ranking metric").check()
    walk.click(page.get_by_role("button", name="Add the phase"))
    phase = page.get_by_role("navigation", name="The phase")
    walk.click(phase.get_by_role("link", name="References"))
    page.get_by_label("References", exact=True).set_input_files(DATA / "references.csv")
    walk.click(page.get_by_role("button", name="Preview"))
    walk.click(page.get_by_role("button", name="Use these references"))
    walk.click(managing.get_by_role("link", name="Overview"))
    walk.click(page.get_by_role("button", name="Publish"))
    walk.click(page.get_by_role("link", name="Public page"))
    walk.end()

    page.context.clear_cookies()
    page.reload()
    expect(page.locator(".page-head__logo")).to_be_visible()
    expect(page.get_by_role("region", name="Rules, phase by phase")).to_contain_text("FENSE")
    page.get_by_text("Read the terms").click()
    expect(page.get_by_text("Use no recordings of the evaluation set")).to_be_visible()
    assert Phase.objects.get().families == families_for(["fense"])
