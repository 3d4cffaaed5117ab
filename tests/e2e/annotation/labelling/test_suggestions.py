"""Suggestions on the labelling page: seen as such, taken by key and pointer, undone, kept apart."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation import tasks
from annotation.models import Order, Project, Role, Suggestion
from annotation.services.projects import member_add
from annotation.spans import span_of
from leaderboard.models import User
from scoring.models.descriptors import find_labeller
from tests.annotation.conftest import NOW, make_project
from tests.e2e.annotation.labelling.labelling_page import (
    COUNT,
    TEXTS,
    TWELVE,
    of,
    open_labelling_page,
    option,
    press,
    runs,
    saved,
    text,
)
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import UserFactory

Axe = Callable[[], list[str]]

MARK = "suggester@0badcafe"
# What is right for the twelve words, as the tests of keys have it.
RIGHT = (
    (1, 1, "WHO_WHAT_PROPERTY"),
    (2, 2, "WHO"),
    (3, 3, "HOW"),
    (4, 6, "WHERE"),
    (9, 9, "WHAT"),
)
TAKEN = [
    ("large", "WHO_WHAT_PROPERTY"),
    ("dog", "WHO"),
    ("barks", "HOW"),
    ("in the distance", "WHERE"),
    ("cars", "WHAT"),
]
DOG = "dog, suggested: Who, 90% sure"


def suggest(project: Project, weak: tuple[str, ...] = ()) -> None:
    """Store the right suggestions for the first caption; those of ``weak`` labels at 69.4 %."""
    item = project.items.get(text=TWELVE)
    spans = [
        {
            **span_of(first, last, label, item.tokens),
            "confidence": 0.694 if label in weak else 0.9,
        }
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


def taken() -> list[tuple[int, int, str]]:
    rows: list[dict[str, Any]] = of(TWELVE).extra.get("taken", [])
    assert {row["labeller"] for row in rows} <= {MARK}
    return [(row["token_start"], row["token_end"], row["label"]) for row in rows]


def test_a_caption_with_right_suggestions_takes_two_presses_of_keys(labelling_page: Page) -> None:
    """Without suggestions the same labels take eight (test_keyboard)."""
    press(labelling_page, "l", "a")
    assert labelling_page.evaluate("window.presses") == 2
    expect(option(labelling_page, "heavy")).to_be_visible()
    saved(labelling_page)
    assert runs(of(TWELVE)) == TAKEN
    assert taken() == list(RIGHT)


def test_one_key_takes_the_suggestion_under_the_cursor(labelling_page: Page) -> None:
    # The cursor is on "large"; then on to "barks" over "dog", which stays without a label.
    press(labelling_page, "s", "ArrowRight", "s", "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == [TAKEN[0], TAKEN[2]]
    assert taken() == [RIGHT[0], RIGHT[2]]


def test_accepting_a_caption_takes_no_suggestion(labelling_page: Page) -> None:
    press(labelling_page, "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == []
    assert "taken" not in of(TWELVE).extra


def test_a_label_that_a_person_set_is_not_overwritten(labelling_page: Page) -> None:
    """Not in part either: of "in the distance" one word has a label, and the rest none."""
    press(labelling_page, "k", "o")
    expect(option(labelling_page, "dog, How")).to_be_visible()
    # The next word that is no function word.
    press(labelling_page, "k", "n")
    expect(option(labelling_page, "distance, When")).to_be_visible()
    expect(option(labelling_page, "the").first).to_be_visible()
    press(labelling_page, "l", "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == [
        TAKEN[0],
        ("dog", "HOW"),
        TAKEN[2],
        ("distance", "WHEN"),
        TAKEN[4],
    ]
    assert taken() == [RIGHT[0], RIGHT[2], RIGHT[4]]


def test_taking_one_and_taking_all_are_one_step_of_undo_each(labelling_page: Page) -> None:
    press(labelling_page, "s", "l")
    expect(option(labelling_page, "cars, What")).to_be_visible()
    press(labelling_page, "Control+z")
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()
    expect(option(labelling_page, DOG)).to_be_visible()
    press(labelling_page, "Control+z")
    expect(labelling_page.locator(".word.is-labelled")).to_have_count(0)
    press(labelling_page, "Control+y", "Control+y", "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == TAKEN
    assert taken() == list(RIGHT)


def test_what_is_changed_after_it_was_taken_is_a_persons_own(labelling_page: Page) -> None:
    press(labelling_page, "l")
    option(labelling_page, "dog, Who").click()
    press(labelling_page, "t", "a")
    saved(labelling_page)
    assert ("dog", "WHAT") in runs(of(TWELVE))
    assert taken() == [row for row in RIGHT if row[2] != "WHO"]
    # Taken off and labelled by hand, the same label is no suggestion's any more.
    press(labelling_page, "Backspace", "Home", "ArrowRight", "-", "Home", "ArrowRight", "q", "a")
    saved(labelling_page)
    assert ("large", "WHO_WHAT_PROPERTY") in runs(of(TWELVE))
    assert taken() == [row for row in RIGHT if row[2] in {"HOW", "WHERE", "WHAT"}]


def test_by_pointer_a_suggestion_is_selected_whole_and_taken(labelling_page: Page) -> None:
    option(labelling_page, "the, suggested: Where, 90% sure, word 2 of 3").click()
    labelling_page.get_by_role("button", name="Take this one").click()
    expect(option(labelling_page, "in, Where, word 1 of 3")).to_be_visible()
    expect(labelling_page.get_by_text(f"4 suggestions by {MARK}")).to_be_visible()
    labelling_page.get_by_role("button", name="Take all").click()
    expect(labelling_page.get_by_text("No suggestion left")).to_be_visible()
    expect(labelling_page.get_by_role("button", name="Take all")).to_be_disabled()
    press(labelling_page, "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == TAKEN


def test_a_word_without_a_suggestion_has_nothing_to_take(labelling_page: Page) -> None:
    press(labelling_page, "End", "s", "s")
    expect(
        labelling_page.get_by_text("There is no suggestion on this word.").first
    ).to_be_attached()
    expect(labelling_page.locator(".word.is-labelled")).to_have_count(0)


def test_what_was_taken_outlives_a_reload_and_can_be_undone_after_it(
    labelling_page: Page, live_server: LiveServer, project: Project
) -> None:
    press(labelling_page, "s")
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()
    labelling_page.reload()
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()
    press(labelling_page, "Control+z")
    expect(
        option(labelling_page, "large, suggested: Property of who or what, 90% sure")
    ).to_be_visible()
    press(labelling_page, "Control+y", "a")
    saved(labelling_page)
    assert taken() == [RIGHT[0]]
    # From the server again, in a later sitting: what was taken is still known as taken.
    open_labelling_page(labelling_page, live_server, project)
    press(labelling_page, "Backspace")
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()
    press(labelling_page, "f", "a")
    saved(labelling_page)
    assert taken() == [RIGHT[0]]
    assert of(TWELVE).version == 2


def test_without_a_server_suggestions_are_taken_and_sent_later(
    labelling_page: Page, complaints: list[str]
) -> None:
    labelling_page.context.set_offline(True)
    press(labelling_page, "l", "a")
    expect(option(labelling_page, "heavy")).to_be_visible()
    labelling_page.context.set_offline(False)
    saved(labelling_page)
    assert runs(of(TWELVE)) == TAKEN
    assert taken() == list(RIGHT)
    complaints.clear()


def test_keys_of_suggestions_are_changed_like_the_others(
    labelling_page: Page, live_server: LiveServer, project: Project
) -> None:
    press(labelling_page, "?")
    sheet = labelling_page.get_by_role("dialog", name="Keys")
    sheet.get_by_role(
        "button", name="l Take all strong suggestions, then go to the next weak one", exact=True
    ).click()
    press(labelling_page, "g")
    expect(sheet.get_by_role("button", name="g Take all strong")).to_be_focused()
    press(labelling_page, "Escape", "l")
    expect(labelling_page.locator(".word.is-labelled")).to_have_count(0)
    press(labelling_page, "g")
    expect(option(labelling_page, "dog, Who")).to_be_visible()


def test_suggestions_are_told_from_labels_without_colour_and_aloud(
    labelling_page: Page, axe: Axe
) -> None:
    word = option(labelling_page, DOG)
    expect(word).to_have_attribute("title", "Suggested: Who, 90% sure")
    expect(word.locator(".word__tag")).to_have_text("Who? 90%")
    style = "one => getComputedStyle(one).borderBottomStyle"
    assert word.locator(".word__bar").evaluate(style) == "dashed"
    press(labelling_page, "s")
    expect(labelling_page.locator("[data-part=live]")).to_have_text(
        "Taken. large: Property of who or what"
    )
    label = option(labelling_page, "large, Property of who or what")
    assert label.locator(".word__bar").evaluate(style) == "none"
    expect(label).not_to_have_attribute("title", "Suggested: Property of who or what, 90% sure")
    for scheme in ("light", "dark"):
        labelling_page.emulate_media(color_scheme=scheme)
        assert axe() == []


WEAK = "in, suggested: Where, 69% sure, weak, word 1 of 3"


@pytest.fixture
def weak_page(labelling_page: Page, project: Project) -> Page:
    """The first caption with two weak suggestions of five."""
    Suggestion.objects.all().delete()
    suggest(project, weak=("WHERE", "WHAT"))
    labelling_page.reload()
    expect(option(labelling_page, WEAK)).to_be_visible()
    return labelling_page


def test_weak_suggestions_are_told_apart_by_number_and_line(weak_page: Page, axe: Axe) -> None:
    weak, strong = option(weak_page, WEAK), option(weak_page, DOG)
    expect(weak.locator(".word__tag")).to_have_text("Where? 69%")
    expect(strong.locator(".word__tag")).to_have_text("Who? 90%")
    style = "bar => getComputedStyle(bar).borderBlockEndStyle"
    assert weak.locator(".word__bar").evaluate(style) == "dotted"
    assert strong.locator(".word__bar").evaluate(style) == "dashed"
    expect(weak_page.locator("[data-part=suggested-text]")).to_have_text(
        f"5 suggestions by {MARK}, 2 of them weak: below 70%"
    )
    for scheme in ("light", "dark"):
        weak_page.emulate_media(color_scheme=scheme)
        assert axe() == []


def test_taking_all_takes_the_strong_and_goes_from_weak_to_weak(weak_page: Page) -> None:
    """Each weak one costs a look and a press; none is taken with the others."""
    live = weak_page.locator("[data-part=live]")
    press(weak_page, "l")
    expect(weak_page.locator(".word.is-labelled")).to_have_count(3)
    expect(live).to_contain_text("Weak suggestion. in the distance: Where, 69% sure")
    selected = weak_page.locator("[aria-selected=true] .word__text")
    expect(selected).to_have_text(["in", "the", "distance"])
    press(weak_page, "l")
    expect(selected).to_have_text(["cars"])
    press(weak_page, "l")
    expect(selected).to_have_text(["in", "the", "distance"])
    expect(weak_page.locator(".word.is-labelled")).to_have_count(3)
    # A letter labels the whole that was suggested; the other one is taken.
    press(weak_page, "n", "l", "s", "a")
    saved(weak_page)
    assert runs(of(TWELVE)) == [*TAKEN[:3], ("in the distance", "WHEN"), TAKEN[4]]
    assert taken() == [*RIGHT[:3], RIGHT[4]]


def test_by_pointer_the_button_says_what_it_does_next(weak_page: Page) -> None:
    weak_page.get_by_role("button", name="Take all strong").click()
    weak_page.get_by_role("button", name="Next weak one").click()
    weak_page.get_by_role("button", name="Take this one").click()
    expect(option(weak_page, "cars, What")).to_be_visible()
    press(weak_page, "Control+z", "Control+z")
    expect(weak_page.locator(".word.is-labelled")).to_have_count(0)


def test_the_project_says_from_where_a_suggestion_is_strong(
    weak_page: Page, project: Project
) -> None:
    Project.objects.filter(pk=project.pk).update(suggestion_threshold=0.69)
    weak_page.reload()
    expect(option(weak_page, "cars, suggested: What, 69% sure")).to_be_visible()
    press(weak_page, "l", "a")
    saved(weak_page)
    assert runs(of(TWELVE)) == TAKEN


def test_buttons_and_words_fit_a_phone(labelling_page: Page) -> None:
    labelling_page.set_viewport_size({"width": 390, "height": 844})
    heights = labelling_page.locator(".session__suggested .button").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
    fits_width(labelling_page)


def test_captions_that_measure_agreement_show_none_and_their_keys_do_nothing(
    page: Page, live_server: LiveServer, ann: User, log_in: LogIn
) -> None:
    """Not in what the page fetched either, though rows stand in the table."""
    made = make_project(texts=TEXTS, share=1, copies=2, suggest=True)
    member_add(project=made, user=ann)
    suggest(made)
    page.add_init_script(COUNT)
    log_in(ann)
    heard: list[str] = []
    page.on(
        "response", lambda answer: heard.append(answer.text()) if "tasks" in answer.url else None
    )
    open_labelling_page(page, live_server, made)
    assert text(page) == TWELVE
    press(page, "s", "l")
    expect(page.locator(".word.is-labelled, .word.is-suggested")).to_have_count(0)
    expect(page.get_by_role("button", name="Take all")).to_be_hidden()
    assert MARK not in page.content()
    assert heard
    assert all(MARK not in answer for answer in heard)


def test_a_manager_turns_suggestions_on_and_reads_who_makes_them(
    page: Page, live_server: LiveServer, project: Project, log_in: LogIn, axe: Axe
) -> None:
    boss = UserFactory.create(username="boss")
    member_add(project=project, user=boss, role=Role.MANAGER)
    Project.objects.update(suggest=False, order=Order.UNCERTAIN)
    log_in(boss)
    page.goto(f"{live_server.url}/annotate/{project.slug}/manage/settings/")
    box = page.get_by_label("Suggest labels")
    expect(box).not_to_be_checked()
    box.check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_label("Suggest labels")).to_be_checked()
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_text(f"By {find_labeller().identity}, for")).to_be_visible()
    expect(page.get_by_text("As given, until")).to_be_visible()
    tasks.items_rank(project.pk)
    tasks.suggestions_make(project.pk)
    page.reload()
    expect(page.get_by_text("Most uncertain first by")).to_be_visible()
    expect(page.get_by_text(f"for {len(TEXTS)} of {len(TEXTS)} open captions")).to_be_visible()
    assert axe() == []
    page.set_viewport_size({"width": 390, "height": 844})
    fits_width(page)
