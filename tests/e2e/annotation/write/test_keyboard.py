"""Captions written and edited without a pointer: played, written, undone, accepted."""

import pytest
from playwright.sync_api import Page, expect

from tests.annotation.kinds.conftest import CAPTION
from tests.e2e.annotation.desk import live, part, press, saved
from tests.e2e.annotation.write.hands import HEAR, RAIN, field, hear, objection, title, values
from tests.e2e.conftest import Axe

ROFF = RAIN.replace("roof", "roff")


def test_a_sound_is_heard_described_and_accepted_by_keys_alone(work: Page) -> None:
    """What cannot be accepted yet says why at the button; only what was played is heard."""
    accept = work.get_by_role("button", name="Accept")
    expect(title(work)).to_have_text("Sound 1")
    expect(accept).to_have_accessible_description(HEAR)
    expect(accept).to_have_attribute("aria-disabled", "true")
    press(work, "w")
    work.keyboard.type(RAIN)
    press(work, "Control+Enter")
    expect(live(work)).to_contain_text(HEAR)
    expect(title(work)).to_have_text("Sound 1")
    press(work, "Escape")
    # Going to the end of the sound does not hear it.
    expect(work.get_by_role("slider", name="Position in the sound")).to_be_enabled()
    work.locator("audio").evaluate("audio => { audio.currentTime = 0.6; }")
    press(work, "p")
    work.wait_for_function("() => document.querySelector('audio').ended")
    expect(objection(work)).to_have_text(HEAR)
    hear(work)
    expect(accept).to_have_attribute("aria-disabled", "false")
    expect(accept).to_have_accessible_description("")
    press(work, "w", "Control+Enter")
    # Hands stay in the text, and the next sound is played from there.
    expect(title(work)).to_have_text("Sound 2")
    expect(field(work)).to_be_focused()
    expect(field(work)).to_have_value("")
    expect(objection(work)).to_have_text(HEAR)
    press(work, "Control+Space")
    expect(objection(work)).not_to_have_text(HEAR)
    press(work, "x")
    expect(objection(work)).to_have_text("Write 8 to 20 words; these are 1.")
    press(work, "Control+Enter")
    expect(title(work)).to_have_text("Sound 2")
    # What is not to be described needs neither.
    press(work, "Escape", "x")
    saved(work)
    assert values() == [{"text": RAIN, "heard": True}, {"text": "x", "heard": True}]


def test_words_are_counted_and_keys_of_the_page_are_letters_in_the_text(work: Page) -> None:
    count = part(work, "count")
    expect(count).to_have_text("0 words, at least 8")
    press(work, "w")
    work.keyboard.type("xa fp")
    press(work, "Backspace", "?")
    expect(field(work)).to_have_value("xa f?")
    expect(count).to_have_text("2 words, at least 8")
    # A caption has one line: enter leaves the text.
    press(work, "Enter")
    expect(field(work)).not_to_be_focused()
    press(work, "f")
    expect(work.get_by_text("Flagged", exact=True)).to_be_visible()
    expect(field(work)).to_have_value("xa f?")
    press(work, "w", "End")
    for words in ("12 words", "22 words, at most 20"):
        work.keyboard.type(f" {RAIN}")
        expect(count).to_have_text(words)
    # What is pasted has one line, too, and is undone at once.
    press(work, "Control+a")
    work.keyboard.type("loud ")
    work.keyboard.insert_text("rain\nfalls")
    expect(field(work)).to_have_value("loud rain falls")
    press(work, "Control+z")
    expect(field(work)).to_have_value("loud ")


def test_undo_goes_word_by_word_and_outside_the_text_across_sounds(work: Page) -> None:
    hear(work)
    press(work, "w")
    work.keyboard.type(RAIN)
    press(work, "Control+Enter")
    work.keyboard.type("a dog barks")
    press(work, "Control+z", "Control+z")
    expect(field(work)).to_have_value("a ")
    press(work, "Control+Shift+z")
    expect(field(work)).to_have_value("a dog ")
    press(work, "Control+z", "Control+z", "Control+z", "Control+z")
    # In the text it stops where the sound began.
    expect(live(work)).to_contain_text("where the sound began")
    expect(title(work)).to_have_text("Sound 2")
    press(work, "Escape", "Control+z")
    expect(title(work)).to_have_text("Sound 1")
    expect(field(work)).to_have_value(RAIN)
    expect(work.get_by_text("Accepted before")).to_be_visible()
    press(work, "Control+Shift+z")
    expect(title(work)).to_have_text("Sound 2")
    saved(work)
    assert values() == [{"text": RAIN, "heard": True}]


def test_a_misspelt_word_is_shown_and_a_suggestion_takes_its_place(work: Page, axe: Axe) -> None:
    press(work, "w")
    work.keyboard.type(ROFF)
    findings = work.get_by_role("list", name="Findings in the text")
    expect(findings).to_contain_text("roff")
    assert axe() == []
    findings.get_by_role("button", name="roof").first.click()
    expect(field(work)).to_have_value(RAIN)
    expect(findings).to_be_hidden()
    press(work, "Escape")
    hear(work)
    press(work, "a")
    saved(work)
    assert values() == [{"text": RAIN, "heard": True}]


@pytest.mark.parametrize("kind", ["edit"], indirect=True)
def test_a_caption_to_edit_is_in_the_text_and_above_it_and_may_stay_as_it_is(work: Page) -> None:
    expect(field(work)).to_have_value(CAPTION)
    expect(work.get_by_text("Original:")).to_be_visible()
    # Undo stops at the caption as it was written.
    press(work, "w", "End")
    work.keyboard.type(" now")
    press(work, "Control+z", "Control+z", "Control+z")
    expect(field(work)).to_have_value(CAPTION)
    expect(part(work, "original")).to_have_text(CAPTION)
    expect(live(work)).to_contain_text("where the caption began")
    press(work, "Escape")
    hear(work)
    expect(objection(work)).to_have_text("")
    press(work, "a")
    saved(work)
    assert values() == [{"text": CAPTION, "heard": True}]
