"""Labelling by pointer: armed labels, drags, and that no gesture takes more than it covers."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.annotation.desk import (
    TWELVE,
    label_button,
    labelled,
    names,
    of,
    option,
    press,
    runs,
    saved,
    shows,
)


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + 15


def drag(page: Page, start: str, end: str) -> None:
    """Drag from a word to another; the button is still down."""
    page.mouse.move(*middle(option(page, start)))
    page.mouse.down()
    page.mouse.move(*middle(option(page, end)), steps=4)


def test_an_armed_label_goes_where_the_pointer_clicks_and_comes_off_again(work: Page) -> None:
    who = label_button(work, "Who")
    who.click()
    expect(who).to_have_attribute("aria-pressed", "true")
    press(work, "Escape")
    expect(who).to_have_attribute("aria-pressed", "false")
    who.click()
    option(work, "cars").click()
    # A double click labels a word, and does not take the label off again.
    option(work, "dog").dblclick()
    shows(work, "cars, Who", "dog, Who")
    option(work, "cars, Who").click()
    shows(work, "cars")
    label_button(work, "o How").click()
    option(work, "dog, Who").click()
    shows(work, "dog, How")
    work.get_by_role("button", name="Accept").click()
    saved(work)
    assert runs(of(TWELVE)) == [("dog", "HOW")]


def test_a_drag_shows_what_it_would_do_and_takes_only_the_words_that_it_covers(work: Page) -> None:
    press(work, "q", "w", "o", "e", ",", ",", "t")
    label_button(work, "n When").click()
    drag(work, "the, Where, word 2 of 3", "as")
    expect(work.get_by_text("Takes 2 words from Where")).to_be_visible()
    shows(work, "distance, When, word 2 of 3")
    work.mouse.up()
    told = names(work)
    assert told[:4] == ["a", "large, Property of who or what", "dog, Who", "barks, How"]
    assert told[4:8] == ["in, Where", *(f"{word}, When, word {at} of 3" for at, word in TAKEN)]
    assert told[8:] == ["the", "cars, What", "pass", "by"]
    press(work, "Control+z")
    shows(work, "distance, Where, word 3 of 3")
    # Escape lets a drag go without doing it.
    before = names(work)
    drag(work, "dog, Who", "in, Where, word 1 of 3")
    press(work, "Escape")
    work.mouse.up()
    assert names(work) == before


TAKEN = ((1, "the"), (2, "distance"), (3, "as"))


def test_words_chosen_with_the_pointer_take_the_label_whose_button_is_pressed(work: Page) -> None:
    drag(work, "in", "distance")
    work.mouse.up()
    expect(labelled(work)).to_have_count(0)
    label_button(work, "e Where").click()
    shows(work, "distance, Where, word 3 of 3")
    expect(work.locator("[data-label][aria-pressed=true]")).to_have_count(0)


@pytest.mark.browser_context_args(has_touch=True, viewport={"width": 390, "height": 844})
def test_fingers_label_words(work: Page) -> None:
    for label, word in (("WHO", "dog"), ("HOW", "barks")):
        work.locator(f"[data-label={label}]").tap()
        option(work, word).tap()
    work.get_by_role("button", name="Accept").tap()
    saved(work)
    assert runs(of(TWELVE)) == [("dog", "WHO"), ("barks", "HOW")]
