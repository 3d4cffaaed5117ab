"""Labelling by keyboard: few presses, undo, changed keys."""

from collections.abc import Callable
from dataclasses import replace

from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, KeyChoice, Project, Scheme
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.e2e.annotation.labelling.labelling_page import (
    SAVES,
    TEXTS,
    TWELVE,
    of,
    open_labelling_page,
    option,
    press,
    runs,
    saved,
)
from tests.e2e.conftest import LogIn
from tests.factories import UserFactory

Axe = Callable[[], list[str]]


def test_twelve_words_with_five_spans_take_eight_presses_of_keys(labelling_page: Page) -> None:
    # large, dog, barks; distance, then "the" and "in" before it; cars; accept.
    assert len(TWELVE.split()) == 12
    press(labelling_page, "q", "w", "o", "e", ",", ",", "t", "a")
    assert labelling_page.evaluate("window.presses") == 8
    expect(option(labelling_page, "heavy")).to_be_visible()
    saved(labelling_page)
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


def test_a_run_selected_with_shift_takes_twelve_presses_at_most(labelling_page: Page) -> None:
    press(labelling_page, "q", "w", "o")
    labelling_page.keyboard.down("Shift")
    press(labelling_page, "ArrowLeft", "ArrowLeft")
    labelling_page.keyboard.up("Shift")
    press(labelling_page, "e", "t", "a")
    assert labelling_page.evaluate("window.presses") == 9
    saved(labelling_page)
    assert ("in the distance", "WHERE") in runs(of(TWELVE))


def test_digits_label_in_the_order_of_the_scheme(labelling_page: Page) -> None:
    press(labelling_page, "2", "1", "4", "0", "Shift+Digit2", "a")
    saved(labelling_page)
    assert [label for _, label in runs(of(TWELVE))] == [
        "WHO_WHAT_PROPERTY",
        "WHO",
        "HOW",
        "SOUND_PROPERTY",
        "OTHER",
    ]


def test_a_label_on_a_labelled_word_relabels_the_whole_span(labelling_page: Page) -> None:
    press(labelling_page, "q", "w", "o", "e", ",", ",")
    option(labelling_page, "the, Where, word 2 of 3").click()
    press(labelling_page, "n")
    expect(option(labelling_page, "in, When, word 1 of 3")).to_be_visible()
    press(labelling_page, "Home", "ArrowRight", "-")
    expect(option(labelling_page, "large")).to_be_visible()
    press(labelling_page, "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == [("dog", "WHO"), ("barks", "HOW"), ("in the distance", "WHEN")]


def test_undo_and_redo_go_back_across_captions(labelling_page: Page) -> None:
    press(labelling_page, "q", "w", "a")
    expect(option(labelling_page, "heavy")).to_be_visible()
    press(labelling_page, "r", "Control+z")
    expect(option(labelling_page, "heavy")).to_be_visible()
    press(labelling_page, "Control+z")
    expect(option(labelling_page, "dog, Who")).to_be_visible()
    expect(labelling_page.get_by_text("Accepted before")).to_be_visible()
    press(labelling_page, "Control+z", "Control+z")
    expect(option(labelling_page, "large")).to_be_visible()
    # Forward again: two labels, the answer, and the label on the caption after it.
    press(labelling_page, "Control+Shift+z", "Control+y")
    expect(option(labelling_page, "dog, Who")).to_be_visible()
    press(labelling_page, "Control+Shift+z")
    expect(option(labelling_page, "heavy")).to_be_visible()
    press(labelling_page, "Control+Shift+z")
    expect(option(labelling_page, "heavy, Sound property")).to_be_visible()
    saved(labelling_page)
    kept = of(TWELVE)
    assert runs(kept) == [("large", "WHO_WHAT_PROPERTY"), ("dog", "WHO")]
    assert kept.version == 1, "the same answer again is no change"


def test_backspace_goes_back_to_change_an_answer(labelling_page: Page) -> None:
    press(labelling_page, "x")
    expect(option(labelling_page, "heavy")).to_be_visible()
    press(labelling_page, "Space")
    expect(option(labelling_page, "several")).to_be_visible()
    press(labelling_page, "Backspace", "Delete")
    expect(labelling_page.get_by_text("Rejected before")).to_be_visible()
    press(labelling_page, "q", "f", "a")
    saved(labelling_page)
    kept = of(TWELVE)
    assert (kept.answer, kept.flagged, kept.version) == ("accept", True, 2)
    assert Annotation.objects.get(item__text=TEXTS[1]).answer == "ignore"


def test_back_goes_on_into_the_answers_of_an_earlier_sitting(
    labelling_page: Page, live_server: LiveServer, project: Project
) -> None:
    press(labelling_page, "q", "a", "r", "a")
    saved(labelling_page)
    open_labelling_page(labelling_page, live_server, project)
    press(labelling_page, "Backspace")
    expect(option(labelling_page, "heavy, Sound property")).to_be_visible()
    press(labelling_page, "Backspace")
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()
    press(labelling_page, "Backspace")
    expect(
        labelling_page.get_by_role("status").filter(has_text="no earlier caption")
    ).to_be_attached()


def test_back_after_a_reload_begins_with_what_waits_to_be_sent(
    labelling_page: Page, live_server: LiveServer, project: Project, complaints: list[str]
) -> None:
    labelling_page.route(SAVES, lambda route: route.abort())
    press(labelling_page, "q", "a", "r", "a")
    open_labelling_page(labelling_page, live_server, project)
    press(labelling_page, "Backspace")
    expect(option(labelling_page, "heavy, Sound property")).to_be_visible()
    press(labelling_page, "Backspace")
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()
    labelling_page.route("**/api/v1/**", lambda route: route.abort())
    press(labelling_page, "Backspace")
    live = labelling_page.locator("[data-part=live]")
    expect(live).to_contain_text("The server cannot be reached, so it is not known whether")
    complaints.clear()


def test_a_held_key_does_not_accept_caption_after_caption(labelling_page: Page) -> None:
    labelling_page.keyboard.down("a")
    for _ in range(5):
        labelling_page.keyboard.down("a")
    labelling_page.keyboard.up("a")
    saved(labelling_page)
    assert Annotation.objects.count() == 1


def test_keys_do_nothing_while_someone_writes_a_comment(labelling_page: Page) -> None:
    press(labelling_page, "c")
    labelling_page.keyboard.type("a dog, or an axe?")
    press(labelling_page, "Escape", "w", "a")
    saved(labelling_page)
    kept = of(TWELVE)
    assert (kept.comment, runs(kept)) == ("a dog, or an axe?", [("large", "WHO")])


def test_keys_can_be_changed_and_stay_changed(
    labelling_page: Page, live_server: LiveServer, project: Project
) -> None:
    press(labelling_page, "?")
    sheet = labelling_page.get_by_role("dialog", name="Keys")
    sheet.get_by_role("button", name="w Who", exact=True).click()
    press(labelling_page, "g")
    expect(sheet.get_by_role("button", name="g Who", exact=True)).to_be_focused()
    press(labelling_page, "Escape")
    open_labelling_page(labelling_page, live_server, project)
    press(labelling_page, "g")
    expect(option(labelling_page, "large, Who")).to_be_visible()
    press(labelling_page, "w")
    expect(option(labelling_page, "dog")).to_be_visible()


def test_the_sheet_of_keys_has_labels_answers_and_moves_apart(
    labelling_page: Page, axe: Axe
) -> None:
    press(labelling_page, "?")
    sheet = labelling_page.get_by_role("dialog", name="Keys")
    for group, key, fixed in (
        ("Labels", "w Who", "Redo"),
        ("Labels", "w Who", "Labels 1 to 10, with shift 11 to 12"),
        ("Answers", "a Accept and go on", "Save now"),
        ("Moves", "k Next word that is not a function word", "First and last word"),
        ("Sound", "y Play the sound from its start", None),
        ("Help", "? All keys", None),
    ):
        region = sheet.get_by_role("region", name=group, exact=True)
        expect(region.get_by_role("button", name=key, exact=True)).to_be_visible()
        expect(sheet.get_by_role("button", name=key, exact=True)).to_have_count(1)
        if fixed:
            expect(region.get_by_role("definition").get_by_text(fixed)).to_be_visible()
    for scheme in ("light", "dark"):
        labelling_page.emulate_media(color_scheme=scheme)
        assert axe() == []


def test_the_sheet_is_right_for_a_scheme_of_three_labels_of_which_one_has_a_key_of_the_page(
    page: Page, live_server: LiveServer, ann: User, project: Project, log_in: LogIn
) -> None:
    """Schemes from before may have keys of the page: commands come first, then labels."""
    who, what, how = (row for row in project.scheme.inventory if row.name in {"WHO", "WHAT", "HOW"})
    labels = (who, replace(what, key="p"), replace(how, key="y"))
    Scheme.objects.filter(pk=project.scheme_id).update(labels=[row.to_json() for row in labels])
    log_in(ann)
    open_labelling_page(page, live_server, project)
    press(page, "?")
    sheet = page.get_by_role("dialog", name="Keys")
    expect(sheet.get_by_text("Labels 1 to 3, in their order")).to_be_visible()
    for name in ("none What", "p Play or pause the sound", "y How"):
        expect(sheet.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(sheet.get_by_role("button", name="none Play the sound from its start")).to_be_visible()
    press(page, "?", "y")
    expect(option(page, "large, How")).to_be_visible()
    press(page, "2")
    expect(option(page, "dog, What")).to_be_visible()


def change_who(page: Page) -> None:
    press(page, "?")
    sheet = page.get_by_role("dialog", name="Keys")
    sheet.get_by_role("button", name="w Who", exact=True).click()
    press(page, "g")
    expect(sheet.get_by_role("button", name="g Who", exact=True)).to_be_focused()
    press(page, "Escape")


def test_changed_keys_follow_the_person_to_another_machine_until_they_are_reset(
    labelling_page: Page, live_server: LiveServer, project: Project, ann: User, browser: Browser
) -> None:
    with labelling_page.expect_response("**/keys"):
        change_who(labelling_page)
    elsewhere = browser.new_context()
    cookie = next(one for one in labelling_page.context.cookies() if one["name"] == "sessionid")
    elsewhere.add_cookies([{"name": "sessionid", "value": cookie["value"], "url": live_server.url}])
    page = elsewhere.new_page()
    open_labelling_page(page, live_server, project)
    press(page, "g")
    expect(option(page, "large, Who")).to_be_visible()
    press(page, "?")
    with page.expect_response("**/keys"):
        page.get_by_role("button", name="Reset all keys").click()
    elsewhere.close()
    open_labelling_page(labelling_page, live_server, project)
    press(labelling_page, "w")
    expect(option(labelling_page, "large, Who")).to_be_visible()
    assert KeyChoice.objects.get(user=ann).keys == {}


def test_keys_of_one_person_are_not_those_of_the_next_on_the_same_browser(
    labelling_page: Page, live_server: LiveServer, project: Project, log_in: LogIn
) -> None:
    with labelling_page.expect_response("**/keys"):
        change_who(labelling_page)
    bob = UserFactory.create(username="bob")
    member_add(project=project, user=bob)
    log_in(bob)
    open_labelling_page(labelling_page, live_server, project)
    press(labelling_page, "w")
    expect(option(labelling_page, "large, Who")).to_be_visible()


def test_keys_changed_while_the_server_is_away_are_sent_later(
    labelling_page: Page, live_server: LiveServer, project: Project, complaints: list[str]
) -> None:
    labelling_page.route("**/keys", lambda route: route.abort())
    change_who(labelling_page)
    press(labelling_page, "g")
    expect(option(labelling_page, "large, Who")).to_be_visible()
    assert not KeyChoice.objects.exists()
    labelling_page.unroute("**/keys")
    with labelling_page.expect_response("**/keys"):
        open_labelling_page(labelling_page, live_server, project)
    assert KeyChoice.objects.get().keys == {"label:WHO": "g"}
    # Forgotten a moment after the answer has come.
    labelling_page.wait_for_function(
        "Object.keys(localStorage).every((key) => !key.includes('keys'))"
    )
    complaints.clear()


def test_a_held_undo_stops_where_the_caption_begins(labelling_page: Page) -> None:
    press(labelling_page, "q", "a")
    saved(labelling_page)
    press(labelling_page, "r", "w")
    labelling_page.keyboard.down("Control")
    for _ in range(6):
        labelling_page.keyboard.down("z")
    expect(option(labelling_page, "heavy")).to_be_visible()
    expect(labelling_page.locator(".word.is-labelled")).to_have_count(0)
    expect(labelling_page.locator("[data-part=live]")).to_contain_text("where the caption began")
    labelling_page.keyboard.up("z")
    labelling_page.keyboard.down("z")
    labelling_page.keyboard.up("Control")
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()


def test_a_held_redo_accepts_nothing_anew(labelling_page: Page) -> None:
    press(labelling_page, "q", "a")
    saved(labelling_page)
    press(labelling_page, "Backspace", "Control+z")
    labelling_page.keyboard.down("Control")
    for _ in range(4):
        labelling_page.keyboard.down("y")
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()
    labelling_page.keyboard.up("y")
    labelling_page.keyboard.down("y")
    labelling_page.keyboard.up("Control")
    expect(option(labelling_page, "heavy")).to_be_visible()


def test_two_spans_of_one_label_side_by_side_are_told_apart_by_their_names(
    labelling_page: Page,
) -> None:
    press(labelling_page, "Home", "Shift+ArrowRight", "w", "ArrowRight", "Home")
    press(labelling_page, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "w")
    names = labelling_page.get_by_role("option").evaluate_all(
        "all => all.map(one => one.ariaLabel)"
    )
    assert names[:4] == [
        "a, Who, word 1 of 2",
        "large, Who, word 2 of 2",
        "dog, Who, word 1 of 2",
        "barks, Who, word 2 of 2",
    ]


def test_one_word_spans_of_one_label_side_by_side_say_that_each_is_whole(
    labelling_page: Page,
) -> None:
    press(labelling_page, "Home", "w", "Home", "ArrowRight", "w")
    press(labelling_page, "End", "w")
    names = labelling_page.get_by_role("option").evaluate_all(
        "all => all.map(one => one.ariaLabel)"
    )
    assert names[:3] == ["a, Who, word 1 of 1", "large, Who, word 1 of 1", "dog"]
    assert names[-1] == "by, Who"
