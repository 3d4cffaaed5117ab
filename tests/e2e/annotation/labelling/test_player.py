"""The sound of a caption: played, moved in and repeated by keys, slider and pointer."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from annotation.services.formats.sources import reference_tasks
from annotation.services.projects import Task, items_add, member_add
from annotation.spans import tokenized
from leaderboard.models import User
from leaderboard.services.clips.audio import audio_add_zip
from tests.annotation.conftest import NOW, make_project
from tests.e2e.annotation.labelling.labelling_page import TWELVE, open_labelling_page, option, press
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import PhaseFactory, UserFactory
from tests.sounds import wav, zipped

Axe = Callable[[], list[str]]


@pytest.fixture
def project(ann: User, settings: Any, tmp_path: Path) -> Project:
    """Captions of hidden references with sound; the first clip lasts 20 seconds."""
    settings.AUDIO_DIR = tmp_path / "audio"
    phase = PhaseFactory.create(references_public=False)
    sounds = {"rain.wav": wav(20), "dog.wav": wav(2)}
    audio_add_zip(phase=phase, path=zipped(sounds, tmp_path / "x.zip"), actor=None, now=NOW)
    made = make_project(texts=())
    items_add(project=made, tasks=reference_tasks(phase, one_each=True))
    member_add(project=made, user=ann)
    return made


@pytest.fixture
def slider(labelling_page: Page) -> Locator:
    """The slider of the first caption, whose sound is there and cannot be heard."""
    labelling_page.locator("audio").evaluate("audio => { audio.muted = true; }")
    found = labelling_page.get_by_role("slider", name="Position in the sound")
    expect(found).to_be_enabled()
    return found


def position(page: Page) -> float:
    return float(page.locator("audio").evaluate("audio => audio.currentTime"))


def paused(page: Page) -> bool:
    return bool(page.locator("audio").evaluate("audio => audio.paused"))


def heard_until(page: Page, second: float) -> None:
    page.wait_for_function("at => document.querySelector('audio').currentTime > at", arg=second)


def test_the_page_is_as_the_picture_of_the_guide(
    page: Page, live_server: LiveServer, ann: User, project: Project, log_in: LogIn
) -> None:
    """docs/images/labelling.png is what this keeps in the folder EARMARK_SCREENSHOTS."""
    project.items.filter(position=0).update(text=TWELVE, tokens=tokenized(TWELVE))
    type(project).objects.filter(pk=project.pk).update(name="Everyday sounds")
    log_in(ann)
    page.set_viewport_size({"width": 1280, "height": 800})
    open_labelling_page(page, live_server, project)
    expect(page.get_by_role("slider", name="Position in the sound")).to_be_enabled()
    press(page, "q", "w", "o", "Shift+ArrowLeft", "Shift+ArrowLeft", "e", "j")
    for word in ("large, Property of who or what", "dog, Who", "barks, How"):
        expect(option(page, word)).to_be_visible()
    expect(page.get_by_text("A place, direction or distance.").first).to_be_visible()
    if folder := os.environ.get("EARMARK_SCREENSHOTS"):
        page.screenshot(path=f"{folder}/labelling.png")


def test_keys_play_pause_move_and_restart_without_leaving_the_words(
    labelling_page: Page, slider: Locator
) -> None:
    page = labelling_page
    press(page, "p")
    heard_until(page, 0.2)
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    press(page, "p")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    before = position(page)
    press(page, ">", ">", ">", "<")
    assert position(page) == pytest.approx(before + 2)
    expect(page.locator("[data-part=time]")).to_have_text("0:02 / 0:20")
    assert paused(page)
    press(page, "p")
    heard_until(page, before + 2)
    press(page, "y")
    assert position(page) < 2
    assert not paused(page)
    # The hands are still on the words.
    press(page, "p", "w")
    expect(page.locator(".word.is-labelled")).to_have_count(1)


def test_the_slider_says_where_it_is_and_moves_by_keys(
    labelling_page: Page, slider: Locator, axe: Axe
) -> None:
    expect(slider).to_have_attribute("aria-valuetext", "0 of 20 seconds")
    slider.focus()
    press(labelling_page, "ArrowRight", "ArrowRight", "PageUp", "ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "6 of 20 seconds")
    press(labelling_page, "End")
    expect(slider).to_have_attribute("aria-valuetext", "20 of 20 seconds")
    press(labelling_page, "Home")
    assert position(labelling_page) == 0
    # Space plays here; it must not skip the caption.
    press(labelling_page, " ")
    heard_until(labelling_page, 0.1)
    press(labelling_page, " ")
    assert paused(labelling_page)
    expect(labelling_page.get_by_role("heading", name="Caption 1")).to_be_visible()
    press(labelling_page, "Escape")
    expect(labelling_page.get_by_role("listbox")).to_be_focused()
    for scheme in ("light", "dark"):
        labelling_page.emulate_media(color_scheme=scheme)
        assert axe() == []


def test_the_pointer_moves_in_the_sound_and_the_keys_go_on_with_the_words(
    labelling_page: Page, slider: Locator
) -> None:
    box = slider.bounding_box()
    assert box
    slider.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert position(labelling_page) == pytest.approx(10, abs=1)
    expect(labelling_page.get_by_role("listbox")).to_be_focused()


def test_a_sound_is_repeated_until_that_is_turned_off(
    labelling_page: Page, slider: Locator
) -> None:
    repeat = labelling_page.get_by_role("button", name="Repeat")
    expect(repeat).to_have_attribute("aria-pressed", "false")
    press(labelling_page, "u")
    expect(repeat).to_have_attribute("aria-pressed", "true")
    jump = "audio => { audio.currentTime = 19.7; }"
    labelling_page.locator("audio").evaluate(jump)
    press(labelling_page, "p")
    labelling_page.wait_for_function("() => document.querySelector('audio').currentTime < 10")
    assert not paused(labelling_page)
    repeat.click()
    labelling_page.locator("audio").evaluate(jump)
    labelling_page.wait_for_function("() => document.querySelector('audio').ended")
    # What is over begins again with the same key.
    press(labelling_page, "p")
    labelling_page.wait_for_function("() => document.querySelector('audio').currentTime < 10")
    assert not paused(labelling_page)


def test_the_next_caption_has_its_own_sound_which_waits(
    labelling_page: Page, slider: Locator
) -> None:
    press(labelling_page, "p")
    heard_until(labelling_page, 0.1)
    press(labelling_page, "a")
    expect(labelling_page.get_by_role("button", name="Play")).to_be_visible()
    expect(slider).to_have_attribute("aria-valuetext", "0 of 2 seconds")
    assert paused(labelling_page)


def test_a_sound_that_does_not_come_says_so_and_is_tried_again(
    labelling_page: Page, slider: Locator, complaints: list[str]
) -> None:
    labelling_page.route("**/audio/**", lambda route: route.abort())
    press(labelling_page, "a")
    fault = labelling_page.get_by_text("The sound could not be loaded.")
    expect(fault).to_be_visible()
    expect(slider).to_be_disabled()
    labelling_page.unroute_all()
    press(labelling_page, "p")
    heard_until(labelling_page, 0.1)
    expect(fault).to_be_hidden()
    complaints.clear()


def test_it_fits_a_phone(labelling_page: Page, slider: Locator) -> None:
    labelling_page.set_viewport_size({"width": 390, "height": 844})
    heights = labelling_page.locator(".player > :is(button, input)").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
    fits_width(labelling_page)


def test_a_project_of_its_own_plays_what_its_lead_sent(
    page: Page,
    live_server: LiveServer,
    log_in: LogIn,
    axe: Axe,
    transactional_db: None,
    settings: Any,
    tmp_path: Path,
) -> None:
    settings.AUDIO_DIR = tmp_path / "audio"
    lead = UserFactory.create(username="lead")
    made = make_project(lead, texts=())
    items_add(project=made, tasks=[Task("a dog barks", meta={"file_name": "clips/dog.wav"})])
    log_in(lead)
    page.goto(f"{live_server.url}/annotate/{made.slug}/manage/sounds/")
    assert axe() == []
    archive = zipped({"dog.wav": wav(2), "cat.wav": wav(), "x.txt": b"x"}, tmp_path / "x.zip")
    page.get_by_label("Zip of recordings").set_input_files(archive)
    page.get_by_role("button", name="Add the recordings").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("1 recording stored")
    page.get_by_text("Not named by any caption: 2").click()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
    page.set_viewport_size({"width": 390, "height": 800})
    fits_width(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    open_labelling_page(page, live_server, made)
    audio = page.locator("audio")
    audio.evaluate("audio => { audio.muted = true; }")
    press(page, "p")
    expect(audio).to_have_js_property("duration", 2)
    expect(audio).to_have_js_property("paused", False)
    assert "/sounds/" in audio.evaluate("audio => audio.currentSrc")
