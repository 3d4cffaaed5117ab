"""Two windows that each leave work on one caption: both are shown, and a person chooses."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from tests.e2e.annotation.labelling.labelling_page import (
    SAVES,
    TWELVE,
    of,
    open_labelling_page,
    option,
    press,
    runs,
    saved,
)
from tests.e2e.page_checks import fits_width

Axe = Callable[[], list[str]]

LARGE, DOG = "large, Property of who or what", "dog, Who"
# What the journal has of unfinished work, in both of its stores.
DRAFTS = """async () => {
    const kept = Object.keys(localStorage).filter((key) => key.endsWith('/draft'));
    const database = await new Promise((done) => {
        const opening = indexedDB.open('earmark-labelling', 1);
        opening.onsuccess = () => done(opening.result);
    });
    const rows = await new Promise((done) => {
        const all = database.transaction('work').objectStore('work').getAll();
        all.onsuccess = () => done(all.result);
    });
    database.close();
    return [...kept, ...rows.filter(({kind}) => kind === 'draft').map(({key}) => key)];
}"""


def left_by_two(
    labelling_page: Page, server: LiveServer, project: Project, context: BrowserContext
) -> None:
    """Label "large" in one window and, without having seen that, "dog" in another; close both."""
    other = context.new_page()
    open_labelling_page(other, server, project)
    press(labelling_page, "q")
    press(other, "ArrowRight", "w")
    expect(option(other, DOG)).to_be_visible()
    labelling_page.close()
    other.close()


def test_both_drafts_are_shown_and_the_one_that_is_chosen_is_kept(
    labelling_page: Page, live_server: LiveServer, project: Project, context: BrowserContext
) -> None:
    left_by_two(labelling_page, live_server, project, context)
    page = context.new_page()
    open_labelling_page(page, live_server, project)
    sheet = page.get_by_role("dialog", name="Two windows left unfinished work")
    here = sheet.get_by_role("region", name="On this page now")
    there = sheet.get_by_role("region", name="Left by another window")
    expect(here.get_by_text("dog: Who", exact=True)).to_be_visible()
    expect(there.get_by_text("large: Property of who or what", exact=True)).to_be_visible()
    expect(there.get_by_text("dog: no label", exact=True)).to_be_visible()
    there.get_by_role("button").click()
    expect(sheet).to_be_hidden()
    expect(option(page, LARGE)).to_be_visible()
    expect(option(page, "dog")).to_be_visible()
    # The choice outlives the tab, and is asked for once.
    page.reload()
    expect(option(page, LARGE)).to_be_visible()
    expect(page.get_by_role("dialog")).to_be_hidden()
    press(page, "a")
    saved(page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    expect(option(page, "heavy")).to_be_visible()
    page.wait_for_function(f"async () => (await ({DRAFTS})()).length === 0")


def test_only_what_differs_is_shown_and_marked(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
    axe: Axe,
) -> None:
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    # The same labels on "large" and "barks", another one on "dog", and a flag.
    press(other, "q", "w", "o", "f", "a")
    saved(other)
    press(labelling_page, "q", "t", "o", "a")
    labelling_page.get_by_role("button", name="Look at both").click()
    sheet = labelling_page.get_by_role("dialog", name="Changed in another window")
    expect(sheet.locator("mark")).to_have_text(["dog"])
    expect(sheet.get_by_text("2 differences. 2 labels are the same in both.")).to_be_visible()
    ours = sheet.get_by_role("region", name="From this window").get_by_role("listitem")
    theirs = sheet.get_by_role("region", name="Saved in the other window").get_by_role("listitem")
    expect(ours).to_have_text(["dog: What", "Not flagged"])
    expect(theirs).to_have_text(["dog: Who", "Flagged"])
    for scheme in ("light", "dark"):
        labelling_page.emulate_media(color_scheme=scheme)
        assert axe() == []
    labelling_page.set_viewport_size({"width": 390, "height": 844})
    fits_width(labelling_page)
    complaints.clear()


def test_accepting_one_of_two_drafts_unasked_does_not_delete_the_other(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    left_by_two(labelling_page, live_server, project, context)
    page = context.new_page()
    open_labelling_page(page, live_server, project)
    page.get_by_role("dialog").get_by_role("button", name="Later").click()
    expect(page.locator("[data-part=conflicts]")).to_be_visible()
    press(page, "a")
    saved(page)
    assert runs(of(TWELVE)) == [("dog", "WHO")]
    page.close()
    again = context.new_page()
    open_labelling_page(again, live_server, project)
    expect(option(again, LARGE)).to_be_visible()
    # Nor does it overwrite unseen what was accepted.
    press(again, "a")
    again.get_by_role("button", name="Look at both").click()
    sheet = again.get_by_role("dialog", name="Changed in another window")
    expect(sheet.get_by_text("dog: Who", exact=True)).to_be_visible()
    sheet.get_by_role("region", name="From this window").get_by_role("button").click()
    saved(again)
    assert (of(TWELVE).version, runs(of(TWELVE))) == (2, [("large", "WHO_WHAT_PROPERTY")])
    complaints.clear()


def test_a_draft_that_went_on_from_another_asks_nothing(
    labelling_page: Page, live_server: LiveServer, project: Project, context: BrowserContext
) -> None:
    press(labelling_page, "q")
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    press(other, "w")
    expect(option(other, DOG)).to_be_visible()
    other.close()
    labelling_page.close()
    again = context.new_page()
    open_labelling_page(again, live_server, project)
    expect(option(again, LARGE)).to_be_visible()
    expect(option(again, DOG)).to_be_visible()
    expect(again.get_by_role("dialog")).to_be_hidden()


def test_a_draft_of_another_window_does_not_pass_for_a_change_of_an_answer_under_way(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    context.route(SAVES, lambda route: route.abort())
    press(labelling_page, "q", "a")
    expect(labelling_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 1")
    press(other, "ArrowRight", "w")
    expect(option(other, DOG)).to_be_visible()
    labelling_page.close()
    other.close()
    again = context.new_page()
    open_labelling_page(again, live_server, project)
    expect(option(again, DOG)).to_be_visible()
    context.unroute_all(behavior="ignoreErrors")
    press(again, "Control+s")
    saved(again)
    press(again, "a")
    expect(again.get_by_role("button", name="Look at both")).to_be_visible()
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    complaints.clear()


def test_what_is_given_up_for_the_other_windows_version_does_not_come_back(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
    axe: Axe,
) -> None:
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    press(other, "ArrowRight", "w", "a")
    saved(other)
    press(labelling_page, "t", "a", "Backspace", "f")
    expect(labelling_page.get_by_text("Flagged", exact=True)).to_be_visible()
    labelling_page.get_by_role("button", name="Look at both").click()
    assert axe() == []
    labelling_page.get_by_role("region", name="Saved in the other window").get_by_role(
        "button"
    ).click()
    expect(option(labelling_page, DOG)).to_be_visible()
    labelling_page.close()
    again = context.new_page()
    open_labelling_page(again, live_server, project)
    expect(option(again, "heavy")).to_be_visible()
    again.wait_for_function(f"async () => (await ({DRAFTS})()).length === 0")
    complaints.clear()


def test_a_draft_of_a_window_that_is_still_open_says_that_it_is_that_windows(
    labelling_page: Page, live_server: LiveServer, project: Project, context: BrowserContext
) -> None:
    begun = "You began this in another window"
    press(labelling_page, "q")
    expect(option(labelling_page, LARGE)).to_be_visible()
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    expect(option(other, LARGE)).to_be_visible()
    expect(other.get_by_text(begun)).to_be_visible()
    expect(labelling_page.get_by_text(begun)).to_be_hidden()
    labelling_page.close(run_before_unload=False)
    other.reload()
    expect(option(other, LARGE)).to_be_visible()
    expect(other.get_by_text(begun)).to_be_hidden()
