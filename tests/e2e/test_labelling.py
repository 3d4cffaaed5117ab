"""Labelling, in a real browser: hands, and nothing lost."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Item, Place, Project, Revision
from annotation.services.annotations import Change, annotation_save
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import NOW, make_project
from tests.e2e.conftest import LogIn
from tests.factories import PASSWORD, UserFactory

Axe = Callable[[], list[str]]

# Twelve words. Labelled: large, dog, barks, "in the distance", cars.
TWELVE = "a large dog barks in the distance as the cars pass by"
TEXTS = (
    TWELVE,
    "heavy rain falls on a metal roof",
    "several people talk while a train passes",
    "a door slams shut",
    "birds sing in the morning",
    "a man whistles , then claps twice",
    "an engine idles",
    "water drips into a bucket",
)
# Every key that goes down counts, shift and control too.
COUNT = "window.presses = 0; addEventListener('keydown', () => { window.presses += 1; }, true);"
SAVES = re.compile(r"/items/\d+/annotation$")


@pytest.fixture
def ann(transactional_db: None) -> User:
    return UserFactory.create(username="ann")


@pytest.fixture
def project(ann: User) -> Project:
    made = make_project(texts=TEXTS, copies=2)
    member_add(project=made, user=ann)
    return made


@pytest.fixture
def bench(page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn) -> Page:
    """The labelling page, with the first caption in hand."""
    page.add_init_script(COUNT)
    log_in(ann)
    open_bench(page, live_server, project)
    return page


def open_bench(page: Page, server: LiveServer, project: Project) -> None:
    page.goto(f"{server.url}/annotate/{project.slug}/")
    expect(page.get_by_role("option").first).to_be_visible()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def option(page: Page, name: str) -> Locator:
    return page.get_by_role("option", name=name, exact=True)


def text(page: Page) -> str:
    words = page.get_by_role("option").locator(".word__text").all_text_contents()
    return " ".join(words)


def saved(page: Page) -> None:
    expect(page.locator("[data-part=saving]")).to_have_text("Saved")


def runs(annotation: Annotation) -> list[tuple[str, str]]:
    words = annotation.item.words
    spans: list[dict[str, Any]] = annotation.spans
    return [
        (" ".join(words[span["token_start"] : span["token_end"] + 1]), span["label"])
        for span in spans
    ]


def of(caption: str) -> Annotation:
    return Annotation.objects.get(item__text=caption)


# -- hands -------------------------------------------------------------------------------


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
    option(bench, "the, Where").click()
    press(bench, "n")
    expect(option(bench, "in, When")).to_be_visible()
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


# -- pointer -----------------------------------------------------------------------------


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + 15


def drag(page: Page, start: str, end: str, *, let_go: bool = True) -> None:
    page.mouse.move(*middle(option(page, start)))
    page.mouse.down()
    page.mouse.move(*middle(option(page, end)), steps=4)
    if let_go:
        page.mouse.up()


def test_an_armed_label_goes_where_the_pointer_clicks_and_comes_off_again(bench: Page) -> None:
    who = bench.get_by_role("group", name="Labels").get_by_role("button", name="Who", exact=False)
    who.first.click()
    expect(who.first).to_have_attribute("aria-pressed", "true")
    press(bench, "Escape")
    expect(who.first).to_have_attribute("aria-pressed", "false")
    who.first.click()
    option(bench, "dog").click()
    option(bench, "cars").click()
    expect(option(bench, "dog, Who")).to_be_visible()
    option(bench, "cars, Who").click()
    expect(option(bench, "cars")).to_be_visible()
    bench.get_by_role("button", name="o How", exact=True).click()
    option(bench, "dog, Who").click()
    expect(option(bench, "dog, How")).to_be_visible()
    bench.get_by_role("button", name="Accept").click()
    saved(bench)
    assert runs(of(TWELVE)) == [("dog", "HOW")]


def test_a_drag_shows_what_it_would_do_and_takes_only_the_words_that_it_covers(
    bench: Page,
) -> None:
    press(bench, "q", "w", "o", "e", ",", ",", "t")
    bench.get_by_role("button", name="n When", exact=True).click()
    drag(bench, "the, Where", "as", let_go=False)
    expect(bench.get_by_text("Takes 2 words from Where")).to_be_visible()
    expect(option(bench, "distance, When")).to_be_visible()
    bench.mouse.up()
    names = bench.get_by_role("option").evaluate_all("all => all.map(one => one.ariaLabel)")
    assert names == [
        "a",
        "large, Property of who or what",
        "dog, Who",
        "barks, How",
        "in, Where",
        "the, When",
        "distance, When",
        "as, When",
        "the",
        "cars, What",
        "pass",
        "by",
    ]
    press(bench, "Control+z")
    expect(option(bench, "distance, Where")).to_be_visible()


def test_escape_lets_a_drag_go_without_doing_it(bench: Page) -> None:
    bench.get_by_role("button", name="n When", exact=True).click()
    drag(bench, "dog", "in", let_go=False)
    press(bench, "Escape")
    bench.mouse.up()
    expect(bench.locator(".word.is-labelled")).to_have_count(0)


def test_words_chosen_with_the_pointer_take_the_label_whose_button_is_pressed(bench: Page) -> None:
    drag(bench, "in", "distance")
    bench.get_by_role("button", name="e Where", exact=True).click()
    expect(option(bench, "distance, Where")).to_be_visible()
    expect(bench.locator("[data-label][aria-pressed=true]")).to_have_count(0)


# -- nothing lost ------------------------------------------------------------------------


def test_what_is_labelled_while_the_server_is_away_arrives_once(
    bench: Page, complaints: list[str]
) -> None:
    """Half of the requests are cut after the server has done what they ask."""
    away = True
    number = 0

    def answer(route: Route) -> None:
        nonlocal number
        number += 1
        if not away:
            route.continue_()
        elif number % 2:
            route.abort("connectionrefused")
        else:
            route.fetch()
            route.abort("connectionreset")

    bench.route("**/api/v1/**", answer)
    for _ in range(5):
        before = text(bench)
        press(bench, "r", "a")
        assert text(bench) != before, "the next caption does not wait for the network"
    expect(bench.locator("[data-part=saving]")).to_contain_text("Not saved yet: ")
    away = False
    press(bench, "Control+s")
    saved(bench)
    rows = Annotation.objects.order_by("item__position")
    assert [row.item.text for row in rows] == list(TEXTS[:5])
    assert {row.version for row in rows} == {1}
    assert Revision.objects.count() == 5
    complaints.clear()


def test_a_page_that_is_closed_in_the_middle_of_a_caption_has_its_labels_on_return(
    bench: Page, live_server: LiveServer, project: Project, context: BrowserContext
) -> None:
    press(bench, "q", "w", "f", "c")
    bench.keyboard.type("odd")
    bench.close()
    again = context.new_page()
    open_bench(again, live_server, project)
    expect(option(again, "dog, Who")).to_be_visible()
    expect(again.get_by_label("Comment")).to_have_value("odd")
    expect(again.get_by_text("Flagged", exact=True)).to_be_visible()
    press(again, "a")
    saved(again)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY"), ("dog", "WHO")]


@pytest.mark.parametrize("store", ["indexedDB", "localStorage"])
def test_answers_that_had_not_arrived_when_the_page_was_closed_arrive_on_return(  # noqa: PLR0917
    page: Page,
    live_server: LiveServer,
    project: Project,
    ann: User,
    log_in: LogIn,
    context: BrowserContext,
    complaints: list[str],
    store: str,
) -> None:
    if store == "localStorage":
        gone = "Object.defineProperty(window, 'indexedDB', {value: undefined})"
        context.add_init_script(gone)
    # Killed: the page has no chance to send what it has while it goes.
    page.add_init_script("addEventListener('pagehide', (e) => e.stopImmediatePropagation())")
    log_in(ann)
    open_bench(page, live_server, project)
    context.route(SAVES, lambda route: route.abort())
    press(page, "q", "a", "r", "a")
    expect(page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 2")
    page.close()
    context.unroute(SAVES)
    assert not Annotation.objects.exists()
    again = context.new_page()
    open_bench(again, live_server, project)
    expect(option(again, "several")).to_be_visible()
    saved(again)
    assert [runs(row) for row in Annotation.objects.order_by("item__position")] == [
        [("large", "WHO_WHAT_PROPERTY")],
        [("heavy", "SOUND_PROPERTY")],
    ]
    complaints.clear()


def log_in_by_form(page: Page, user: User) -> None:
    page.locator("input[name=login]").fill(user.username)
    page.locator("input[name=password]").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Log in").click()


def test_a_session_that_ended_leads_to_the_log_in_and_nothing_is_lost(
    bench: Page, ann: User, context: BrowserContext, complaints: list[str]
) -> None:
    context.clear_cookies(name="sessionid")
    press(bench, "q", "a", "r")
    expect(bench.get_by_role("alert")).to_contain_text("You are logged out.")
    expect(bench.locator("[data-part=saving]")).to_have_text("Not saved yet: 1")
    assert not Annotation.objects.exists()
    bench.get_by_role("link", name="Log in again").click()
    log_in_by_form(bench, ann)
    expect(option(bench, "heavy, Sound property")).to_be_visible()
    saved(bench)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    complaints.clear()


def test_a_page_whose_cookie_for_changes_is_gone_gets_another(
    bench: Page, context: BrowserContext, complaints: list[str]
) -> None:
    context.clear_cookies(name="csrftoken")
    press(bench, "q", "a")
    saved(bench)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    complaints.clear()


def test_what_one_person_left_is_never_sent_as_another(
    bench: Page,
    live_server: LiveServer,
    project: Project,
    log_in: LogIn,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    bob = UserFactory.create(username="bob")
    member_add(project=project, user=bob)
    log_in(bob)
    press(bench, "q", "a")
    expect(bench.get_by_role("alert")).to_contain_text("bob is logged in now.")
    assert "/accounts/logout/" in (
        bench.get_by_role("link", name="Log in again").get_attribute("href") or ""
    )
    other = context.new_page()
    open_bench(other, live_server, project)
    saved(other)
    expect(other.locator(".word.is-labelled")).to_have_count(0)
    assert not Annotation.objects.exists()
    complaints.clear()


def test_of_two_windows_that_changed_one_caption_a_person_chooses(
    bench: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
    axe: Axe,
) -> None:
    other = context.new_page()
    open_bench(other, live_server, project)
    press(other, "q", "w", "a")
    saved(other)
    press(bench, "t", "a")
    expect(bench.get_by_text("A caption was changed in another window")).to_be_visible()
    bench.get_by_role("button", name="Look at both").click()
    sheet = bench.get_by_role("dialog")
    expect(sheet.get_by_text("large: What", exact=True)).to_be_visible()
    expect(sheet.get_by_text("dog: Who", exact=True)).to_be_visible()
    assert axe() == []
    sheet.get_by_role("region", name="From this window").get_by_role("button").click()
    saved(bench)
    kept = of(TWELVE)
    assert (kept.version, runs(kept)) == (2, [("large", "WHAT")])
    # And the other way round: what the other window saved stays.
    press(other, "Backspace", "f", "a")
    expect(other.get_by_text("A caption was changed in another window")).to_be_visible()
    other.get_by_role("button", name="Look at both").click()
    other.get_by_role("region", name="Saved by the other").get_by_role("button").click()
    saved(other)
    assert of(TWELVE).version == 2
    press(other, "Backspace")
    expect(option(other, "large, What")).to_be_visible()
    complaints.clear()


def test_a_caption_that_went_to_others_meanwhile_is_saved_all_the_same(
    bench: Page, project: Project
) -> None:
    press(bench, "q")
    Place.objects.filter(project=project).update(user=None, expires_at=None)
    for user in UserFactory.create_batch(2):
        member_add(project=project, user=user)
        item = project.items.get(text=TWELVE)
        annotation_save(item=item, user=user, change=Change("by-another", 0, []), now=NOW)
    press(bench, "a")
    saved(bench)
    kept = Annotation.objects.get(item__text=TWELVE, user__username="ann")
    assert (runs(kept), kept.counts) == ([("large", "WHO_WHAT_PROPERTY")], False)


def test_after_a_long_pause_captions_that_went_to_others_do_not_come(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    page.clock.install()
    log_in(ann)
    open_bench(page, live_server, project)
    gone = project.items.get(text=TEXTS[1])
    gone.places.all().delete()
    page.clock.fast_forward("20:00")
    with page.expect_response("**/tasks"):
        page.evaluate("window.dispatchEvent(new Event('focus'))")
    press(page, "a")
    expect(option(page, "several")).to_be_visible()


def test_what_one_window_has_answered_does_not_come_in_the_other(
    bench: Page, live_server: LiveServer, project: Project, context: BrowserContext
) -> None:
    other = context.new_page()
    open_bench(other, live_server, project)
    press(other, "a", "a")
    saved(other)
    press(bench, "x")
    expect(option(bench, "several")).to_be_visible()


def test_what_the_server_refuses_is_kept_and_shown(
    bench: Page, project: Project, complaints: list[str]
) -> None:
    Item.objects.filter(project=project, text=TWELVE).delete()
    press(bench, "q", "a", "r", "a")
    expect(bench.get_by_text(f'Not saved: "{TWELVE}"')).to_be_visible()
    expect(bench.locator("[data-part=saving]")).to_have_text("Not saved yet: 1")
    assert Annotation.objects.get().item.text == TEXTS[1]
    bench.get_by_role("button", name="Open again").click()
    expect(option(bench, "large, Property of who or what")).to_be_visible()
    complaints.clear()


# -- captions at hand --------------------------------------------------------------------


def test_six_captions_are_at_hand_and_the_end_is_said(bench: Page) -> None:
    for _ in TEXTS:
        press(bench, "a")
    expect(bench.get_by_text("Everything is done or with others.")).to_be_visible()
    saved(bench)
    expect(bench.locator("[data-part=left]")).to_have_text("0")
    expect(bench.locator("[data-part=today]")).to_have_text(str(len(TEXTS)))
    assert Annotation.objects.count() == len(TEXTS)
    # Nothing is in hand, and the answers can still be gone back to.
    press(bench, "a", "Backspace")
    expect(option(bench, "bucket")).to_be_visible()


def test_an_answer_is_opened_again_from_the_list(
    bench: Page, live_server: LiveServer, project: Project, axe: Axe
) -> None:
    press(bench, "q", "a")
    saved(bench)
    bench.get_by_role("link", name="Your answers").click()
    assert axe() == []
    bench.get_by_role("link", name="Open again").click()
    expect(option(bench, "large, Property of who or what")).to_be_visible()
    press(bench, "o", "a")
    saved(bench)
    assert (of(TWELVE).version, Annotation.objects.count()) == (2, 1)


def test_a_screen_reader_hears_words_labels_and_what_changes(bench: Page, axe: Axe) -> None:
    words = bench.get_by_role("listbox", name="Words of the caption")
    expect(words).to_be_focused()
    expect(words).to_have_attribute("aria-multiselectable", "true")
    expect(words).to_have_attribute("aria-activedescendant", "word-1")
    expect(option(bench, "large")).to_have_attribute("aria-selected", "true")
    press(bench, "q")
    live = bench.locator("[data-part=live]")
    expect(live).to_have_text("large: Property of who or what")
    expect(option(bench, "large, Property of who or what")).to_have_attribute(
        "aria-selected", "false"
    )
    press(bench, "a")
    expect(live).to_have_text(f"Accepted. Next: {TEXTS[1]}")
    assert axe() == []
    press(bench, "?")
    assert axe() == []
    press(bench, "?", "h")
    expect(bench.get_by_role("dialog", name="Guidelines")).to_be_visible()
    assert axe() == []
    press(bench, "h")
    expect(bench.get_by_role("dialog")).to_have_count(0)


def test_targets_are_large_enough_for_fingers(bench: Page) -> None:
    bench.set_viewport_size({"width": 390, "height": 844})
    boxes = bench.locator(".word, .label-button, .bench__actions .button").evaluate_all(
        "all => all.filter((one) => one.checkVisibility())"
        ".map((one) => one.getBoundingClientRect().height)"
    )
    assert min(boxes) >= 44
    assert bench.evaluate("document.documentElement.scrollWidth") <= 390


def test_sound_plays_from_this_site_only(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    first, second = project.items.order_by("position")[:2]
    first.meta = {"audio": "https://elsewhere.example/dog.wav"}
    second.meta = {"audio": "/static/favicon.svg"}
    first.save()
    second.save()
    page.add_init_script("HTMLMediaElement.prototype.play = async () => { window.played = true; }")
    log_in(ann)
    open_bench(page, live_server, project)
    play = page.get_by_role("button", name="Play")
    expect(play).to_be_hidden()
    press(page, "p")
    assert not page.evaluate("window.played")
    press(page, "a")
    expect(play).to_be_visible()
    press(page, "p")
    assert page.evaluate("window.played")


def test_hostile_captions_and_labels_are_text(
    page: Page, live_server: LiveServer, ann: User, log_in: LogIn
) -> None:
    bad = "<img src=x onerror=alert(1)> \u202etxt </script><b>loud</b>"
    made = make_project(texts=(bad, "a dog"))
    member_add(project=made, user=ann)
    scheme = made.scheme
    labels = json.loads(json.dumps(scheme.labels))
    labels[0]["title"] = "<i>Who</i>"
    type(scheme).objects.filter(pk=scheme.pk).update(labels=labels)
    log_in(ann)
    open_bench(page, live_server, made)
    press(page, "w", "a")
    saved(page)
    page.goto(f"{live_server.url}/annotate/{made.slug}/history/")
    expect(page.locator(".answer__text")).to_contain_text("<i>Who</i>")
    assert page.locator("main img, main b, main i").count() == 0
