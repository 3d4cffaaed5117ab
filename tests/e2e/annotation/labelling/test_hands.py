"""Labelling by keyboard and pointer: few presses, undo, held keys, changed keys, drags."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Annotation, KeyChoice
from annotation.services.projects import member_add
from tests.e2e.annotation.desk import (
    DOG,
    HEAVY,
    LARGE,
    SAVES,
    TEXTS,
    TWELVE,
    Desk,
    intercept,
    label_button,
    labelled,
    live,
    names,
    of,
    option,
    press,
    runs,
    saved,
    shows,
)
from tests.e2e.conftest import LogIn, LooksRight
from tests.factories import UserFactory

LEFT = "Shift+ArrowLeft"


@pytest.mark.parametrize(
    ("keys", "presses"),
    [
        # large, dog, barks; distance, then "the" and "in" before it; cars; accept.
        (("q", "w", "o", "e", ",", ",", "t", "a"), 8),
        # The run selected; each shift is a press.
        (("q", "w", "o", LEFT, LEFT, "e", "t", "a"), 10),
    ],
)
def test_twelve_words_with_five_spans_take_eight_presses_of_keys(
    work: Page, keys: tuple[str, ...], presses: int
) -> None:
    press(work, *keys)
    assert (work.evaluate("window.presses"), len(TWELVE.split())) == (presses, 12)
    shows(work, "heavy")
    saved(work)
    kept = of(TWELVE)
    assert runs(kept) == [
        ("large", "WHO_WHAT_PROPERTY"),
        ("dog", "WHO"),
        ("barks", "HOW"),
        ("in the distance", "WHERE"),
        ("cars", "WHAT"),
    ]
    assert (kept.answer, kept.version, kept.counts) == ("accept", 1, True)
    assert kept.seconds is not None


def test_labels_are_given_by_digits_changed_as_wholes_and_taken_off(work: Page) -> None:
    press(work, "2", "1", "4", "0", "Shift+Digit2", "a")
    saved(work)
    digits = ["WHO_WHAT_PROPERTY", "WHO", "HOW", "SOUND_PROPERTY", "OTHER"]
    assert [label for _, label in runs(of(TWELVE))] == digits
    press(work, "q", "w", "o", "e", ",", ",")
    option(work, "a, Where, word 2 of 3").click()
    press(work, "n")
    shows(work, "on, When, word 1 of 3", "metal, When, word 3 of 3")
    press(work, "Home", "-")
    shows(work, "heavy")
    # Words of another span that a span grows over are named.
    press(work, "Home", "q", "Home", ".")
    expect(live(work)).to_contain_text("Takes 1 word from Who")
    press(work, "Control+z", "a")
    saved(work)
    whole = [("rain", "WHO"), ("falls", "HOW"), ("on a metal", "WHEN")]
    assert runs(of(TEXTS[1])) == [("heavy", "WHO_WHAT_PROPERTY"), *whole]


def test_spans_of_one_label_side_by_side_are_told_apart_by_their_names(work: Page) -> None:
    press(work, "Home", "w", "Home", "ArrowRight", "w", "End", "w")
    told = names(work)
    assert told[:3] == ["a, Who, word 1 of 1", "large, Who, word 1 of 1", "dog"]
    assert told[-1] == "by, Who"
    press(work, "Control+z", "Control+z", "Control+z", "Home", "Shift+ArrowRight", "w", "Home")
    press(work, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "w")
    two = [f"{word}, Who, word {1 + at % 2} of 2" for at, word in enumerate(TWELVE.split()[:4])]
    assert names(work)[:4] == two


def test_undo_and_redo_go_back_across_captions(work: Page) -> None:
    press(work, "q", "w", "a")
    shows(work, "heavy")
    press(work, "r", "Control+z")
    shows(work, "heavy")
    press(work, "Control+z")
    shows(work, DOG)
    expect(work.get_by_text("Accepted before")).to_be_visible()
    press(work, "Control+z", "Control+z")
    shows(work, "large")
    # Forward again: two labels, the answer, and the label on the caption after it.
    press(work, "Control+Shift+z", "Control+y")
    shows(work, DOG)
    press(work, "Control+Shift+z")
    shows(work, "heavy")
    press(work, "Control+Shift+z")
    shows(work, HEAVY)
    saved(work)
    kept = of(TWELVE)
    assert runs(kept) == [("large", "WHO_WHAT_PROPERTY"), ("dog", "WHO")]
    assert kept.version == 1, "the same answer again is no change"


@contextmanager
def held(page: Page, *keys: str, times: int) -> Iterator[None]:
    """Hold keys down, the last of which repeats, until the block ends."""
    *first, last = keys
    for key in first:
        page.keyboard.down(key)
    for _ in range(times):
        page.keyboard.down(last)
    yield
    for key in keys:
        page.keyboard.up(key)


def test_a_held_key_does_no_more_than_one_caption_asks_for(work: Page) -> None:
    with held(work, "a", times=6):
        pass
    saved(work)
    assert Annotation.objects.count() == 1
    # Undo stops where the caption began, until it is pressed anew.
    press(work, "r", "w")
    with held(work, "Control", "z", times=6):
        shows(work, "heavy")
        expect(labelled(work)).to_have_count(0)
        expect(live(work)).to_contain_text("where the caption began")
        work.keyboard.up("z")
        work.keyboard.down("z")
        shows(work, "large")
    press(work, "q", "a", "Backspace", "Control+z")
    shows(work, "large")
    with held(work, "Control", "y", times=4):
        shows(work, LARGE)
        work.keyboard.up("y")
        work.keyboard.down("y")
        shows(work, "heavy")


def test_back_changes_answers_of_this_sitting_and_of_earlier_ones(work: Page, desk: Desk) -> None:
    press(work, "x")
    shows(work, "heavy")
    press(work, "Delete")
    expect(work.get_by_text("Rejected before")).to_be_visible()
    press(work, "q", "f", "a")
    shows(work, "heavy")
    press(work, "Space")
    shows(work, "several")
    saved(work)
    kept = of(TWELVE)
    assert (kept.answer, kept.flagged, kept.version) == ("accept", True, 2)
    assert of(TEXTS[1]).answer == "ignore"
    desk.open()
    press(work, "Backspace")
    shows(work, "heavy")
    press(work, "Backspace")
    shows(work, LARGE)
    press(work, "Backspace")
    expect(work.get_by_role("status").filter(has_text="no earlier caption")).to_be_attached()
    # After a reload it begins with what waits to be sent.
    intercept(work, SAVES, lambda route: route.abort())
    desk.open()
    press(work, "q", "a", "r", "a")
    desk.open()
    press(work, "Backspace", "Backspace")
    shows(work, "several, Property of who or what")
    intercept(work, "**/api/v1/**", lambda route: route.abort())
    press(work, "Backspace")
    expect(live(work)).to_contain_text("The server cannot be reached, so it is not known whether")


def test_keys_do_nothing_while_someone_writes_a_comment(work: Page) -> None:
    press(work, "c")
    work.keyboard.type("a dog, or an axe?")
    press(work, "Escape", "w", "a")
    saved(work)
    kept = of(TWELVE)
    assert (kept.comment, runs(kept)) == ("a dog, or an axe?", [("large", "WHO")])


def sheet_of(page: Page) -> Locator:
    press(page, "?")
    return page.get_by_role("dialog", name="Keys")


def test_the_sheet_of_keys_says_in_view_what_became_of_both_however_low_the_window_is(
    work: Page, looks_right: LooksRight
) -> None:
    sheet = sheet_of(work)
    looks_right()
    work.set_viewport_size({"width": 1000, "height": 420})
    said = sheet.get_by_role("status")
    sheet.get_by_role("button", name="Play or pause the sound").focus()
    press(work, "Enter")
    expect(said).to_contain_text("Press the new key")
    expect(said).to_be_in_viewport(ratio=1)
    press(work, "x")
    expect(said).to_contain_text("Play or pause the sound: x.")
    expect(said).to_contain_text("Reject: the caption is not fit to be labelled: p.")
    # Who goes on with tab leaves the key as it is.
    press(work, "Enter", "Tab", "Enter")
    expect(said).to_contain_text("Press the new key for Play the sound from its start")


def change_who(page: Page) -> None:
    sheet = sheet_of(page)
    sheet.get_by_role("button", name="w Who", exact=True).click()
    press(page, "g")
    expect(sheet.get_by_role("button", name="g Who", exact=True)).to_be_focused()
    press(page, "Escape")


def test_changed_keys_follow_the_person_and_nobody_else_until_they_are_reset(
    work: Page, desk: Desk, log_in: LogIn, second: Page
) -> None:
    intercept(work, "**/keys", lambda route: route.abort())
    change_who(work)
    press(work, "g")
    shows(work, "large, Who")
    assert not KeyChoice.objects.exists()
    # Changed while the server was away, they are sent later, and forgotten a moment after.
    work.unroute("**/keys")
    with work.expect_response("**/keys"):
        desk.open()
    assert KeyChoice.objects.get().keys == {"label:WHO": "g"}
    work.wait_for_function("Object.keys(localStorage).every((key) => !key.includes('keys'))")
    # The next person on the same browser has keys of their own.
    bob = UserFactory.create(username="bob")
    member_add(project=desk.project, user=bob)
    log_in(bob)
    desk.open()
    press(work, "w")
    shows(work, "large, Who")
    # And the first has theirs on another machine.
    log_in(desk.user, second.context)
    desk.open(second)
    press(second, "g")
    shows(second, "large, Who")
    sheet_of(second)
    with second.expect_response("**/keys"):
        second.get_by_role("button", name="Reset all keys").click()
    assert KeyChoice.objects.get(user=desk.user).keys == {}


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
