"""By keys and by ear alone: where the focus is, what is read out, and what can be seen enlarged."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Item
from tests.e2e.annotation.desk import (
    LARGE,
    TEXTS,
    TWELVE,
    Desk,
    label_button,
    labelled,
    least_height,
    live,
    look,
    option,
    press,
    saved,
    shows,
)
from tests.e2e.conftest import Axe
from tests.e2e.page_checks import fits_width

# What was read out, in order; a region whose text stays the same says nothing.
LISTEN = """window.heard = [];
new MutationObserver((changes) => changes.forEach(({target}) => {
    const live = (target.closest ? target : target.parentElement)?.closest('[data-part=live]');
    if (live && live.textContent !== window.heard.at(-1)) window.heard.push(live.textContent);
})).observe(document, {subtree: true, childList: true, characterData: true});"""


def words_of(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Words of the caption")


def test_a_screen_reader_hears_words_labels_and_what_changes(work: Page, axe: Axe) -> None:
    words = words_of(work)
    expect(live(work)).to_have_text(f"Caption 1: {TWELVE}")
    expect(words).to_be_focused()
    expect(words).to_have_attribute("aria-multiselectable", "true")
    expect(words).to_have_attribute("aria-activedescendant", "word-1")
    expect(option(work, "large")).to_have_attribute("aria-selected", "true")
    press(work, "q")
    expect(live(work)).to_have_text(LARGE.replace(",", ":"))
    expect(option(work, LARGE)).to_have_attribute("aria-selected", "false")
    press(work, "w", "Control+z")
    expect(live(work)).to_contain_text("Undone. dog: no label")
    press(work, "Control+Shift+z")
    expect(live(work)).to_contain_text("Redone. dog: Who")
    press(work, "f", "Control+z")
    expect(live(work)).to_contain_text("Undone. Not flagged")
    # The same again is said again.
    work.evaluate(LISTEN)
    for count in (1, 2):
        press(work, "End", "-")
        work.wait_for_function("count => window.heard.length === count", arg=count)
    said = {one.strip() for one in work.evaluate("window.heard")}
    assert said == {"There is no label on this word."}
    press(work, "a")
    expect(live(work)).to_have_text(f"Accepted. Next: {TEXTS[1]}")
    # Two keys in one go, faster than anybody's, are read out together.
    work.evaluate(
        "['q', 'w'].forEach((key) => document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', {key, bubbles: true})))"
    )
    expect(live(work)).to_have_text("heavy: Property of who or what rain: Who")
    press(work, "?", "?", "h")
    expect(work.get_by_role("dialog", name="Guidelines")).to_be_visible()
    assert axe() == []
    press(work, "h")
    expect(work.get_by_role("dialog")).to_have_count(0)


def test_the_focus_is_never_lost(work: Page, desk: Desk, complaints: list[str]) -> None:
    """On a label, a choice between versions, a refused answer that is discarded, at the end."""
    who = label_button(work, "w Who")
    who.focus()
    press(work, "Enter")
    shows(work, "large, Who")
    expect(who).to_have_attribute("aria-pressed", "false")
    expect(who).to_be_focused()
    other = desk.window()
    press(other, "w", "a")
    saved(other)
    other.close()
    words_of(work).focus()
    press(work, "o", "a")
    work.get_by_role("button", name="Look at both").focus()
    press(work, "Enter")
    theirs = work.locator("[data-do=keep-theirs]")
    expect(theirs).to_have_accessible_description("Saved in the other window")
    theirs.focus()
    press(work, "Enter")
    expect(live(work)).to_contain_text("Kept: Saved in the other window.")
    expect(words_of(work)).to_be_focused()
    Item.objects.filter(project=desk.project, text=TEXTS[1]).delete()
    press(work, "q", "a")
    work.get_by_role("button", name="Discard").focus()
    press(work, "Enter")
    expect(work.get_by_role("button", name="Discard it for good")).to_be_focused()
    # An answer on its way has the list written anew.
    press(work, "Shift+Tab")
    look(work)
    expect(work.get_by_role("button", name="Open again")).to_be_focused()
    press(work, "Tab", "Enter")
    expect(work.get_by_role("button", name="Discard")).to_have_count(0)
    expect(words_of(work)).to_be_focused()
    for _ in TEXTS[2:]:
        press(work, "a")
    expect(work.get_by_role("group", name="Everything is done or with others.")).to_be_focused()
    press(work, "Backspace")
    expect(words_of(work)).to_be_focused()
    complaints.clear()


def test_enlarged_four_times_narrow_or_with_forced_colours_all_is_seen(work: Page) -> None:
    work.set_viewport_size({"width": 320, "height": 256})
    for key in ("End", "Home"):
        press(work, key)
        expect(work.locator(".word.is-cursor")).to_be_in_viewport(ratio=1)
    # A narrow page with a mouse is no phone: what the keys are stays on the buttons.
    expect(work.locator("[data-do=keys]")).to_be_visible()
    expect(work.locator("[data-do=accept] kbd")).to_be_visible()
    fits_width(work)
    work.set_viewport_size({"width": 390, "height": 844})
    assert least_height(work, ".word, .label-button, .session__actions .button") >= 44
    fits_width(work)
    # Only the word in hand has a frame.
    work.emulate_media(forced_colors="active")
    frames = work.locator(".word__text").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).borderTopColor)"
    )
    paper = work.evaluate("getComputedStyle(document.body).backgroundColor")
    assert [at for at, colour in enumerate(frames) if colour != paper] == [0]


@pytest.mark.browser_context_args(
    viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
)
def test_a_phone_shows_no_keys(work: Page) -> None:
    expect(work.locator("[data-do=accept] kbd")).to_be_hidden()
    expect(work.locator("[data-do=keys]")).to_be_hidden()


def test_keys_without_ctrl_can_be_turned_off_and_all_goes_on_by_buttons(
    work: Page, desk: Desk
) -> None:
    press(work, "?")
    work.get_by_role("checkbox", name="Keys without ctrl label and answer").focus()
    with work.expect_response("**/keys"):
        press(work, " ")
    press(work, "Escape", "w", "1", "a", " ", "ArrowRight")
    expect(option(work, "dog")).to_have_attribute("aria-selected", "true")
    expect(labelled(work)).to_have_count(0)
    desk.open()
    press(work, "a")
    expect(work.locator("[data-do=accept] kbd")).to_be_hidden()
    label_button(work, "Who").focus()
    press(work, "Enter")
    shows(work, "large, Who")
    press(work, "Control+z")
    shows(work, "large")
    work.get_by_role("button", name="Keys").focus()
    press(work, "Enter")
    with work.expect_response("**/keys"):
        work.get_by_role("button", name="Reset all keys").click()
    press(work, "Escape", "q")
    shows(work, LARGE)
