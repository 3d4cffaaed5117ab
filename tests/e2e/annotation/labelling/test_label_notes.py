"""What the label in focus is for, below the caption: definition and examples, and nothing moves."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.annotation.labelling.labelling_page import option, press
from tests.e2e.page_checks import fits_width

Axe = Callable[[], list[str]]

WHO = "The living being that makes the sound or acts."
HOW = "The action or event by which the sound comes about."
PLACES = """() => [...document.querySelectorAll(
  ".words, .label-button, .session__actions, .session__comment, .label-notes > summary, footer"
)].map((one) => one.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height])
"""


def places(page: Page) -> Any:
    return page.evaluate(PLACES)


def test_it_follows_the_cursor_and_the_pointer_and_nothing_moves(
    labelling_page: Page, axe: Axe
) -> None:
    page = labelling_page
    page.set_viewport_size({"width": 1400, "height": 900})
    notes = page.locator("[data-part=label-notes]")
    expect(notes.get_by_text("Go to a labelled word")).to_be_visible()
    before = places(page)
    # A label that was just given, though the cursor is on the next word already.
    press(page, "ArrowRight", "w")
    expect(notes.get_by_text(WHO)).to_be_visible()
    expect(notes.locator("mark").first).to_have_text("man")
    press(page, "o")
    expect(notes.get_by_text(HOW)).to_be_visible()
    press(page, "Home", "ArrowRight", "ArrowRight")
    expect(notes.get_by_text(WHO)).to_be_visible()
    expect(notes.get_by_text(HOW)).to_be_hidden()
    # The pointer on a label shows that one, as long as it is there.
    page.get_by_role("group", name="Labels").get_by_role("button", name="o How").hover()
    expect(notes.get_by_text(HOW)).to_be_visible()
    page.mouse.move(5, 5)
    expect(notes.get_by_text(WHO)).to_be_visible()
    page.get_by_role("group", name="Labels").get_by_role("button", name="o How").focus()
    expect(notes.get_by_text(HOW)).to_be_visible()
    assert places(page) == before
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []


def test_on_a_phone_it_waits_in_a_disclosure_and_needs_no_server(
    labelling_page: Page, complaints: list[str]
) -> None:
    page = labelling_page
    page.set_viewport_size({"width": 390, "height": 844})
    notes = page.locator("[data-part=label-notes]")
    summary = notes.get_by_text("What the label is for")
    expect(notes).not_to_have_attribute("open", "")
    page.context.set_offline(True)
    press(page, "w")
    expect(notes.get_by_text(WHO)).to_be_hidden()
    summary.focus()
    press(page, "Enter")
    expect(notes.get_by_text(WHO)).to_be_visible()
    fits_width(page)
    # Keys go on with the caption from here.
    press(page, "a")
    expect(option(page, "heavy")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator("[data-part=saving]")).to_have_text("Saved")
    complaints.clear()


def test_the_longest_note_fits_into_its_room(labelling_page: Page) -> None:
    """Else the foot of the page would move with the cursor."""
    page = labelling_page
    page.set_viewport_size({"width": 1400, "height": 900})
    heights = []
    for button in page.locator(".label-bar [data-label]:not([data-label=''])").all():
        button.hover()
        notes = page.locator("[data-part=label-notes]")
        heights.append(notes.evaluate("one => one.getBoundingClientRect().height"))
    assert len(set(heights)) == 1
