"""The sound of clips in a real browser: organisers bring it, listeners play it and jump in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page, Response, expect
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Phase, User
from leaderboard.services.clips.audio import audio_add_zip
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import NOW, PhaseFactory, TeamFactory, UserFactory, submit
from tests.sounds import wav, zipped

Axe = Callable[[], list[str]]
SECONDS = 400


@pytest.fixture
def phase(transactional_db: None, settings: Any, tmp_path: Path) -> Phase:
    cache.clear()
    settings.AUDIO_DIR = tmp_path / "audio"
    return PhaseFactory.create()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two recordings of which one is long enough not to come in one go, and a file of no use."""
    files = {"rain.wav": wav(SECONDS, rate=44_100), "dog.wav": wav(2), "notes.txt": b"none"}
    return zipped(files, tmp_path / "clips.zip")


def heard_until(page: Page, second: float) -> None:
    """Wait until the player has come so far."""
    page.locator("audio").evaluate(
        """(audio, second) => new Promise((done) => {
          const look = () => (audio.currentTime > second ? done() : setTimeout(look, 50));
          look();
        })""",
        second,
    )


@pytest.mark.parametrize("width", [1280, 390])
def test_an_organiser_brings_it_and_reads_what_is_missing(
    page: Page,
    live_server: LiveServer,
    phase: Phase,
    archive: Path,
    log_in: LogIn,
    axe: Axe,
    width: int,
) -> None:
    organiser: User = UserFactory.create()
    phase.challenge.organisers.add(organiser)
    log_in(organiser)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(
        live_server.url
        + reverse("leaderboard:manage-audio", args=[phase.challenge.slug, phase.slug])
    )
    assert axe() == []
    page.get_by_label("Zip of recordings").set_input_files(archive)
    page.get_by_role("button", name="Add the recordings").click()
    expect(page.get_by_text("2 recordings stored")).to_be_visible()
    expect(page.get_by_text("1 not in the references, 3 clips still without sound")).to_be_visible()
    assert axe() == []
    fits_width(page)


def test_a_listener_plays_a_clip_and_jumps_in_it(
    page: Page, live_server: LiveServer, phase: Phase, archive: Path, axe: Axe
) -> None:
    audio_add_zip(phase=phase, path=archive, actor=None, now=NOW)
    system = submit(phase, TeamFactory.create())
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer) if "/audio/" in answer.url else None)
    page.goto(live_server.url + reverse("leaderboard:clip", args=[system.public_id, 1]))
    player = page.get_by_label("Sound of rain.wav")
    expect(player).to_be_visible()
    assert axe() == []
    # Nothing is loaded before somebody wants it.
    assert answers == []
    player.evaluate("audio => { audio.muted = true; return audio.play(); }")
    heard_until(page, 0.2)
    assert player.evaluate("audio => audio.duration") == pytest.approx(SECONDS, abs=0.01)
    player.evaluate("audio => { audio.currentTime = 390; }")
    heard_until(page, 390.2)
    assert player.evaluate("audio => audio.error") is None
    assert {answer.status for answer in answers} == {206}
    assert any(not answer.headers["content-range"].startswith("bytes 0-") for answer in answers)
