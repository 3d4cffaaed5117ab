"""Labelling by keyboard: few presses, undo, changed keys."""

from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, KeyChoice, Project
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.e2e.conftest import LogIn
from tests.e2e.labelling.bench import (
    TEXTS,
    TWELVE,
    of,
    open_bench,
    option,
    press,
    runs,
    saved,
)
from tests.factories import UserFactory

Axe = Callable[[], list[str]]


def test_twelve_words_with_five_spans_take_eight_presses_of_keys(bench: Page) -> None:
    # large, dog, barks; distance, then "the" and "in" before it; cars; accept.
    assert len(TWELVE.split()) == 12
    press(bench, "q", "w", "o", "e", ",", ",", "t", "a")
    assert bench.evaluate("window.presses") == 8
    expect(option(bench, "heavy")).to_be_visible()
    saved(bench)
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


def test_a_run_selected_with_shift_takes_twelve_presses_at_most(bench: Page) -> None:
    press(bench, "q", "w", "o")
    bench.keyboard.down("Shift")
    press(bench, "ArrowLeft", "ArrowLeft")
    bench.keyboard.up("Shift")
    press(bench, "e", "t", "a")
    assert bench.evaluate("window.presses") == 9
    saved(bench)
    assert ("in the distance", "WHERE") in runs(of(TWELVE))


def test_digits_label_in_the_order_of_the_scheme(bench: Page) -> None:
    press(bench, "2", "1", "4", "0", "Shift+Digit2", "a")
    saved(bench)
    assert [label for _, label in runs(of(TWELVE))] == [
        "WHO_WHAT_PROPERTY",
        "WHO",
        "HOW",
        "SOUND_PROPERTY",
        "OTHER",
    ]


def test_a_label_on_a_labelled_word_relabels_the_whole_span(bench: Page) -> None:
    press(bench, "q", "w", "o", "e", ",", ",")
    option(bench, "the, Where, word 2 of 3").click()
    press(bench, "n")
    expect(option(bench, "in, When, word 1 of 3")).to_be_visible()
    press(bench, "Home", "ArrowRight", "-")
    expect(option(bench, "large")).to_be_visible()
    press(bench, "a")
    saved(bench)
    assert runs(of(TWELVE)) == [("dog", "WHO"), ("barks", "HOW"), ("in the distance", "WHEN")]


def test_undo_and_redo_go_back_across_captions(bench: Page) -> None:
    press(bench, "q", "w", "a")
    expect(option(bench, "heavy")).to_be_visible()
    press(bench, "r", "Control+z")
    expect(option(bench, "heavy")).to_be_visible()
    press(bench, "Control+z")
    expect(option(bench, "dog, Who")).to_be_visible()
    expect(bench.get_by_text("Accepted before")).to_be_visible()
    press(bench, "Control+z", "Control+z")
    expect(option(bench, "large")).to_be_visible()
    # Forward again: two labels, the answer, and the label on the caption after it.
    press(bench, "Control+Shift+z", "Control+y")
    expect(option(bench, "dog, Who")).to_be_visible()
    press(bench, "Control+Shift+z")
    expect(option(bench, "heavy")).to_be_visible()
    press(bench, "Control+Shift+z")
    expect(option(bench, "heavy, Sound property")).to_be_visible()
    saved(bench)
    kept = of(TWELVE)
    assert runs(kept) == [("large", "WHO_WHAT_PROPERTY"), ("dog", "WHO")]
    assert kept.version == 1, "the same answer again is no change"


def test_backspace_goes_back_to_change_an_answer(bench: Page) -> None:
    press(bench, "x")
    expect(option(bench, "heavy")).to_be_visible()
    press(bench, "Space")
    expect(option(bench, "several")).to_be_visible()
    press(bench, "Backspace", "Delete")
    expect(bench.get_by_text("Rejected before")).to_be_visible()
    press(bench, "q", "f", "a")
    saved(bench)
    kept = of(TWELVE)
    assert (kept.answer, kept.flagged, kept.version) == ("accept", True, 2)
    assert Annotation.objects.get(item__text=TEXTS[1]).answer == "ignore"


def test_back_goes_on_into_the_answers_of_an_earlier_sitting(
    bench: Page, live_server: LiveServer, project: Project
) -> None:
    press(bench, "q", "a", "r", "a")
    saved(bench)
    open_bench(bench, live_server, project)
    press(bench, "Backspace")
    expect(option(bench, "heavy, Sound property")).to_be_visible()
    press(bench, "Backspace")
    expect(option(bench, "large, Property of who or what")).to_be_visible()
    press(bench, "Backspace")
    expect(bench.get_by_role("status").filter(has_text="no earlier caption")).to_be_attached()


def test_a_held_key_does_not_accept_caption_after_caption(bench: Page) -> None:
    bench.keyboard.down("a")
    for _ in range(5):
        bench.keyboard.down("a")
    bench.keyboard.up("a")
    saved(bench)
    assert Annotation.objects.count() == 1


def test_keys_do_nothing_while_someone_writes_a_comment(bench: Page) -> None:
    press(bench, "c")
    bench.keyboard.type("a dog, or an axe?")
    press(bench, "Escape", "w", "a")
    saved(bench)
    kept = of(TWELVE)
    assert (kept.comment, runs(kept)) == ("a dog, or an axe?", [("large", "WHO")])


def test_keys_can_be_changed_and_stay_changed(
    bench: Page, live_server: LiveServer, project: Project
) -> None:
    press(bench, "?")
    sheet = bench.get_by_role("dialog", name="Keys")
    sheet.get_by_role("button", name="w Who", exact=True).click()
    press(bench, "g")
    expect(sheet.get_by_role("button", name="g Who", exact=True)).to_be_focused()
    press(bench, "Escape")
    open_bench(bench, live_server, project)
    press(bench, "g")
    expect(option(bench, "large, Who")).to_be_visible()
    press(bench, "w")
    expect(option(bench, "dog")).to_be_visible()


def change_who(page: Page) -> None:
    press(page, "?")
    sheet = page.get_by_role("dialog", name="Keys")
    sheet.get_by_role("button", name="w Who", exact=True).click()
    press(page, "g")
    expect(sheet.get_by_role("button", name="g Who", exact=True)).to_be_focused()
    press(page, "Escape")


def test_changed_keys_follow_the_person_to_another_machine_until_they_are_reset(
    bench: Page, live_server: LiveServer, project: Project, ann: User, browser: Browser
) -> None:
    with bench.expect_response("**/keys"):
        change_who(bench)
    elsewhere = browser.new_context()
    cookie = next(one for one in bench.context.cookies() if one["name"] == "sessionid")
    elsewhere.add_cookies([{"name": "sessionid", "value": cookie["value"], "url": live_server.url}])
    page = elsewhere.new_page()
    open_bench(page, live_server, project)
    press(page, "g")
    expect(option(page, "large, Who")).to_be_visible()
    press(page, "?")
    with page.expect_response("**/keys"):
        page.get_by_role("button", name="Back to the keys of the scheme").click()
    elsewhere.close()
    open_bench(bench, live_server, project)
    press(bench, "w")
    expect(option(bench, "large, Who")).to_be_visible()
    assert KeyChoice.objects.get(user=ann).keys == {}


def test_keys_of_one_person_are_not_those_of_the_next_on_the_same_browser(
    bench: Page, live_server: LiveServer, project: Project, log_in: LogIn
) -> None:
    with bench.expect_response("**/keys"):
        change_who(bench)
    bob = UserFactory.create(username="bob")
    member_add(project=project, user=bob)
    log_in(bob)
    open_bench(bench, live_server, project)
    press(bench, "w")
    expect(option(bench, "large, Who")).to_be_visible()


def test_keys_changed_while_the_server_is_away_are_sent_later(
    bench: Page, live_server: LiveServer, project: Project, complaints: list[str]
) -> None:
    bench.route("**/keys", lambda route: route.abort())
    change_who(bench)
    press(bench, "g")
    expect(option(bench, "large, Who")).to_be_visible()
    assert not KeyChoice.objects.exists()
    bench.unroute("**/keys")
    with bench.expect_response("**/keys"):
        open_bench(bench, live_server, project)
    assert KeyChoice.objects.get().keys == {"label:WHO": "g"}
    assert bench.evaluate("Object.keys(localStorage).filter((key) => key.includes('keys'))") == []
    complaints.clear()


def test_a_held_undo_stops_where_the_caption_begins(bench: Page) -> None:
    press(bench, "q", "a")
    saved(bench)
    press(bench, "r", "w")
    bench.keyboard.down("Control")
    for _ in range(6):
        bench.keyboard.down("z")
    expect(option(bench, "heavy")).to_be_visible()
    expect(bench.locator(".word.is-labelled")).to_have_count(0)
    bench.keyboard.up("z")
    bench.keyboard.down("z")
    bench.keyboard.up("Control")
    expect(option(bench, "large, Property of who or what")).to_be_visible()


def test_a_held_redo_accepts_nothing_anew(bench: Page) -> None:
    press(bench, "q", "a")
    saved(bench)
    press(bench, "Backspace", "Control+z")
    bench.keyboard.down("Control")
    for _ in range(4):
        bench.keyboard.down("y")
    expect(option(bench, "large, Property of who or what")).to_be_visible()
    bench.keyboard.up("y")
    bench.keyboard.down("y")
    bench.keyboard.up("Control")
    expect(option(bench, "heavy")).to_be_visible()


def test_two_spans_of_one_label_side_by_side_are_told_apart_by_their_names(bench: Page) -> None:
    press(bench, "Home", "Shift+ArrowRight", "w", "ArrowRight", "Home")
    press(bench, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "w")
    names = bench.get_by_role("option").evaluate_all("all => all.map(one => one.ariaLabel)")
    assert names[:4] == [
        "a, Who, word 1 of 2",
        "large, Who, word 2 of 2",
        "dog, Who, word 1 of 2",
        "barks, Who, word 2 of 2",
    ]
