"""Suggestions on the labelling page: seen as such, taken by key and pointer, undone, kept apart."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Project, Suggestion
from annotation.services.projects import member_add
from annotation.spans import span_of
from leaderboard.models import User
from tests.annotation.conftest import NOW, make_project
from tests.e2e.annotation.desk import (
    DOG,
    LARGE,
    TEXTS,
    TWELVE,
    Desk,
    labelled,
    least_height,
    live,
    of,
    option,
    part,
    press,
    runs,
    saved,
    shows,
    text,
)
from tests.e2e.conftest import LooksRight

MARK = "suggester@0badcafe"
# What is right for the twelve words, as the tests of keys have it.
RIGHT = ((1, 1, "WHO_WHAT_PROPERTY"), (2, 2, "WHO"), (3, 3, "HOW"), (4, 6, "WHERE"), (9, 9, "WHAT"))
TAKEN = [(" ".join(TWELVE.split()[first : last + 1]), label) for first, last, label in RIGHT]
SUGGESTED_DOG = "dog, suggested: Who, 90% sure"
WEAK = "in, suggested: Where, 69% sure, weak, word 1 of 3"
STYLE = "bar => getComputedStyle(bar).borderBlockEndStyle"


def suggest(project: Project, weak: tuple[str, ...] = ()) -> None:
    """Store the right suggestions for the first caption; those of ``weak`` labels at 69.4 %."""
    item = project.items.get(text=TWELVE)
    spans = [
        span_of(first, last, label, item.tokens) | {"confidence": 0.694 if label in weak else 0.9}
        for first, last, label in RIGHT
    ]
    Suggestion.objects.create(item=item, identity=MARK, spans=spans, made_at=NOW)


@pytest.fixture
def project(ann: User) -> Project:
    """Captions that go to one person each, the first with suggestions."""
    made = make_project(texts=TEXTS, share=0, suggest=True)
    member_add(project=made, user=ann)
    suggest(made)
    return made


def is_saved(page: Page, *places: int) -> None:
    """Accept: the right labels at these places of the list are stored, and known as taken."""
    press(page, "a")
    saved(page)
    assert runs(of(TWELVE)) == [TAKEN[place] for place in places]
    assert taken() == [RIGHT[place] for place in places]


def taken() -> list[tuple[int, int, str]]:
    rows: list[dict[str, Any]] = of(TWELVE).extra.get("taken", [])
    assert {row["labeller"] for row in rows} <= {MARK}
    return [(row["token_start"], row["token_end"], row["label"]) for row in rows]


def test_a_caption_with_right_suggestions_takes_two_presses_of_keys(work: Page) -> None:
    """Without suggestions the same labels take eight (test_keyboard); the server may be away."""
    work.context.set_offline(True)
    press(work, "l", "a")
    assert work.evaluate("window.presses") == 2
    shows(work, "heavy")
    work.context.set_offline(False)
    saved(work)
    assert (runs(of(TWELVE)), taken()) == (TAKEN, list(RIGHT))


def test_each_is_taken_by_a_key_undone_in_one_step_and_outlives_a_reload(
    work: Page, desk: Desk
) -> None:
    # The cursor is on "large"; then on to "barks" over "dog", which stays without a label.
    press(work, "s", "ArrowRight", "s")
    shows(work, LARGE, "barks, How")
    work.reload()
    shows(work, LARGE, "barks, How")
    press(work, "Control+z")
    shows(work, "barks, suggested: How, 90% sure")
    press(work, "l")
    shows(work, "cars, What")
    press(work, "Control+z")
    shows(work, LARGE, SUGGESTED_DOG)
    press(work, "Control+z")
    expect(labelled(work)).to_have_count(0)
    press(work, "Control+y")
    is_saved(work, 0)
    # From the server again, in a later sitting: what was taken is still known as taken.
    desk.open()
    press(work, "Backspace")
    shows(work, LARGE)
    press(work, "f")
    is_saved(work, 0)
    assert of(TWELVE).version == 2


def test_what_is_changed_after_it_was_taken_is_a_persons_own(work: Page) -> None:
    press(work, "l")
    option(work, DOG).click()
    press(work, "t", "a")
    saved(work)
    assert ("dog", "WHAT") in runs(of(TWELVE))
    assert taken() == [row for row in RIGHT if row[2] != "WHO"]
    # Taken off and labelled by hand, the same label is no suggestion's any more.
    press(work, "Backspace", "Home", "ArrowRight", "-", "Home", "ArrowRight", "q", "a")
    saved(work)
    assert TAKEN[0] in runs(of(TWELVE))
    assert taken() == [row for row in RIGHT if row[2] in {"HOW", "WHERE", "WHAT"}]


def test_by_pointer_a_suggestion_is_selected_whole_and_taken(work: Page) -> None:
    option(work, "the, suggested: Where, 90% sure, word 2 of 3").click()
    work.get_by_role("button", name="Take this one").click()
    shows(work, "in, Where, word 1 of 3")
    expect(work.get_by_text(f"4 suggestions by {MARK}")).to_be_visible()
    work.get_by_role("button", name="Take all").click()
    expect(work.get_by_text("No suggestion left")).to_be_visible()
    expect(work.get_by_role("button", name="Take all")).to_be_disabled()
    is_saved(work, *range(5))


@pytest.fixture
def weak_page(project: Project, desk: Desk) -> Page:
    """The first caption with two weak suggestions of five."""
    Suggestion.objects.all().delete()
    suggest(project, weak=("WHERE", "WHAT"))
    return desk.open()


def test_suggestions_are_told_from_labels_and_weak_ones_apart_without_colour_and_aloud(
    weak_page: Page, looks_right: LooksRight
) -> None:
    weak, strong = option(weak_page, WEAK), option(weak_page, SUGGESTED_DOG)
    expect(strong).to_have_attribute("title", "Suggested: Who, 90% sure")
    expect(weak.locator(".word__tag")).to_have_text("Where? 69%")
    expect(strong.locator(".word__tag")).to_have_text("Who? 90%")
    assert weak.locator(".word__bar").evaluate(STYLE) == "dotted"
    assert strong.locator(".word__bar").evaluate(STYLE) == "dashed"
    expect(part(weak_page, "suggested-text")).to_have_text(
        f"5 suggestions by {MARK}, 2 of them weak: below 70%"
    )
    press(weak_page, "s")
    expect(live(weak_page)).to_have_text("Taken. large: Property of who or what")
    label = option(weak_page, LARGE)
    assert label.locator(".word__bar").evaluate(STYLE) == "none"
    expect(label).not_to_have_attribute("title", "Suggested: Property of who or what, 90% sure")
    looks_right()
    weak_page.set_viewport_size({"width": 390, "height": 844})
    assert least_height(weak_page, ".session__suggested .button") >= 44
    # The project says from where a suggestion is strong.
    Project.objects.update(suggestion_threshold=0.69)
    weak_page.reload()
    shows(weak_page, "cars, suggested: What, 69% sure")


def test_taking_all_takes_the_strong_and_goes_from_weak_to_weak(weak_page: Page) -> None:
    """Each weak one costs a look and a press; none is taken with the others."""
    work = weak_page
    work.get_by_role("button", name="Take all strong").click()
    work.get_by_role("button", name="Next weak one").click()
    work.get_by_role("button", name="Take this one").click()
    shows(work, "cars, What")
    press(work, "Control+z", "Control+z")
    expect(labelled(work)).to_have_count(0)
    press(work, "Home", "l")
    expect(labelled(work)).to_have_count(3)
    expect(live(work)).to_contain_text("Weak suggestion. in the distance: Where, 69% sure")
    selected = work.locator("[aria-selected=true] .word__text")
    expect(selected).to_have_text(["in", "the", "distance"])
    press(work, "l")
    expect(selected).to_have_text(["cars"])
    press(work, "l")
    expect(selected).to_have_text(["in", "the", "distance"])
    expect(labelled(work)).to_have_count(3)
    # A letter labels the whole that was suggested; the other one is taken.
    press(work, "n", "l", "s", "a")
    saved(work)
    assert runs(of(TWELVE)) == [*TAKEN[:3], ("in the distance", "WHEN"), TAKEN[4]]
    assert taken() == [*RIGHT[:3], RIGHT[4]]


def test_captions_that_measure_agreement_show_none_and_their_keys_do_nothing(desk: Desk) -> None:
    """Not in what the page fetched either, though rows stand in the table."""
    made = make_project(texts=TEXTS, share=1, copies=2, suggest=True)
    member_add(project=made, user=desk.user)
    suggest(made)
    page = desk.page
    with page.expect_response("**/tasks") as answer:
        Desk(page, made, desk.user).open()
    assert text(page) == TWELVE
    press(page, "s", "l")
    expect(page.locator(".word.is-labelled, .word.is-suggested")).to_have_count(0)
    expect(page.get_by_role("button", name="Take all")).to_be_hidden()
    assert MARK not in page.content() + answer.value.text()
