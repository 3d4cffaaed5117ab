"""Whatever happens to the server, the tab or another window: what was written is kept."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Project, Revision
from leaderboard.models import User
from tests.e2e.annotation.write.writing_page import (
    DOG,
    HEAR,
    RAIN,
    SAVES,
    field,
    hear,
    objection,
    open_writing_page,
    press,
    saved,
    title,
    values,
)
from tests.e2e.conftest import LogIn

Axe = Callable[[], list[str]]

# A page that is killed has no chance to send what it has while it goes.
KILLED = "addEventListener('pagehide', (event) => event.stopImmediatePropagation())"


def write(page: Page, caption: str) -> None:
    hear(page)
    press(page, "w")
    page.keyboard.type(caption)
    press(page, "Escape")


def test_captions_written_while_the_server_is_away_arrive_once(
    writing_page: Page, complaints: list[str]
) -> None:
    away = True
    writing_page.route(SAVES, lambda route: route.abort() if away else route.continue_())
    for number, caption in enumerate((RAIN, DOG), start=2):
        write(writing_page, caption)
        press(writing_page, "a")
        expect(title(writing_page)).to_have_text(f"Sound {number}")
    expect(writing_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 2")
    away = False
    press(writing_page, "Control+s")
    saved(writing_page)
    assert values() == [{"text": RAIN, "heard": True}, {"text": DOG, "heard": True}]
    assert Revision.objects.count() == 2
    complaints.clear()


def test_a_killed_tab_has_the_caption_on_return_and_that_the_sound_was_heard(
    page: Page,
    live_server: LiveServer,
    project: Project,
    ann: User,
    log_in: LogIn,
    context: BrowserContext,
) -> None:
    page.add_init_script(KILLED)
    log_in(ann)
    open_writing_page(page, live_server, project)
    write(page, RAIN)
    page.close()
    again = context.new_page()
    open_writing_page(again, live_server, project)
    expect(field(again)).to_have_value(RAIN)
    expect(objection(again)).to_have_text("")
    # The steps of before can still be undone, but not that it was heard.
    press(again, "Control+z")
    expect(field(again)).to_have_value(RAIN.removesuffix("sing"))
    press(again, "Control+y", "a")
    saved(again)
    assert values() == [{"text": RAIN, "heard": True}]


def test_an_answer_that_had_not_arrived_arrives_on_return(
    writing_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    context.route(SAVES, lambda route: route.abort())
    write(writing_page, RAIN)
    press(writing_page, "a")
    expect(writing_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 1")
    writing_page.close()
    context.unroute(SAVES)
    assert not Annotation.objects.exists()
    again = context.new_page()
    open_writing_page(again, live_server, project)
    expect(title(again)).to_have_text("Sound 2")
    saved(again)
    expect(again.locator("[data-part=today]")).to_have_text("1")
    assert values() == [{"text": RAIN, "heard": True}]
    complaints.clear()


def test_an_answer_is_gone_back_to_and_changed(writing_page: Page) -> None:
    write(writing_page, RAIN)
    press(writing_page, "a")
    saved(writing_page)
    press(writing_page, "Backspace")
    expect(field(writing_page)).to_have_value(RAIN)
    expect(objection(writing_page)).to_have_text("")
    press(writing_page, "w", "End")
    writing_page.keyboard.type(" loudly")
    press(writing_page, "Control+Enter")
    expect(title(writing_page)).to_have_text("Sound 2")
    saved(writing_page)
    assert values() == [{"text": f"{RAIN} loudly", "heard": True}]
    assert Annotation.objects.get().version == 2


def test_two_windows_that_answer_one_sound_are_shown_in_lines_and_one_is_kept(
    writing_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
    axe: Axe,
) -> None:
    other = context.new_page()
    open_writing_page(other, live_server, project)
    write(other, DOG)
    press(other, "f", "a")
    saved(other)
    write(writing_page, RAIN)
    press(writing_page, "a")
    writing_page.get_by_role("button", name="Look at both").click()
    sheet = writing_page.get_by_role("dialog", name="Changed in another window")
    expect(sheet.get_by_text("2 differences.", exact=True)).to_be_visible()
    ours = sheet.get_by_role("region", name="From this window")
    theirs = sheet.get_by_role("region", name="Saved by the other")
    expect(ours.get_by_role("listitem")).to_have_text([f"Caption: {RAIN}", "Not flagged"])
    expect(theirs.get_by_role("listitem")).to_have_text([f"Caption: {DOG}", "Flagged"])
    assert axe() == []
    ours.get_by_role("button").click()
    expect(sheet).to_be_hidden()
    saved(writing_page)
    assert values() == [{"text": RAIN, "heard": True}]
    complaints.clear()


def test_of_two_drafts_the_one_that_is_chosen_goes_on(
    writing_page: Page, live_server: LiveServer, project: Project, context: BrowserContext
) -> None:
    other = context.new_page()
    open_writing_page(other, live_server, project)
    press(writing_page, "w")
    writing_page.keyboard.type("rain")
    press(other, "w")
    other.keyboard.type("a dog")
    writing_page.close()
    other.close()
    page = context.new_page()
    open_writing_page(page, live_server, project)
    sheet = page.get_by_role("dialog", name="Two windows left unfinished work")
    there = sheet.get_by_role("region", name="Left by another window")
    expect(there.get_by_role("listitem")).to_have_text(["Caption: rain"])
    there.get_by_role("button").click()
    expect(sheet).to_be_hidden()
    expect(field(page)).to_have_value("rain")
    expect(objection(page)).to_have_text(HEAR)
