"""Organisers: references of Clotho, judging, scoring anew, other rules, composites."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Challenge, Evaluation, Phase, Rescoring, Submission, User
from leaderboard.selectors.organising.rescoring import open_rescoring
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.e2e.conftest import LogIn, LooksRight
from tests.e2e.page_checks import figure_drawn
from tests.factories import REFERENCES, PhaseFactory, TeamFactory, UserFactory, finish, submit
from tests.leaderboard.analysis.test_analysis_page import set_clips
from tests.leaderboard.organising.rescoring_cases import LONG, SHORT, compute, names, scored_truly

CLIPS, CAPTIONS = 1_045, 5_225
REASON = "Trained on the evaluation clips."


@pytest.fixture
def organiser(transactional_db: None, log_in: LogIn) -> User:
    """Who may make challenges, and is logged in."""
    user = UserFactory.create(username="elia")
    user.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    log_in(user)
    return user


@dataclass(frozen=True)
class Files:
    """The references of Clotho's evaluation split, and the same with a fault at the end."""

    clotho: Path
    faulty: Path


@pytest.fixture
def files(shared_data: Path, tmp_path: Path) -> Files:
    clotho = shared_data / "clotho" / "clotho_captions_evaluation.csv"
    faulty = tmp_path / "faulty.csv"
    faulty.write_bytes(clotho.read_bytes() + b"Radio Garble.wav,Another,Row,Of,It,Here\n")
    return Files(clotho, faulty)


def test_a_challenge_is_made_by_keyboard_and_gets_the_references_of_clotho(
    page: Page,
    live_server: LiveServer,
    organiser: User,
    looks_right: LooksRight,
    files: Files,
    complaints: list[str],
) -> None:
    page.goto(f"{live_server.url}/manage/new/")
    # The address follows the title.
    page.get_by_label("Title").focus()
    page.keyboard.type("Sounds of Spring: 2027")
    expect(page.get_by_label("Address")).to_have_value("sounds-of-spring-2027")
    for key in ("Tab", "Tab", "Control+a"):
        page.keyboard.press(key)
    page.keyboard.type("Europe/Berlin")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(page.get_by_role("radio", name="DCASE 2024")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Sounds of Spring: 2027")
    expect(page.get_by_role("heading", name="Before it can open")).to_be_visible()
    looks_right()
    page.get_by_role("link", name="Upload Development-testing split (public)").click()
    for file, told in (
        (files.faulty, "1 error in faulty.csv"),
        (files.clotho, "The first 5 of 1,045 clips."),
    ):
        page.get_by_label("References", exact=True).set_input_files(file)
        page.get_by_role("button", name="Look at the file").click()
        expect(page.get_by_text(told)).to_be_visible()
        looks_right()
    complaints.clear()  # the browser tells that the first file was refused
    page.get_by_role("button", name="Use these references").click()
    expect(page.get_by_text("1,045 clips, 5,225 captions.")).to_be_visible()
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Upload Evaluation split (hidden)").click()
    page.get_by_label("References", exact=True).set_input_files(files.clotho)
    page.get_by_role("button", name="Look at the file").press("Enter")
    expect(page.get_by_text("The same content is used by")).to_be_visible()
    page.get_by_role("checkbox", name="Score one reference").uncheck()
    page.get_by_role("button", name="Use these references").press("Enter")
    expect(page.get_by_text("nothing of them would be hidden")).to_be_visible()
    page.get_by_role("checkbox", name="one phase hides what another shows").check()
    page.get_by_role("button", name="Use these references").press("Enter")
    expect(page.get_by_text("1,045 clips, 5,225 captions.")).to_be_visible()
    page.get_by_role("navigation", name="Managing").get_by_role("link", name="Text").click()
    page.get_by_label("Text", exact=False).last.fill("# Task\n\nDescribe *sounds*.")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("region", name="Preview").locator("em")).to_have_text("sounds")
    made = Challenge.objects.get(slug="sounds-of-spring-2027")
    counts = made.phases.values_list("reference_set__clip_count", "reference_set__caption_count")
    assert list(counts) == [(CLIPS, CAPTIONS), (CLIPS, CAPTIONS)]
    complaints.clear()


def address(live_server: LiveServer, phase: Phase, name: str) -> str:
    return live_server.url + reverse(f"leaderboard:{name}", args=[phase.challenge.slug, phase.slug])


@pytest.fixture
def phase(organiser: User) -> Phase:
    """Two systems: one is best with the usual length penalty, the other with a narrow one."""
    made = PhaseFactory.create(name="Evaluation", challenge__title="Captions 2026")
    for team, system, rows in (("Owls", "Long", LONG), ("Wrens", "Short", SHORT)):
        scored_truly(made, TeamFactory.create(name=team), system, rows)
    made.challenge.organisers.add(organiser)
    return made


def test_a_phase_is_rescored_and_taken_back(
    page: Page, live_server: LiveServer, phase: Phase, looks_right: LooksRight
) -> None:
    page.goto(f"{live_server.url}/manage/{phase.challenge.slug}/{phase.slug}/rescoring/")
    page.get_by_label("CIDEr-D", exact=True).check()
    page.get_by_text("Parameters of CIDEr-D").click()
    page.locator("#id_cider_d__sigma").fill("1")
    page.get_by_label("Reason").fill("Long captions shall not win")
    page.get_by_role("button", name="Start dry run").click()
    expect(page.get_by_text("2 scores to go")).to_be_visible()
    looks_right()
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
    looks_right()
    page.get_by_role("button", name="Publish").press("Enter")
    expect(page.get_by_text("The ranking of before was kept.")).to_be_visible()
    assert names(phase) == ["Short", "Long"]
    page.get_by_role("button", name="Go back to before it").press("Enter")
    expect(page.get_by_role("row", name="Long Owls")).to_contain_text("up 1")
    page.get_by_role("button", name="Publish").press("Enter")
    expect(page.get_by_role("row", name="published")).to_have_count(2)
    assert names(phase) == ["Long", "Short"]
    assert Rescoring.objects.filter(published_at__isnull=False).count() == 2


def test_other_rules_are_tried_in_the_lab_by_keyboard_and_a_system_is_disqualified(
    page: Page, live_server: LiveServer, phase: Phase, looks_right: LooksRight
) -> None:
    board = address(live_server, phase, "board")
    page.goto(board)
    page.get_by_role("link", name="Ranking lab").click()
    expect(page.get_by_text("Nothing changes until you publish a dry run")).to_be_visible()
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
    looks_right()
    slug = phase.challenge.slug
    page.goto(f"{live_server.url}/manage/{slug}/submissions/")
    page.get_by_role("link", name="Long", exact=True).click()
    page.get_by_label("Reason").fill(REASON)
    page.get_by_role("button", name="Disqualify").press("Enter")
    expect(page.get_by_role("blockquote")).to_have_text(REASON)
    page.goto(board)
    expect(page.get_by_role("row", name="Short")).to_contain_text("1")
    expect(page.get_by_role("row", name="Long")).to_have_count(0)
    page.go_back()
    page.get_by_role("button", name="Restore").press("Enter")
    expect(page.get_by_role("heading", name="Disqualify")).to_be_visible()
    page.goto(board)
    expect(page.get_by_role("row", name="Long")).to_be_visible()


# By CIDEr-D Ash is ahead, by ROUGE-L Birch.
SYSTEMS = {"Ash": (0.9, 0.1), "Birch": (0.5, 0.9), "Cedar": (0.4, 0.3)}


def test_a_composite_is_built_looked_at_and_published(
    page: Page, live_server: LiveServer, organiser: User, looks_right: LooksRight
) -> None:
    phase = PhaseFactory.create(ranking_metric="cider_d")
    phase.challenge.organisers.add(organiser)
    for name, (cider, rouge) in SYSTEMS.items():
        system = submit(phase, TeamFactory.create(name=name), name=name)
        finish(system)
        set_clips(system, "cider_d", [cider + 0.01 * clip for clip in range(len(REFERENCES))])
        set_clips(system, "rouge_l", [rouge - 0.01 * clip for clip in range(len(REFERENCES))])
    page.goto(address(live_server, phase, "board") + "lab/")
    page.get_by_label("Metric", exact=True).select_option("cider_d")
    page.get_by_label("Weight", exact=True).fill("1")
    page.get_by_label("Metric 2").select_option("rouge_l")
    page.get_by_label("Weight 2").fill("3")
    page.get_by_label("Several metrics mixed by").select_option("values")
    # Ranks follow what is chosen, without a press of the button.
    page.wait_for_url("**mix=values**")
    # Ranks, agreement and robustness beside those of now.
    expect(page.locator(".lab__facts")).to_contain_text("Birch, now Ash")
    people = page.get_by_role("region", name="Agreement with people", exact=True)
    expect(people).to_contain_text("AudioCaps-Eval: all pairs")
    expect(page.get_by_role("region", name="What tricks gain")).to_contain_text("Repeated")
    looks_right()
    page.get_by_label("Why it is to rank").fill("Words in common count, too.")
    page.get_by_role("button", name="Start a dry run").click()
    page.wait_for_url("**/rescoring/")
    expect(page.get_by_text("the phase ranks by Composite")).to_be_visible()
    for pk in Evaluation.objects.filter(family="composite").values_list("pk", flat=True):
        evaluation_attempt(evaluation_id=pk)
    page.reload()
    changes = page.get_by_role("group", name="What would change")
    expect(changes).to_contain_text("Composite (0.25*cider_d+0.75*rouge_l) after")
    looks_right()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("ranks by the new scores")).to_be_visible()
    page.goto(address(live_server, phase, "board"))
    expect(page.get_by_text("0.25*cider_d+0.75*rouge_l").first).to_be_visible()
    # The page of a clip says what each metric adds.
    ash = Submission.objects.get(system_name="Ash")
    page.goto(live_server.url + reverse("leaderboard:clip", args=[ash.public_id, 1]))
    explained = page.locator("table").filter(has_text="Brings").filter(has_text="ROUGE-L")
    expect(explained.filter(has_text="0.750").first).to_be_attached()
