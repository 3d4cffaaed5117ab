"""From the leaderboard to why a clip has its scores, to other clips, and to its sound."""

import re
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page, Response, expect
from pytest_django import Settings

from leaderboard.demo.load import demo_load
from leaderboard.demo.recordings import demo_clips
from leaderboard.models import Phase, Submission
from leaderboard.services.clips.audio import audio_add
from leaderboard.services.evaluations.attempts import evaluation_attempt
from tests.e2e.page_checks import fits_width, started
from tests.factories import CANDIDATES, NOW, PhaseFactory, TeamFactory, submit
from tests.sounds import wav, zipped

SECONDS = 400


def scored(phase: Phase, data: bytes, name: str, *families: str) -> Submission:
    """A system that was scored for real by these families."""
    system = submit(phase, TeamFactory.create(), name=name, data=data)
    for evaluation in system.evaluations.filter(family__in=families):
        evaluation_attempt(evaluation_id=evaluation.pk)
    return system


def press_through(page: Page, wanted: Locator) -> None:
    """Go on with the tab key until the link has the focus, then open it."""
    wanted.wait_for()
    for _ in range(60):
        page.keyboard.press("Tab")
        if wanted.evaluate("link => link === document.activeElement"):
            page.keyboard.press("Enter")
            return
    pytest.fail("The tab key does not reach the link.")


def test_three_times_the_enter_key_lead_from_the_board_to_why_a_clip_got_0(page: Page) -> None:
    phase = PhaseFactory.create(ranking_metric="cb_score")
    scored(phase, CANDIDATES.replace(b"a door slams", b"a cat meows"), "Cat lover", "cb")
    page.goto(reverse("leaderboard:board", args=(phase.challenge.slug, phase.slug)))
    press_through(page, page.get_by_role("link", name="Cat lover"))
    page.wait_for_url("**/s/*/")
    press_through(page, page.get_by_role("link", name="Clips", exact=True))
    page.wait_for_url("**/clips/")
    press_through(page, page.get_by_role("table").get_by_role("link", name=".wav").first)
    expect(page.get_by_role("heading", name="a cat meows")).to_be_visible()
    why = page.locator("details", has=page.get_by_role("heading", name="CB-score and CB recall"))
    for told in ("0.000", "The caption names", "Cat"):
        expect(why).to_contain_text(told)
    expect(why.get_by_role("row", name="Door")).to_be_visible()


def test_a_phone_shows_each_reference_with_its_bar(page: Page) -> None:
    system = scored(PhaseFactory.create(ranking_metric="fense"), CANDIDATES, "One", "fense")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(reverse("leaderboard:clip", args=[system.public_id, 1]))
    for reference in range(2):
        expect(page.locator(".verdict .bar").nth(reference)).to_be_visible()
    fits_width(page)


def test_clips_are_sorted_searched_filtered_and_set_beside_those_of_another_system(
    page: Page,
) -> None:
    """Forms send themselves, once their script is there."""
    phase = PhaseFactory.create(ranking_metric="cb_score")
    system = scored(phase, CANDIDATES, "One", "cb", "fluency", "spice", "aces")
    other = scored(phase, CANDIDATES, "Other", "cb")
    page.goto(reverse("leaderboard:system", args=[system.public_id]))
    page.get_by_role("link", name="Clips", exact=True).click()
    started(page)
    page.get_by_label("Order").select_option(label="As in the references")
    page.wait_for_url("**/*sort=file*")
    page.get_by_label("Words").fill("dog")
    page.get_by_label("Words").press("Enter")
    expect(page.get_by_text("1 of 5 clips")).to_be_visible()
    page.get_by_role("link", name="dog.wav").click()
    expect(page.get_by_role("heading", name="a dog is barking")).to_be_visible()
    aces = page.locator("details", has=page.get_by_role("heading", name="ACES"))
    expect(aces.locator(".word", has_text="dog").first).not_to_be_visible()
    aces.get_by_role("heading").click()
    expect(aces.locator(".word", has_text="dog").first).to_be_visible()
    page.get_by_role("link", name="All clips").click()
    expect(page.get_by_label("Words")).to_have_value("dog")

    page.goto(reverse("leaderboard:clips", args=[system.public_id]))
    page.get_by_role("link", name="Filter by what the metrics found").click()
    started(page)
    page.get_by_label("Sound event", exact=True).select_option(value="Dog")
    page.wait_for_url("**/*event=Dog*")
    expect(page.get_by_text("1 of 5 clips")).to_be_visible()
    started(page)
    page.get_by_label("Compare with").select_option(value=other.public_id)
    page.wait_for_url(f"**/*with={other.public_id}*")
    page.get_by_role("link", name="Named by the references: Dog").click()
    expect(page.get_by_text("5 clips", exact=True)).to_be_visible()
    page.get_by_role("table").get_by_role("link", name="dog.wav").click()
    rows = page.get_by_role("region", name="Captions and values").get_by_role("row")
    expect(rows).to_have_count(3)
    rows.get_by_role("link", name="Other").click()
    page.wait_for_url(f"**/s/{other.public_id}/clips/2/**")
    page.get_by_role("link", name="Compare with: One").click()
    page.wait_for_url(re.compile(rf"/s/{other.public_id}/clips/2/\??$"))
    expect(rows).to_have_count(0)


@pytest.fixture
def sounds(settings: Settings, tmp_path: Path, transactional_db: None) -> Path:
    """Where sounds are kept."""
    cache.clear()
    settings.AUDIO_DIR = tmp_path / "audio"
    return tmp_path


def test_a_listener_plays_a_clip_and_jumps_in_it(page: Page, sounds: Path) -> None:
    """Of a recording that is long enough not to come in one go, and not before it is wanted."""
    phase = PhaseFactory.create()
    archive = zipped({"rain.wav": wav(SECONDS, rate=44_100)}, sounds / "clips.zip")
    audio_add(phase=phase, path=archive, actor=None, now=NOW)
    system = submit(phase, TeamFactory.create())
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer) if "/audio/" in answer.url else None)
    page.goto(reverse("leaderboard:clip", args=[system.public_id, 1]))
    player = page.get_by_label("Sound of rain.wav")
    expect(player).to_be_visible()
    started(page)
    assert answers == []
    player.evaluate("audio => { audio.muted = true; return audio.play(); }")
    heard_until = "at => document.querySelector('audio').currentTime > at"
    page.wait_for_function(heard_until, arg=0.2)
    assert player.evaluate("audio => audio.duration") == pytest.approx(SECONDS, abs=0.01)
    player.evaluate("audio => { audio.currentTime = 390; }")
    page.wait_for_function(heard_until, arg=390.2)
    assert player.evaluate("audio => audio.error") is None
    assert {answer.status for answer in answers} == {206}
    assert any(not answer.headers["content-range"].startswith("bytes 0-") for answer in answers)


# Loads a sound and answers with its length, or with the browser's complaint.
LOADED = """address => new Promise((done) => {
  const audio = new Audio(address);
  const complain = () => done(audio.error ? audio.error.message || "error" : "no sound");
  audio.addEventListener("canplay", () => done(audio.duration), { once: true });
  audio.addEventListener("error", complain, { once: true });
  audio.muted = true;
  audio.play().catch(complain);
})"""


@pytest.mark.usefixtures("sounds")
def test_all_clips_of_the_demo_play_from_the_addresses_that_their_pages_give(
    page: Page, client: Client
) -> None:
    system = demo_load(now=timezone.now())[0]
    page.goto("/")
    for number, clip in enumerate(demo_clips(), start=1):
        address = reverse("leaderboard:clip", args=[system.public_id, number])
        html = client.get(address).content.decode()
        (sound,) = re.findall(r'<audio [^>]*src="([^"]+)" [^>]*' + re.escape(clip.file_name), html)
        assert page.evaluate(LOADED, sound) == pytest.approx(clip.seconds, abs=0.01), sound
