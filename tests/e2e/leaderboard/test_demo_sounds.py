"""Every sound of the demo challenge plays in a real browser, from the page of its clip."""

from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from leaderboard.demo.load import demo_load
from leaderboard.demo.recordings import demo_clips
from leaderboard.models import Submission

# Loads what the page names and answers with its length, or with the browser's complaint.
LOADED = """audio => new Promise((done) => {
  const complain = () => done(audio.error ? audio.error.message || "error" : "no sound");
  audio.addEventListener("canplay", () => done(audio.duration), { once: true });
  audio.addEventListener("error", complain, { once: true });
  audio.muted = true;
  audio.load();
  audio.play().catch(complain);
})"""


@pytest.fixture
def system(transactional_db: None, settings: Any, tmp_path: Path) -> Submission:
    cache.clear()
    settings.AUDIO_DIR = tmp_path / "audio"
    return demo_load(now=timezone.now())[0]


def test_all_clips_play_from_the_addresses_that_their_pages_give(
    page: Page, live_server: LiveServer, system: Submission
) -> None:
    for number, clip in enumerate(demo_clips(), start=1):
        page.goto(live_server.url + reverse("leaderboard:clip", args=[system.public_id, number]))
        player = page.get_by_label(f"Sound of {clip.file_name}")
        assert player.evaluate(LOADED) == pytest.approx(clip.seconds, abs=0.01), clip.file_name
