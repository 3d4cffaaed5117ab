"""Whatever happens to the server, the session, the browser or the tab: each answer arrives, once.

Nor does what comes late, is refused or overtaken change what hands meant.
"""

import pytest
from playwright.sync_api import Page, Route, expect

from annotation.models import Annotation, Assignment, Item, Project, Revision
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.projects import member_add
from tests.annotation.conftest import NOW
from tests.e2e.annotation.desk import (
    DOG,
    HEAVY,
    KILLED,
    LARGE,
    SAVES,
    TEXTS,
    TWELVE,
    Desk,
    held_until,
    hold,
    intercept,
    labelled,
    let_through,
    live,
    of,
    part,
    press,
    runs,
    saved,
    saving,
    shows,
    text,
    unsaved,
)
from tests.e2e.conftest import LogIn
from tests.factories import PASSWORD, UserFactory

ONE = [("large", "WHO_WHAT_PROPERTY")]


def one_is_saved(page: Page) -> None:
    """Label "large" and accept: it arrives."""
    press(page, "q", "a")
    saved(page)
    assert runs(of(TWELVE)) == ONE


def test_what_is_labelled_while_the_server_is_away_arrives_once(work: Page) -> None:
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

    intercept(work, "**/api/v1/**", answer)
    for _ in range(5):
        before = text(work)
        press(work, "r", "a")
        assert text(work) != before, "the next caption does not wait for the network"
    expect(saving(work)).to_contain_text("Not saved yet: ")
    away = False
    press(work, "Control+s")
    saved(work)
    rows = Annotation.objects.order_by("item__position")
    assert [row.item.text for row in rows] == list(TEXTS[:5])
    assert {row.version for row in rows} == {1}
    assert Revision.objects.count() == 5


def test_counts_after_work_without_a_network_are_those_of_the_server(work: Page) -> None:
    """The captions are counted after all answers have arrived, though asked for before that."""
    intercept(work, SAVES, lambda route: route.abort())
    for count in range(1, 5):
        press(work, "r", "a")
        unsaved(work, count)
        expect(part(work, "today")).to_have_text("0")
    held = hold(work, "**/tasks")
    work.unroute(SAVES)
    press(work, "Control+s")
    saved(work)
    assert held
    for route in held:
        let_through(work, "**/tasks", route)
    expect(part(work, "left")).to_have_text("4")
    expect(part(work, "today")).to_have_text("4")


def test_a_page_that_is_closed_in_the_middle_of_a_caption_has_its_labels_on_return(
    work: Page, desk: Desk
) -> None:
    press(work, "q", "w", "f", "c")
    work.keyboard.type("odd")
    work.close()
    again = desk.window()
    shows(again, DOG)
    expect(again.get_by_label("Comment")).to_have_value("odd")
    expect(again.get_by_text("Flagged", exact=True)).to_be_visible()
    press(again, "Control+z", "Control+z")
    shows(again, "dog")
    press(again, "Control+y", "Control+y")
    shows(again, DOG)
    press(again, "a")
    saved(again)
    assert runs(of(TWELVE)) == [*ONE, ("dog", "WHO")]


@pytest.mark.parametrize("store", ["indexedDB", "localStorage"])
def test_answers_that_had_not_arrived_when_the_page_was_closed_arrive_on_return(
    desk: Desk, store: str
) -> None:
    gone = "Object.defineProperty(window, 'indexedDB', {value: undefined})"
    scripts = [KILLED] if store == "indexedDB" else [KILLED, gone]
    again = desk.page.context.new_page()
    for script in scripts:
        desk.page.add_init_script(script)
        again.add_init_script(script)
    desk.open()
    desk.cut_off()
    press(desk.page, "q", "a", "r", "a")
    unsaved(desk.page, 2)
    desk.page.close()
    desk.connect()
    assert not Annotation.objects.exists()
    desk.open(again)
    shows(again, "several")
    saved(again)
    rows = Annotation.objects.order_by("item__position")
    assert [runs(row) for row in rows] == [ONE, [("heavy", "SOUND_PROPERTY")]]


def test_a_session_that_ended_leads_to_the_log_in_and_nothing_is_lost(
    work: Page, desk: Desk
) -> None:
    # A page whose cookie for changes is gone gets another.
    work.context.clear_cookies(name="csrftoken")
    one_is_saved(work)
    work.context.clear_cookies(name="sessionid")
    press(work, "r", "a", "q")
    expect(work.get_by_role("alert")).to_contain_text("You are logged out.")
    unsaved(work, 1)
    assert Annotation.objects.count() == 1
    work.get_by_role("link", name="Log in again").click()
    work.locator("input[name=login]").fill(desk.user.username)
    work.locator("input[name=password]").fill(PASSWORD)
    work.get_by_role("main").get_by_role("button", name="Log in").click()
    shows(work, "several, Property of who or what")
    saved(work)
    assert runs(of(TEXTS[1])) == [("heavy", "SOUND_PROPERTY")]


def test_what_one_person_left_is_never_sent_as_another(
    work: Page, desk: Desk, log_in: LogIn
) -> None:
    bob = UserFactory.create(username="bob")
    member_add(project=desk.project, user=bob)
    log_in(bob)
    press(work, "q", "a")
    expect(work.get_by_role("alert")).to_contain_text("bob is logged in now.")
    again = work.get_by_role("link", name="Log in again").get_attribute("href") or ""
    assert "/accounts/logout/" in again
    other = desk.window()
    saved(other)
    expect(labelled(other)).to_have_count(0)
    assert not Annotation.objects.exists()
    work.close()


def test_a_caption_that_went_to_others_meanwhile_is_saved_all_the_same(
    work: Page, desk: Desk
) -> None:
    press(work, "q")
    Assignment.objects.filter(project=desk.project).update(user=None, expires_at=None)
    for user in UserFactory.create_batch(2):
        member_add(project=desk.project, user=user)
        item = desk.project.items.get(text=TWELVE)
        annotation_save(item=item, user=user, change=AnswerChange("by-another", 0, []), now=NOW)
    press(work, "a")
    expect(saving(work)).to_have_text("Kept, not counted")
    kept = Annotation.objects.get(item__text=TWELVE, user=desk.user)
    assert (runs(kept), kept.counts) == (ONE, False)


@pytest.mark.browser_context_args  # its clock is kept from then on
def test_after_a_long_pause_captions_that_went_to_others_do_not_come(desk: Desk) -> None:
    desk.page.clock.install()
    page = desk.open()
    desk.project.items.get(text=TEXTS[1]).assignments.all().delete()
    # The computer slept: the page's own clock stood still.
    page.evaluate("performance.now = () => 0")
    page.clock.fast_forward("40:00")
    with page.expect_response("**/tasks"):
        page.evaluate("window.dispatchEvent(new Event('focus'))")
    press(page, "a")
    shows(page, "several")
    # Nor does a clock that went back keep the server from taking the answer.
    saved(page)


def test_what_the_server_refuses_is_kept_shown_and_sent_when_it_is_accepted_again(
    work: Page, desk: Desk, complaints: list[str]
) -> None:
    one_is_saved(work)
    Project.objects.update(offered=["HOW"])
    press(work, "Backspace", "Home", "ArrowRight", "w", "a")
    expect(work.get_by_text(f'Not saved: "{TWELVE}"')).to_be_visible()
    Project.objects.update(offered=[])
    press(work, "Backspace", "a")
    saved(work)
    assert runs(of(TWELVE)) == [("large", "WHO")]
    # What never will be is kept beside the work until somebody gives it up.
    Item.objects.filter(project=desk.project, text=TEXTS[1]).delete()
    press(work, "r", "a")
    expect(work.get_by_text(f'Not saved: "{TEXTS[1]}"')).to_be_visible()
    expect(live(work)).to_contain_text("Not saved. ")
    with work.expect_response(SAVES):
        press(work, "r", "a")
    unsaved(work, 1)
    assert of(TEXTS[2])
    work.get_by_role("button", name="Open again").click()
    shows(work, HEAVY)
    work.get_by_role("button", name="Discard").click()
    work.get_by_role("button", name="Discard it for good").click()
    saved(work)
    complaints.clear()  # the deleted caption was not found


def test_captions_come_as_soon_as_the_server_is_back(desk: Desk) -> None:
    page = desk.page
    page.route("**/tasks", lambda route: route.abort())
    page.goto(f"/annotate/{desk.project.slug}/")
    expect(page.get_by_text("The next captions come as soon as it answers.")).to_be_visible()
    press(page, "q", "a", "-", ".", "Control+z")
    page.unroute("**/tasks")
    shows(page, "large")
    expect(page.get_by_role("listbox")).to_be_focused()


FULL = "() => { throw new DOMException('full', 'QuotaExceededError'); }"
# Without the quick store all waits for IndexedDB, whose transactions end after a minute.
SLOW_DISK = """
Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }});
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (record) {
  const store = this; const until = Date.now() + 60000;
  const spin = () => { if (Date.now() < until) store.count().onsuccess = spin; };
  spin(); return put.call(this, record);
};"""


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (
            f"Storage.prototype.setItem = {FULL}; IDBObjectStore.prototype.put = {FULL}",
            "Saved. This browser cannot keep what is not saved yet.",
        ),
        (SLOW_DISK, "Saved"),
        ("IDBFactory.prototype.open = () => new EventTarget();", "Saved"),
    ],
    ids=["keeps nothing", "never answers", "never opens"],
)
def test_a_browser_that_cannot_keep_anything_keeps_no_answer_from_the_server(
    desk: Desk, script: str, told: str
) -> None:
    desk.page.add_init_script(script)
    desk.open()
    press(desk.page, "q", "a")
    expect(saving(desk.page)).to_have_text(told)
    assert runs(of(TWELVE)) == ONE


def test_leftovers_that_cannot_be_read_stop_nothing(work: Page, desk: Desk) -> None:
    name = f"{desk.user.pk}/{desk.project.slug}"
    record = f'{{"owner":"{name}","kind":"draft","item":1,"at":1,"tab":"t"}}'
    work.evaluate(
        "([owner, record]) => { localStorage.setItem(`${owner}/t/1/draft`, record);"
        " localStorage.setItem(`${owner}/t/2/draft`, '{'); }",
        [f"earmark-labelling/{name}", record],
    )
    desk.open()
    one_is_saved(work)


def test_what_arrives_while_captions_are_fetched_does_not_come_again(desk: Desk) -> None:
    """The server hands out what it has not heard of, and hears of it before its answer is read."""
    desk.page.add_init_script(KILLED)
    desk.open()
    desk.cut_off()
    press(desk.page, "q", "a")
    unsaved(desk.page, 1)
    desk.page.close()
    again = desk.page.context.new_page()
    held = hold(again, "**/tasks")
    again.goto(f"/annotate/{desk.project.slug}/")
    told = held_until(again, held).fetch()
    desk.page.context.unroute(SAVES)
    press(again, "Control+s")
    saved(again)
    held[0].fulfill(response=told)
    shows(again, "heavy")


def test_an_earlier_caption_that_comes_late_does_not_slip_under_the_hands(
    work: Page, desk: Desk
) -> None:
    one_is_saved(work)
    desk.open()
    held = hold(work, "**/history?*")
    press(work, "Backspace", "r")
    shows(work, HEAVY)
    let_through(work, "**/history?*", held_until(work, held))
    press(work, "a")
    saved(work)
    assert runs(of(TWELVE)) == ONE
    assert runs(of(TEXTS[1])) == [("heavy", "SOUND_PROPERTY")]


def test_a_clock_that_is_set_back_loses_no_edit(desk: Desk) -> None:
    desk.page.add_init_script("const now = Date.now; Date.now = () => now() + 3 * 3600_000;")
    press(desk.open(), "q")
    desk.page.close()
    for key, name in (("w", DOG), ("o", "barks, How")):
        again = desk.window()
        press(again, key)
        shows(again, name)
        again.close()
    shows(desk.window(), LARGE, DOG, "barks, How")
