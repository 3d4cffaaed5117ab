"""Whatever happens to the server, the session or the tab: each answer arrives, and once."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Assignment, Item, Project, Revision
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.e2e.annotation.labelling.labelling_page import (
    SAVES,
    TEXTS,
    TWELVE,
    kept_uncounted,
    of,
    open_labelling_page,
    option,
    press,
    runs,
    saved,
    text,
)
from tests.e2e.conftest import LogIn
from tests.factories import PASSWORD, UserFactory

Axe = Callable[[], list[str]]

# A page that is killed has no chance to send what it has while it goes.
KILLED = "addEventListener('pagehide', (event) => event.stopImmediatePropagation())"


def test_what_is_labelled_while_the_server_is_away_arrives_once(
    labelling_page: Page, complaints: list[str]
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

    labelling_page.route("**/api/v1/**", answer)
    for _ in range(5):
        before = text(labelling_page)
        press(labelling_page, "r", "a")
        assert text(labelling_page) != before, "the next caption does not wait for the network"
    expect(labelling_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: ")
    away = False
    press(labelling_page, "Control+s")
    saved(labelling_page)
    rows = Annotation.objects.order_by("item__position")
    assert [row.item.text for row in rows] == list(TEXTS[:5])
    assert {row.version for row in rows} == {1}
    assert Revision.objects.count() == 5
    complaints.clear()


def test_counts_after_work_without_a_network_are_those_of_the_server(
    labelling_page: Page, complaints: list[str]
) -> None:
    """The captions are counted after all answers have arrived, though asked for before that."""
    labelling_page.route(SAVES, lambda route: route.abort())
    for _ in range(4):
        press(labelling_page, "r", "a")
    expect(labelling_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 4")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    labelling_page.route("**/tasks", hold)
    labelling_page.unroute(SAVES)
    press(labelling_page, "Control+s")
    saved(labelling_page)
    assert held
    for route in held:
        with labelling_page.expect_response("**/tasks"):
            route.continue_()
    labelling_page.wait_for_timeout(300)  # what was heard is shown
    expect(labelling_page.locator("[data-part=today]")).to_have_text("4")
    expect(labelling_page.locator("[data-part=left]")).to_have_text("4")
    complaints.clear()


def test_a_page_that_is_closed_in_the_middle_of_a_caption_has_its_labels_on_return(
    labelling_page: Page, live_server: LiveServer, project: Project, context: BrowserContext
) -> None:
    press(labelling_page, "q", "w", "f", "c")
    labelling_page.keyboard.type("odd")
    labelling_page.close()
    again = context.new_page()
    open_labelling_page(again, live_server, project)
    expect(option(again, "dog, Who")).to_be_visible()
    expect(again.get_by_label("Comment")).to_have_value("odd")
    expect(again.get_by_text("Flagged", exact=True)).to_be_visible()
    press(again, "Control+z", "Control+z")
    expect(option(again, "dog")).to_be_visible()
    press(again, "Control+y", "Control+y")
    expect(option(again, "dog, Who")).to_be_visible()
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
    page.add_init_script(KILLED)
    log_in(ann)
    open_labelling_page(page, live_server, project)
    context.route(SAVES, lambda route: route.abort())
    press(page, "q", "a", "r", "a")
    expect(page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 2")
    page.close()
    context.unroute(SAVES)
    assert not Annotation.objects.exists()
    again = context.new_page()
    open_labelling_page(again, live_server, project)
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
    labelling_page: Page, ann: User, context: BrowserContext, complaints: list[str]
) -> None:
    context.clear_cookies(name="sessionid")
    press(labelling_page, "q", "a", "r")
    expect(labelling_page.get_by_role("alert")).to_contain_text("You are logged out.")
    expect(labelling_page.locator("[data-part=saving]")).to_have_text("Not saved yet: 1")
    assert not Annotation.objects.exists()
    labelling_page.get_by_role("link", name="Log in again").click()
    log_in_by_form(labelling_page, ann)
    expect(option(labelling_page, "heavy, Sound property")).to_be_visible()
    saved(labelling_page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    complaints.clear()


def test_a_page_whose_cookie_for_changes_is_gone_gets_another(
    labelling_page: Page, context: BrowserContext, complaints: list[str]
) -> None:
    context.clear_cookies(name="csrftoken")
    press(labelling_page, "q", "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    complaints.clear()


def test_what_one_person_left_is_never_sent_as_another(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    log_in: LogIn,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    bob = UserFactory.create(username="bob")
    member_add(project=project, user=bob)
    log_in(bob)
    press(labelling_page, "q", "a")
    expect(labelling_page.get_by_role("alert")).to_contain_text("bob is logged in now.")
    assert "/accounts/logout/" in (
        labelling_page.get_by_role("link", name="Log in again").get_attribute("href") or ""
    )
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    saved(other)
    expect(other.locator(".word.is-labelled")).to_have_count(0)
    assert not Annotation.objects.exists()
    # The first window goes on asking, and the browser tells of each refusal.
    labelling_page.close()
    complaints.clear()


def test_of_two_windows_that_changed_one_caption_a_person_chooses(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
    axe: Axe,
) -> None:
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    press(other, "q", "w", "a")
    saved(other)
    press(labelling_page, "t", "a")
    expect(labelling_page.locator("[data-part=conflicts-text]")).to_be_visible()
    labelling_page.get_by_role("button", name="Look at both").click()
    sheet = labelling_page.get_by_role("dialog")
    expect(sheet.get_by_text("large: What", exact=True)).to_be_visible()
    expect(sheet.get_by_text("dog: Who", exact=True)).to_be_visible()
    assert axe() == []
    sheet.get_by_role("region", name="From this window").get_by_role("button").click()
    saved(labelling_page)
    kept = of(TWELVE)
    assert (kept.version, runs(kept)) == (2, [("large", "WHAT")])
    # And the other way round: what the other window saved stays.
    press(other, "Backspace", "f", "a")
    expect(other.locator("[data-part=conflicts-text]")).to_be_visible()
    other.get_by_role("button", name="Look at both").click()
    other.get_by_role("region", name="Saved in the other window").get_by_role("button").click()
    saved(other)
    assert of(TWELVE).version == 2
    press(other, "Backspace")
    expect(option(other, "large, What")).to_be_visible()
    complaints.clear()


def test_a_caption_that_went_to_others_meanwhile_is_saved_all_the_same(
    labelling_page: Page, project: Project
) -> None:
    press(labelling_page, "q")
    Assignment.objects.filter(project=project).update(user=None, expires_at=None)
    for user in UserFactory.create_batch(2):
        member_add(project=project, user=user)
        item = project.items.get(text=TWELVE)
        annotation_save(item=item, user=user, change=AnswerChange("by-another", 0, []), now=NOW)
    press(labelling_page, "a")
    kept_uncounted(labelling_page)
    kept = Annotation.objects.get(item__text=TWELVE, user__username="ann")
    assert (runs(kept), kept.counts) == ([("large", "WHO_WHAT_PROPERTY")], False)


def test_after_a_long_pause_captions_that_went_to_others_do_not_come(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    page.clock.install()
    log_in(ann)
    open_labelling_page(page, live_server, project)
    gone = project.items.get(text=TEXTS[1])
    gone.assignments.all().delete()
    # The computer slept: the page's own clock stood still.
    page.evaluate("performance.now = () => 0")
    page.clock.fast_forward("40:00")
    with page.expect_response("**/tasks"):
        page.evaluate("window.dispatchEvent(new Event('focus'))")
    press(page, "a")
    expect(option(page, "several")).to_be_visible()
    # Nor does a clock that went back keep the server from taking the answer.
    saved(page)


def test_what_one_window_has_answered_does_not_come_in_the_other(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    press(other, "a", "a")
    saved(other)
    press(labelling_page, "x")
    expect(option(labelling_page, "several")).to_be_visible()
    # The caption that was in hand here has two answers now, and the browser tells of the refusal.
    expect(labelling_page.get_by_role("button", name="Look at both")).to_be_visible()
    complaints.clear()


def test_what_the_server_refuses_is_kept_and_shown(
    labelling_page: Page, project: Project, complaints: list[str]
) -> None:
    Item.objects.filter(project=project, text=TWELVE).delete()
    press(labelling_page, "q", "a")
    expect(labelling_page.get_by_text(f'Not saved: "{TWELVE}"')).to_be_visible()
    expect(labelling_page.locator("[data-part=live]")).to_contain_text("Not saved. ")
    with labelling_page.expect_response(SAVES):
        press(labelling_page, "r", "a")
    expect(labelling_page.locator("[data-part=saving]")).to_have_text("Not saved yet: 1")
    assert Annotation.objects.get().item.text == TEXTS[1]
    labelling_page.get_by_role("button", name="Open again").click()
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()
    labelling_page.get_by_role("button", name="Discard").click()
    labelling_page.get_by_role("button", name="Discard it for good").click()
    saved(labelling_page)
    complaints.clear()


def test_captions_come_as_soon_as_the_server_is_back(
    page: Page,
    live_server: LiveServer,
    project: Project,
    ann: User,
    log_in: LogIn,
    complaints: list[str],
) -> None:
    log_in(ann)
    page.route("**/tasks", lambda route: route.abort())
    page.goto(f"{live_server.url}/annotate/{project.slug}/")
    expect(page.get_by_text("The next captions come as soon as it answers.")).to_be_visible()
    press(page, "q", "a", "-", ".", "Control+z")
    page.unroute("**/tasks")
    expect(option(page, "large")).to_be_visible()
    expect(page.get_by_role("listbox")).to_be_focused()
    complaints.clear()


def test_a_browser_that_keeps_nothing_says_so_and_saves_all_the_same(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    full = "() => { throw new DOMException('full', 'QuotaExceededError'); }"
    page.add_init_script(
        f"Storage.prototype.setItem = {full}; IDBObjectStore.prototype.put = {full}"
    )
    log_in(ann)
    open_labelling_page(page, live_server, project)
    press(page, "q", "a")
    expect(page.locator("[data-part=saving]")).to_have_text(
        "Saved. This browser cannot keep what is not saved yet."
    )
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]


def test_leftovers_that_cannot_be_read_stop_nothing(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    ann: User,
    complaints: list[str],
) -> None:
    owner = f"earmark-labelling/{ann.pk}/{project.slug}"
    record = f'{{"owner":"{ann.pk}/{project.slug}","kind":"draft","item":1,"at":1,"tab":"t"}}'
    labelling_page.evaluate(
        "([owner, record]) => { localStorage.setItem(`${owner}/t/1/draft`, record);"
        " localStorage.setItem(`${owner}/t/2/draft`, '{'); }",
        [owner, record],
    )
    open_labelling_page(labelling_page, live_server, project)
    press(labelling_page, "q", "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    complaints.clear()


def test_what_arrives_while_captions_are_fetched_does_not_come_again(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    """The server hands out what it has not heard of, and hears of it before its answer is read."""
    labelling_page.add_init_script(KILLED)
    open_labelling_page(labelling_page, live_server, project)
    context.route(SAVES, lambda route: route.abort())
    press(labelling_page, "q", "a")
    expect(labelling_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 1")
    labelling_page.close()
    again = context.new_page()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    again.route("**/tasks", hold)
    again.goto(f"{live_server.url}/annotate/{project.slug}/")
    while not held:
        again.wait_for_timeout(50)
    told = held[0].fetch()
    context.unroute(SAVES)
    press(again, "Control+s")
    saved(again)
    held[0].fulfill(response=told)
    expect(option(again, "heavy")).to_be_visible()
    complaints.clear()
