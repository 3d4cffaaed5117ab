"""What comes late, is refused or overtaken never changes what hands meant."""

from playwright.sync_api import BrowserContext, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from annotation.services.answers import AnswerChange, annotation_save
from leaderboard.models import User
from tests.annotation.conftest import NOW
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


def test_an_earlier_caption_that_comes_late_does_not_slip_under_the_hands(
    labelling_page: Page, live_server: LiveServer, project: Project
) -> None:
    press(labelling_page, "q", "a")
    saved(labelling_page)
    open_labelling_page(labelling_page, live_server, project)
    held: list[Route] = []
    labelling_page.route("**/history?*", lambda route: held.append(route))  # noqa: PLW0108 bound by Playwright
    press(labelling_page, "Backspace", "r")
    expect(option(labelling_page, "heavy, Sound property")).to_be_visible()
    while not held:
        labelling_page.wait_for_timeout(50)
    held[0].continue_()
    labelling_page.wait_for_timeout(500)
    press(labelling_page, "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    assert runs(of(TEXTS[1])) == [("heavy", "SOUND_PROPERTY")]


def test_what_was_refused_is_sent_when_it_is_accepted_again(
    labelling_page: Page, project: Project, complaints: list[str]
) -> None:
    press(labelling_page, "q", "a")
    saved(labelling_page)
    Project.objects.update(offered=["HOW"])
    press(labelling_page, "Backspace", "Home", "ArrowRight", "w", "a")
    expect(labelling_page.get_by_text(f'Not saved: "{TWELVE}"')).to_be_visible()
    Project.objects.update(offered=[])
    press(labelling_page, "Backspace", "a")
    saved(labelling_page)
    assert runs(of(TWELVE)) == [("large", "WHO")]
    complaints.clear()


def test_ours_can_be_kept_after_a_lost_reply_and_a_change_elsewhere(
    labelling_page: Page, ann: User, complaints: list[str]
) -> None:
    lost: list[Route] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route)
        route.fetch()
        change = AnswerChange(edit="elsewhere-1", base=1, spans=[])
        annotation_save(item=of(TWELVE).item, user=ann, change=change, now=NOW)
        route.abort("connectionreset")

    labelling_page.route(SAVES, lose)
    press(labelling_page, "q", "a")
    expect(labelling_page.locator("[data-part=conflicts]")).to_be_visible()
    labelling_page.locator("[data-part=conflicts] button").click()
    labelling_page.locator("[data-do=keep-ours]").click()
    saved(labelling_page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    complaints.clear()


def test_a_clock_that_is_set_back_loses_no_edit(
    page: Page,
    live_server: LiveServer,
    project: Project,
    ann: User,
    log_in: LogIn,
    context: BrowserContext,
) -> None:
    page.add_init_script("const now = Date.now; Date.now = () => now() + 3 * 3600_000;")
    log_in(ann)
    open_labelling_page(page, live_server, project)
    press(page, "q")
    page.close()
    for keys, name in ((("w",), "dog, Who"), (("o",), "barks, How")):
        again = context.new_page()
        open_labelling_page(again, live_server, project)
        press(again, *keys)
        expect(option(again, name)).to_be_visible()
        again.close()
    last = context.new_page()
    open_labelling_page(last, live_server, project)
    for name in ("large, Property of who or what", "dog, Who", "barks, How"):
        expect(option(last, name)).to_be_visible()


def test_a_later_draft_of_another_window_outlives_an_answer_in_this_one(
    labelling_page: Page, live_server: LiveServer, project: Project, context: BrowserContext
) -> None:
    press(labelling_page, "q")
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    expect(option(other, "large, Property of who or what")).to_be_visible()
    press(labelling_page, "w", "o")
    press(other, "a")
    saved(other)
    labelling_page.close()
    other.close()
    again = context.new_page()
    open_labelling_page(again, live_server, project)
    expect(option(again, "dog, Who")).to_be_visible()


def test_words_taken_from_other_spans_by_key_are_said(labelling_page: Page) -> None:
    press(labelling_page, "q", "w", "Home", "ArrowRight", ".")
    expect(labelling_page.locator("[data-part=hint]")).to_have_text("Takes 1 word from Who")
    expect(labelling_page.locator("[data-part=live]")).to_contain_text("Takes 1 word from Who")
    press(labelling_page, "Control+z")
    expect(option(labelling_page, "dog, Who")).to_be_visible()


def test_a_disk_that_never_answers_keeps_no_answer_from_the_server(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    """Without the quick store all waits for IndexedDB, whose transactions end after a minute."""
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }});"
        "const put = IDBObjectStore.prototype.put;"
        "IDBObjectStore.prototype.put = function (record) {"
        "  const store = this; const until = Date.now() + 60000;"
        "  const spin = () => { if (Date.now() < until) store.count().onsuccess = spin; };"
        "  spin(); return put.call(this, record); };"
    )
    log_in(ann)
    open_labelling_page(page, live_server, project)
    press(page, "q", "a")
    saved(page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]


def test_a_database_that_never_opens_does_not_keep_the_page_shut(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    page.add_init_script("IDBFactory.prototype.open = () => new EventTarget();")
    log_in(ann)
    open_labelling_page(page, live_server, project)
    press(page, "q", "a")
    saved(page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
