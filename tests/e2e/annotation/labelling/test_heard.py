"""By keys and by ear alone: where the focus is when something goes, and what is read out."""

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Item, Project
from leaderboard.models import User
from tests.e2e.annotation.labelling.labelling_page import (
    TEXTS,
    TWELVE,
    open_labelling_page,
    option,
    press,
    saved,
)
from tests.e2e.page_checks import fits_width

# What was read out, in order; a region whose text stays the same says nothing.
LISTEN = """window.heard = [];
new MutationObserver((changes) => changes.forEach(({target}) => {
    const live = (target.closest ? target : target.parentElement)?.closest('[data-part=live]');
    if (live && live.textContent !== window.heard.at(-1)) window.heard.push(live.textContent);
})).observe(document, {subtree: true, childList: true, characterData: true});"""


def words_of(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Words of the caption")


def live(page: Page) -> Locator:
    return page.locator("[data-part=live]")


def test_the_caption_that_a_page_opens_with_is_read_out(labelling_page: Page) -> None:
    expect(live(labelling_page)).to_have_text(f"Caption 1: {TWELVE}")


def test_undo_and_redo_say_what_they_did_and_the_same_again_is_said_again(
    labelling_page: Page,
) -> None:
    page = labelling_page
    press(page, "q", "w", "Control+z")
    expect(live(page)).to_contain_text("Undone. dog: no label")
    press(page, "Control+Shift+z")
    expect(live(page)).to_contain_text("Redone. dog: Who")
    press(page, "f", "Control+z")
    expect(live(page)).to_contain_text("Undone. Not flagged")
    page.evaluate(LISTEN)
    for count in (1, 2):
        press(page, "End", "-")
        page.wait_for_function("count => window.heard.length === count", arg=count)
    assert {said.strip() for said in page.evaluate("window.heard")} == {
        "There is no label on this word."
    }


def test_what_comes_at_once_is_read_out_together(labelling_page: Page) -> None:
    page = labelling_page
    page.evaluate(LISTEN)
    # Two keys in one go, faster than anybody's.
    page.evaluate(
        "['q', 'w'].forEach((key) => document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', {key, bubbles: true})))"
    )
    expect(live(page)).to_have_text("large: Property of who or what dog: Who")


def test_enter_on_a_label_labels_the_word_under_the_cursor(labelling_page: Page) -> None:
    page = labelling_page
    who = page.get_by_role("group", name="Labels").get_by_role("button", name="w Who")
    who.first.focus()
    press(page, "Enter")
    expect(option(page, "large, Who")).to_be_visible()
    expect(who.first).to_have_attribute("aria-pressed", "false")
    expect(who.first).to_be_focused()


def test_who_accepts_the_last_caption_stands_at_what_says_so(labelling_page: Page) -> None:
    for _ in TEXTS:
        press(labelling_page, "a")
    end = labelling_page.get_by_role("group", name="Everything is done or with others.")
    expect(end).to_be_focused()
    press(labelling_page, "Backspace")
    expect(words_of(labelling_page)).to_be_focused()


def test_a_choice_between_two_versions_is_said_and_leads_back_to_the_words(
    labelling_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    other = context.new_page()
    open_labelling_page(other, live_server, project)
    press(other, "w", "a")
    saved(other)
    other.close()
    press(labelling_page, "q", "a")
    labelling_page.get_by_role("button", name="Look at both").focus()
    press(labelling_page, "Enter")
    theirs = labelling_page.locator("[data-do=keep-theirs]")
    expect(theirs).to_have_accessible_description("Saved in the other window")
    theirs.focus()
    press(labelling_page, "Enter")
    expect(live(labelling_page)).to_contain_text("Kept: Saved in the other window.")
    expect(words_of(labelling_page)).to_be_focused()
    complaints.clear()


def test_discarding_by_keys_stays_on_the_button_that_asks_again(
    labelling_page: Page, project: Project, complaints: list[str]
) -> None:
    page = labelling_page
    Item.objects.filter(project=project, text=TWELVE).delete()
    press(page, "q", "a")
    page.get_by_role("button", name="Discard").focus()
    press(page, "Enter")
    expect(page.get_by_role("button", name="Discard it for good")).to_be_focused()
    # An answer on its way has the list written anew.
    press(page, "Shift+Tab")
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.get_by_role("button", name="Open again")).to_be_focused()
    press(page, "Tab", "Enter")
    expect(page.get_by_role("button", name="Discard")).to_have_count(0)
    expect(words_of(page)).to_be_focused()
    complaints.clear()


def test_the_cursor_stays_in_view_on_a_page_enlarged_four_times(labelling_page: Page) -> None:
    page = labelling_page
    page.set_viewport_size({"width": 320, "height": 256})
    for key in ("End", "Home"):
        press(page, key)
        expect(page.locator(".word.is-cursor")).to_be_in_viewport(ratio=1)
    # A narrow page with a mouse is no phone: what the keys are stays on the buttons.
    expect(page.locator("[data-do=keys]")).to_be_visible()
    expect(page.locator("[data-do=accept] kbd")).to_be_visible()
    fits_width(page)


def test_a_phone_shows_no_keys(
    browser: Browser, live_server: LiveServer, project: Project, labelling_page: Page, ann: User
) -> None:
    cookies = labelling_page.context.storage_state()
    phone = browser.new_context(
        storage_state=cookies,
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
    )
    page = phone.new_page()
    open_labelling_page(page, live_server, project)
    expect(page.locator("[data-do=accept] kbd")).to_be_hidden()
    expect(page.locator("[data-do=keys]")).to_be_hidden()
    phone.close()


def test_with_forced_colours_only_the_word_in_hand_has_a_frame(labelling_page: Page) -> None:
    page = labelling_page
    page.emulate_media(forced_colors="active")
    frames = page.locator(".word__text").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).borderTopColor)"
    )
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert [at for at, colour in enumerate(frames) if colour != paper] == [1]


def test_keys_without_ctrl_can_be_turned_off_and_all_goes_on_by_buttons(
    labelling_page: Page, live_server: LiveServer, project: Project
) -> None:
    page = labelling_page
    press(page, "?")
    box = page.get_by_role("checkbox", name="Keys without ctrl label and answer")
    box.focus()
    with page.expect_response("**/keys"):
        press(page, " ")
    press(page, "Escape", "w", "1", "a", " ", "ArrowRight")
    expect(option(page, "dog")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".word.is-labelled")).to_have_count(0)
    open_labelling_page(page, live_server, project)
    press(page, "a")
    expect(page.locator("[data-do=accept] kbd")).to_be_hidden()
    page.get_by_role("group", name="Labels").get_by_role("button", name="Who").first.focus()
    press(page, "Enter")
    expect(option(page, "large, Who")).to_be_visible()
    press(page, "Control+z")
    expect(option(page, "large")).to_be_visible()
    page.get_by_role("button", name="Keys").focus()
    press(page, "Enter")
    with page.expect_response("**/keys"):
        page.get_by_role("button", name="Reset all keys").click()
    press(page, "Escape", "q")
    expect(option(page, "large, Property of who or what")).to_be_visible()


def test_the_sheet_of_keys_says_in_view_what_became_of_both_keys(labelling_page: Page) -> None:
    page = labelling_page
    page.set_viewport_size({"width": 1000, "height": 420})
    press(page, "?")
    sheet = page.get_by_role("dialog", name="Keys")
    said = sheet.get_by_role("status")
    sheet.get_by_role("button", name="Play or pause the sound").focus()
    press(page, "Enter")
    expect(said).to_contain_text("Press the new key")
    expect(said).to_be_in_viewport(ratio=1)
    press(page, "x")
    expect(said).to_contain_text("Play or pause the sound: x.")
    expect(said).to_contain_text("Reject: the caption is not fit to be labelled: p.")
    page.set_viewport_size({"width": 320, "height": 420})
    assert sheet.evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") == 0
    # Who goes on with tab leaves the key as it is.
    press(page, "Enter", "Tab", "Enter")
    expect(said).to_contain_text("Press the new key for Play the sound from its start")
