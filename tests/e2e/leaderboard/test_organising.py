"""Organisers: a challenge by keyboard, other rules in the lab, a composite that comes to rank."""

from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from playwright.sync_api import Page, expect

from leaderboard.demo.load import DATA
from leaderboard.models import Challenge, Evaluation, Phase, Rescoring, User
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.e2e.conftest import LogIn, LooksRight
from tests.factories import REFERENCES, PhaseFactory, TeamFactory, UserFactory, finish, submit
from tests.leaderboard.analysis.test_analysis_page import set_clips

# By CIDEr-D Ash is ahead, by ROUGE-L Birch.
SYSTEMS = {"Ash": (0.9, 0.1), "Birch": (0.5, 0.9), "Cedar": (0.4, 0.3)}


@pytest.fixture
def organiser(transactional_db: None, log_in: LogIn) -> User:
    """Who may make challenges, and is logged in."""
    user = UserFactory.create(username="elia")
    user.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    log_in(user)
    return user


@pytest.mark.usefixtures("organiser")
def test_a_challenge_is_made_by_keyboard_and_its_references_are_looked_at_before_they_are_used(
    page: Page, looks_right: LooksRight, tmp_path: Path
) -> None:
    references = DATA / "references.csv"
    faulty = tmp_path / "faulty.csv"
    faulty.write_bytes(references.read_bytes() + b"Radio Garble.wav,Another,Row,Of,It,Here,X\n")
    page.goto("/manage/new/")
    # The address follows the title.
    page.get_by_label("Title").focus()
    page.keyboard.type("Sounds of Spring: 2027")
    expect(page.get_by_label("Address")).to_have_value("sounds-of-spring-2027")
    for key in ("Tab", "Tab", "Control+a"):
        page.keyboard.press(key)
    page.keyboard.type("Europe/Berlin")
    for key in ("Escape", "Tab"):
        page.keyboard.press(key)
    expect(page.get_by_role("radio", name="DCASE 2024")).to_be_focused()
    for key in ("Tab", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sounds of Spring: 2027")
    expect(page.get_by_role("heading", name="Before it can open")).to_be_visible()
    looks_right()
    page.get_by_role("link", name="Upload Development-testing split (public)").click()
    for file, told in ((faulty, "error in faulty.csv"), (references, "The first 5 of ")):
        page.get_by_label("References", exact=True).set_input_files(file)
        page.get_by_role("button", name="Preview").press("Enter")
        expect(page.get_by_text(told)).to_be_visible()
        looks_right()
    page.get_by_role("button", name="Use these references").press("Enter")
    expect(page.get_by_text(" clips, ").first).to_be_visible()
    page.get_by_role("navigation", name="Managing").get_by_role("link", name="Text").click()
    page.get_by_label("Text", exact=False).last.fill("# Task\n\nDescribe *sounds*.")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("region", name="Preview").locator("em")).to_have_text("sounds")
    made = Challenge.objects.get(slug="sounds-of-spring-2027")
    assert made.phases.filter(reference_set__isnull=False).count() == 1


@pytest.fixture
def phase(organiser: User) -> Phase:
    made = PhaseFactory.create(ranking_metric="cider_d")
    made.challenge.organisers.add(organiser)
    for name, (cider, rouge) in SYSTEMS.items():
        system = submit(made, TeamFactory.create(name=name), name=name)
        finish(system)
        set_clips(system, "cider_d", [cider + 0.01 * clip for clip in range(len(REFERENCES))])
        set_clips(system, "rouge_l", [rouge - 0.01 * clip for clip in range(len(REFERENCES))])
    return made


def test_a_composite_is_built_looked_at_and_published(
    page: Page, phase: Phase, looks_right: LooksRight
) -> None:
    page.goto(reverse("leaderboard:board", args=[phase.challenge.slug, phase.slug]) + "lab/")
    page.get_by_label("Metric", exact=True).select_option("cider_d")
    page.get_by_label("Weight", exact=True).fill("1")
    page.get_by_label("Metric 2").select_option("rouge_l")
    page.get_by_label("Weight 2").fill("3")
    page.get_by_label("Mix several metrics by").select_option("values")
    # Ranks follow what is chosen, without a press of the button.
    page.wait_for_url("**mix=values**")
    # Ranks, agreement and robustness beside those of now.
    expect(page.locator(".lab__facts")).to_contain_text("Birch, now Ash")
    people = page.get_by_role("region", name="Agreement with people", exact=True)
    expect(people).to_contain_text("AudioCaps-Eval: all pairs")
    expect(page.get_by_role("region", name="What tricks gain")).to_contain_text("Repeated")
    looks_right()
    page.get_by_label("Reason").fill("Words in common count, too.")
    page.get_by_role("button", name="Start a dry run").click()
    page.wait_for_url("**/rescoring/")
    expect(page.get_by_text("the phase ranks by Composite")).to_be_visible()
    expect(page.get_by_text("3 scores to go")).to_be_visible()
    for pk in Evaluation.objects.filter(family="composite").values_list("pk", flat=True):
        evaluation_attempt(evaluation_id=pk)
    # The page comes anew by itself once everything is computed.
    changes = page.get_by_role("group", name="What would change")
    expect(changes).to_contain_text("Composite (0.25*cider_d+0.75*rouge_l) after")
    looks_right()
    page.get_by_role("button", name="Publish").press("Enter")
    expect(page.get_by_text("ranks by the new scores")).to_be_visible()
    assert Rescoring.objects.filter(published_at__isnull=False).count() == 1
