"""The sound of a caption: played, moved in and repeated by keys, slider and pointer."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Project
from annotation.services.formats.sources import reference_tasks
from annotation.services.projects import items_add, member_add
from annotation.spans import tokenized
from leaderboard.models import User
from leaderboard.services.clips.audio import audio_add
from tests.annotation.conftest import NOW, make_project
from tests.e2e.annotation.desk import (
    DOG,
    LARGE,
    TWELVE,
    Desk,
    intercept,
    labelled,
    least_height,
    part,
    press,
    shows,
)
from tests.e2e.conftest import LooksRight
from tests.factories import PhaseFactory
from tests.sounds import wav, zipped


@pytest.fixture
def project(ann: User, settings: Any, tmp_path: Path) -> Project:
    """Captions of hidden references with sound; the first clip lasts 20 seconds."""
    settings.AUDIO_DIR = tmp_path / "audio"
    phase = PhaseFactory.create(references_public=False)
    sounds = {"rain.wav": wav(20), "dog.wav": wav(2)}
    audio_add(phase=phase, path=zipped(sounds, tmp_path / "x.zip"), actor=None, now=NOW)
    made = make_project(texts=())
    items_add(project=made, tasks=reference_tasks(phase, one_each=True))
    member_add(project=made, user=ann)
    return made


@pytest.fixture
def slider(work: Page) -> Locator:
    """The slider of the first caption, whose sound is there and cannot be heard."""
    work.locator("audio").evaluate("audio => { audio.muted = true; }")
    found = work.get_by_role("slider", name="Position in the sound")
    expect(found).to_be_enabled()
    return found


def position(page: Page) -> float:
    return float(page.locator("audio").evaluate("audio => audio.currentTime"))


def paused(page: Page) -> bool:
    return bool(page.locator("audio").evaluate("audio => audio.paused"))


def heard_until(page: Page, second: float) -> None:
    page.wait_for_function("at => document.querySelector('audio').currentTime > at", arg=second)


def test_the_page_is_as_the_picture_of_the_guide(desk: Desk) -> None:
    """docs/images/labelling.png is what this keeps in the folder EARMARK_SCREENSHOTS."""
    desk.project.items.filter(position=0).update(text=TWELVE, tokens=tokenized(TWELVE))
    Project.objects.filter(pk=desk.project.pk).update(name="Everyday sounds")
    page = desk.page
    page.set_viewport_size({"width": 1280, "height": 800})
    desk.open()
    expect(page.get_by_role("slider", name="Position in the sound")).to_be_enabled()
    press(page, "q", "w", "o", "Shift+ArrowLeft", "Shift+ArrowLeft", "e", "j")
    shows(page, LARGE, DOG, "barks, How")
    expect(page.get_by_text("A place, direction or distance.").first).to_be_visible()
    if folder := os.environ.get("EARMARK_SCREENSHOTS"):
        page.screenshot(path=f"{folder}/labelling.png")


def test_keys_play_pause_move_and_restart_without_leaving_the_words(
    work: Page, slider: Locator
) -> None:
    press(work, "p")
    heard_until(work, 0.2)
    expect(work.get_by_role("button", name="Pause")).to_be_visible()
    press(work, "p")
    expect(work.get_by_role("button", name="Play")).to_be_visible()
    before = position(work)
    press(work, ">", ">", ">", "<")
    assert position(work) == pytest.approx(before + 2)
    expect(part(work, "time")).to_have_text("0:02 / 0:20")
    assert paused(work)
    press(work, "p")
    heard_until(work, before + 2)
    press(work, "y")
    assert position(work) < 2
    assert not paused(work)
    # The hands are still on the words.
    press(work, "p", "w")
    expect(labelled(work)).to_have_count(1)
    # The next caption has its own sound, which waits.
    press(work, "p")
    heard_until(work, 0.1)
    press(work, "a")
    expect(work.get_by_role("button", name="Play")).to_be_visible()
    expect(slider).to_have_attribute("aria-valuetext", "0 of 2 seconds")
    assert paused(work)


def test_the_slider_says_where_it_is_and_moves_by_keys_and_pointer(
    work: Page, slider: Locator, looks_right: LooksRight
) -> None:
    expect(slider).to_have_attribute("aria-valuetext", "0 of 20 seconds")
    slider.focus()
    press(work, "ArrowRight", "ArrowRight", "PageUp", "ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "6 of 20 seconds")
    press(work, "End")
    expect(slider).to_have_attribute("aria-valuetext", "20 of 20 seconds")
    press(work, "Home")
    assert position(work) == 0
    # Space plays here; it must not skip the caption.
    press(work, " ")
    heard_until(work, 0.1)
    press(work, " ")
    assert paused(work)
    expect(work.get_by_role("heading", name="Caption 1")).to_be_visible()
    press(work, "Escape")
    expect(work.get_by_role("listbox")).to_be_focused()
    box = slider.bounding_box()
    assert box
    slider.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert position(work) == pytest.approx(10, abs=1)
    expect(work.get_by_role("listbox")).to_be_focused()
    looks_right()
    work.set_viewport_size({"width": 390, "height": 844})
    assert least_height(work, ".player > :is(button, input)") >= 44


def test_a_sound_is_repeated_until_that_is_turned_off(work: Page, slider: Locator) -> None:
    begun_again = "() => document.querySelector('audio').currentTime < 10"
    jump = "audio => { audio.currentTime = 19.7; }"
    repeat = work.get_by_role("button", name="Repeat")
    expect(repeat).to_have_attribute("aria-pressed", "false")
    press(work, "u")
    expect(repeat).to_have_attribute("aria-pressed", "true")
    work.locator("audio").evaluate(jump)
    press(work, "p")
    work.wait_for_function(begun_again)
    assert not paused(work)
    repeat.click()
    work.locator("audio").evaluate(jump)
    work.wait_for_function("() => document.querySelector('audio').ended")
    # What is over begins again with the same key.
    press(work, "p")
    work.wait_for_function(begun_again)
    assert not paused(work)


def test_a_sound_that_does_not_come_says_so_and_is_tried_again(work: Page, slider: Locator) -> None:
    intercept(work, "**/audio/**", lambda route: route.abort())
    press(work, "a")
    fault = work.get_by_text("The sound could not be loaded.")
    expect(fault).to_be_visible()
    expect(slider).to_be_disabled()
    work.unroute_all()
    press(work, "p")
    heard_until(work, 0.1)
    expect(fault).to_be_hidden()
