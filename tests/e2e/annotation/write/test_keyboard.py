"""Captions written for sounds without a pointer: played, written, undone, accepted."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.annotation.write.writing_page import (
    DOG,
    HEAR,
    RAIN,
    field,
    hear,
    objection,
    press,
    saved,
    title,
    values,
)
from tests.e2e.page_checks import fits_width

Axe = Callable[[], list[str]]


def test_a_sound_is_heard_described_and_accepted_by_keys_alone(writing_page: Page) -> None:
    expect(title(writing_page)).to_have_text("Sound 1")
    hear(writing_page)
    press(writing_page, "w")
    writing_page.keyboard.type(RAIN)
    press(writing_page, "Control+Enter")
    # Hands stay in the text, and the next sound is played from there.
    expect(title(writing_page)).to_have_text("Sound 2")
    expect(field(writing_page)).to_be_focused()
    expect(field(writing_page)).to_have_value("")
    expect(objection(writing_page)).to_have_text(HEAR)
    press(writing_page, "Control+Space")
    expect(objection(writing_page)).not_to_have_text(HEAR)
    writing_page.keyboard.type(DOG)
    press(writing_page, "Escape", "a")
    saved(writing_page)
    assert values() == [{"text": RAIN, "heard": True}, {"text": DOG, "heard": True}]


def test_what_cannot_be_accepted_yet_says_why_at_the_button(writing_page: Page) -> None:
    accept = writing_page.get_by_role("button", name="Accept")
    expect(accept).to_have_accessible_description(HEAR)
    expect(accept).to_have_attribute("aria-disabled", "true")
    press(writing_page, "w")
    writing_page.keyboard.type(RAIN)
    press(writing_page, "Control+Enter")
    expect(writing_page.locator("[data-part=live]")).to_contain_text(HEAR)
    expect(title(writing_page)).to_have_text("Sound 1")
    press(writing_page, "Escape")
    hear(writing_page)
    expect(accept).to_have_attribute("aria-disabled", "false")
    expect(accept).to_have_accessible_description("")
    press(writing_page, "w", "Control+a", "x")
    expect(objection(writing_page)).to_have_text("Write 8 to 20 words; these are 1.")
    press(writing_page, "Control+Enter")
    expect(title(writing_page)).to_have_text("Sound 1")
    # What is not to be described needs neither.
    press(writing_page, "Escape", "x")
    saved(writing_page)
    assert values() == [{"text": "x", "heard": True}]


def test_only_what_was_played_is_heard(writing_page: Page) -> None:
    """Going to the end of the sound does not hear it."""
    slider = writing_page.get_by_role("slider", name="Position in the sound")
    expect(slider).to_be_enabled()
    writing_page.locator("audio").evaluate("audio => { audio.currentTime = 0.6; }")
    press(writing_page, "p")
    writing_page.wait_for_function("() => document.querySelector('audio').ended")
    expect(objection(writing_page)).to_have_text(HEAR)
    press(writing_page, "p")
    expect(objection(writing_page)).not_to_have_text(HEAR)


def test_words_are_counted_while_they_are_written(writing_page: Page) -> None:
    count = writing_page.locator("[data-part=count]")
    expect(count).to_have_text("0 words, at least 8")
    press(writing_page, "w")
    writing_page.keyboard.type("a dog")
    expect(count).to_have_text("2 words, at least 8")
    writing_page.keyboard.type(f" {RAIN}")
    expect(count).to_have_text("12 words")
    writing_page.keyboard.type(f" {RAIN}")
    expect(count).to_have_text("22 words, at most 20")


def test_keys_of_the_page_are_letters_in_the_text(writing_page: Page) -> None:
    press(writing_page, "w")
    writing_page.keyboard.type("xa fp")
    press(writing_page, "Backspace", "?")
    expect(field(writing_page)).to_have_value("xa f?")
    expect(title(writing_page)).to_have_text("Sound 1")
    # A caption has one line: enter leaves the text.
    press(writing_page, "Enter")
    expect(field(writing_page)).not_to_be_focused()
    press(writing_page, "f")
    expect(writing_page.get_by_text("Flagged", exact=True)).to_be_visible()
    expect(field(writing_page)).to_have_value("xa f?")


def test_undo_goes_word_by_word_and_outside_the_text_across_sounds(writing_page: Page) -> None:
    hear(writing_page)
    press(writing_page, "w")
    writing_page.keyboard.type(RAIN)
    press(writing_page, "Control+Enter")
    writing_page.keyboard.type("a dog barks")
    press(writing_page, "Control+z", "Control+z")
    expect(field(writing_page)).to_have_value("a ")
    press(writing_page, "Control+Shift+z")
    expect(field(writing_page)).to_have_value("a dog ")
    press(writing_page, "Control+z", "Control+z", "Control+z", "Control+z")
    # In the text it stops where the sound began.
    expect(writing_page.locator("[data-part=live]")).to_contain_text("where the sound began")
    expect(title(writing_page)).to_have_text("Sound 2")
    press(writing_page, "Escape", "Control+z")
    expect(title(writing_page)).to_have_text("Sound 1")
    expect(field(writing_page)).to_have_value(RAIN)
    expect(writing_page.get_by_text("Accepted before")).to_be_visible()
    press(writing_page, "Control+Shift+z")
    expect(title(writing_page)).to_have_text("Sound 2")
    saved(writing_page)
    assert values() == [{"text": RAIN, "heard": True}]


def test_a_pasted_caption_has_one_line_and_is_undone_at_once(writing_page: Page) -> None:
    press(writing_page, "w")
    writing_page.keyboard.type("loud ")
    writing_page.keyboard.insert_text("rain\nfalls")
    expect(field(writing_page)).to_have_value("loud rain falls")
    press(writing_page, "Control+z")
    expect(field(writing_page)).to_have_value("loud ")


def test_the_sheet_of_keys_has_what_can_be_done_while_writing(writing_page: Page, axe: Axe) -> None:
    press(writing_page, "?")
    sheet = writing_page.get_by_role("dialog", name="Keys")
    writing = sheet.get_by_role("region", name="While you write")
    expect(writing.get_by_text("Play or pause the sound")).to_be_visible()
    expect(sheet.get_by_role("button", name="w Write the caption", exact=True)).to_be_visible()
    expect(sheet.get_by_text("word", exact=False).filter(has_text="span")).to_have_count(0)
    assert axe() == []


@pytest.mark.parametrize("width", [320, 1280])
def test_the_page_can_be_used_at_any_width(writing_page: Page, axe: Axe, width: int) -> None:
    writing_page.set_viewport_size({"width": width, "height": 800})
    press(writing_page, "w")
    writing_page.keyboard.type("a dog")
    fits_width(writing_page)
    heights = writing_page.locator(".session__actions .button, .written > textarea").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
    for scheme in ("light", "dark"):
        writing_page.emulate_media(color_scheme=scheme)
        assert axe() == []


def test_nothing_of_a_sound_but_the_sound_is_shown(writing_page: Page) -> None:
    """Names of files often say what is heard."""
    assert "rain on a roof" not in writing_page.content()
    source = writing_page.locator("audio").evaluate("audio => audio.src")
    assert "rain" not in source
