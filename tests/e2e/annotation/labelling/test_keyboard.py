"""Labelling by keyboard: few presses, undo, what a held key does, changed keys."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Annotation, KeyChoice, Scheme
from annotation.services.projects import member_add
from tests.e2e.annotation.desk import (
    DOG,
    HEAVY,
    LARGE,
    SAVES,
    TEXTS,
    TWELVE,
    Desk,
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
from tests.e2e.conftest import LogIn, LooksRight, enter
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


def test_back_changes_answers_of_this_sitting_and_of_earlier_ones(
    work: Page, desk: Desk, complaints: list[str]
) -> None:
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
    work.route(SAVES, lambda route: route.abort())
    desk.open()
    press(work, "q", "a", "r", "a")
    desk.open()
    press(work, "Backspace", "Backspace")
    shows(work, "several, Property of who or what")
    work.route("**/api/v1/**", lambda route: route.abort())
    press(work, "Backspace")
    expect(live(work)).to_contain_text("The server cannot be reached, so it is not known whether")
    complaints.clear()


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


def test_the_sheet_of_keys_has_labels_answers_and_moves_apart(
    work: Page, looks_right: LooksRight
) -> None:
    sheet = sheet_of(work)
    for group, key, fixed in (
        ("Labels", "w Who", "Labels 1 to 10, with shift 11 to 12"),
        ("Answers", "a Accept and go on", "Save now"),
        ("Moves", "k Next word that is not a function word", "First and last word"),
        ("Sound", "y Play the sound from its start", None),
        ("Help", "? All keys", None),
    ):
        region = sheet.get_by_role("region", name=group, exact=True)
        expect(region.get_by_role("button", name=key, exact=True)).to_be_visible()
        if fixed:
            expect(region.get_by_role("definition").get_by_text(fixed)).to_be_visible()
    looks_right()
    # It says in view what became of both keys, however low the window is.
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


def test_the_sheet_is_right_for_a_scheme_of_three_labels_of_which_one_has_a_key_of_the_page(
    desk: Desk,
) -> None:
    """Schemes from before may have keys of the page: commands come first, then labels."""
    scheme = desk.project.scheme
    who, what, how = (row for row in scheme.inventory if row.name in {"WHO", "WHAT", "HOW"})
    labels = (who, replace(what, key="p"), replace(how, key="y"))
    Scheme.objects.filter(pk=scheme.pk).update(labels=[row.to_json() for row in labels])
    page = desk.open()
    sheet = sheet_of(page)
    expect(sheet.get_by_text("Labels 1 to 3, in their order")).to_be_visible()
    for name in ("none What", "p Play or pause the sound", "y How"):
        expect(sheet.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(sheet.get_by_role("button", name="none Play the sound from its start")).to_be_visible()
    press(page, "?", "y")
    shows(page, "large, How")
    press(page, "2")
    shows(page, "dog, What")


def change_who(page: Page) -> None:
    sheet = sheet_of(page)
    sheet.get_by_role("button", name="w Who", exact=True).click()
    press(page, "g")
    expect(sheet.get_by_role("button", name="g Who", exact=True)).to_be_focused()
    press(page, "Escape")


def test_changed_keys_follow_the_person_and_nobody_else_until_they_are_reset(
    work: Page, desk: Desk, log_in: LogIn, second: Page, complaints: list[str]
) -> None:
    work.route("**/keys", lambda route: route.abort())
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
    enter(second.context, desk.site, desk.user)
    desk.open(second)
    press(second, "g")
    shows(second, "large, Who")
    sheet_of(second)
    with second.expect_response("**/keys"):
        second.get_by_role("button", name="Reset all keys").click()
    assert KeyChoice.objects.get(user=desk.user).keys == {}
    complaints.clear()
