"""Labelling by pointer: armed labels, drags, and that no gesture takes more than it covers."""

from collections.abc import Callable

from django.test import Client
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from leaderboard.models import User
from tests.e2e.annotation.labelling.labelling_page import (
    TWELVE,
    of,
    open_labelling_page,
    option,
    press,
    runs,
    saved,
)

Axe = Callable[[], list[str]]


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


def test_an_armed_label_goes_where_the_pointer_clicks_and_comes_off_again(
    labelling_page: Page,
) -> None:
    who = labelling_page.get_by_role("group", name="Labels").get_by_role(
        "button", name="Who", exact=False
    )
    who.first.click()
    expect(who.first).to_have_attribute("aria-pressed", "true")
    press(labelling_page, "Escape")
    expect(who.first).to_have_attribute("aria-pressed", "false")
    who.first.click()
    option(labelling_page, "cars").click()
    option(labelling_page, "dog").click()
    expect(option(labelling_page, "dog, Who")).to_be_visible()
    option(labelling_page, "cars, Who").click()
    expect(option(labelling_page, "cars")).to_be_visible()
    labelling_page.get_by_role("button", name="o How", exact=True).click()
    option(labelling_page, "dog, Who").click()
    expect(option(labelling_page, "dog, How")).to_be_visible()
    labelling_page.get_by_role("button", name="Accept").click()
    saved(labelling_page)
    assert runs(of(TWELVE)) == [("dog", "HOW")]


def test_a_double_click_labels_a_word_and_does_not_take_the_label_off_again(
    labelling_page: Page,
) -> None:
    labels = labelling_page.get_by_role("group", name="Labels")
    labels.get_by_role("button", name="Who", exact=False).first.click()
    option(labelling_page, "dog").dblclick()
    option(labelling_page, "cars").click()
    expect(option(labelling_page, "cars, Who")).to_be_visible()
    expect(option(labelling_page, "dog, Who")).to_be_visible()


def test_a_drag_shows_what_it_would_do_and_takes_only_the_words_that_it_covers(
    labelling_page: Page,
) -> None:
    press(labelling_page, "q", "w", "o", "e", ",", ",", "t")
    labelling_page.get_by_role("button", name="n When", exact=True).click()
    drag(labelling_page, "the, Where, word 2 of 3", "as", let_go=False)
    expect(labelling_page.get_by_text("Takes 2 words from Where")).to_be_visible()
    expect(option(labelling_page, "distance, When, word 2 of 3")).to_be_visible()
    labelling_page.mouse.up()
    names = labelling_page.get_by_role("option").evaluate_all(
        "all => all.map(one => one.ariaLabel)"
    )
    assert names == [
        "a",
        "large, Property of who or what",
        "dog, Who",
        "barks, How",
        "in, Where",
        "the, When, word 1 of 3",
        "distance, When, word 2 of 3",
        "as, When, word 3 of 3",
        "the",
        "cars, What",
        "pass",
        "by",
    ]
    press(labelling_page, "Control+z")
    expect(option(labelling_page, "distance, Where, word 3 of 3")).to_be_visible()


def test_escape_lets_a_drag_go_without_doing_it(labelling_page: Page) -> None:
    labelling_page.get_by_role("button", name="n When", exact=True).click()
    drag(labelling_page, "dog", "in", let_go=False)
    press(labelling_page, "Escape")
    labelling_page.mouse.up()
    expect(labelling_page.locator(".word.is-labelled")).to_have_count(0)


def test_words_chosen_with_the_pointer_take_the_label_whose_button_is_pressed(
    labelling_page: Page,
) -> None:
    drag(labelling_page, "in", "distance")
    labelling_page.get_by_role("button", name="e Where", exact=True).click()
    expect(option(labelling_page, "distance, Where, word 3 of 3")).to_be_visible()
    expect(labelling_page.locator("[data-label][aria-pressed=true]")).to_have_count(0)


def test_fingers_label_words(
    browser: Browser, live_server: LiveServer, project: Project, ann: User, client: Client
) -> None:
    client.force_login(ann)
    context = browser.new_context(has_touch=True, viewport={"width": 390, "height": 844})
    cookie = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    page = context.new_page()
    open_labelling_page(page, live_server, project)
    page.locator("[data-label=WHO]").tap()
    option(page, "dog").tap()
    page.locator("[data-label=HOW]").tap()
    option(page, "barks").tap()
    page.get_by_role("button", name="Accept").tap()
    saved(page)
    context.close()
    assert runs(of(TWELVE)) == [("dog", "WHO"), ("barks", "HOW")]
