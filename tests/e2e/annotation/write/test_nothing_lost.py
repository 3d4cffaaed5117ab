"""Whatever happens to the server, the tab or another window: what was done is kept."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Project, Revision
from leaderboard.models import User
from tests.e2e.annotation.write.hands import HANDS, Hands
from tests.e2e.annotation.write.writing_page import (
    HEAR,
    SAVES,
    objection,
    open_writing_page,
    press,
    saved,
    title,
    values,
)
from tests.e2e.conftest import LogIn

pytestmark = pytest.mark.parametrize("kind", HANDS, indirect=True)

Axe = Callable[[], list[str]]

# A page that is killed has no chance to send what it has while it goes.
KILLED = "addEventListener('pagehide', (event) => event.stopImmediatePropagation())"


def test_answers_given_while_the_server_is_away_arrive_once(
    writing_page: Page, hands: Hands, complaints: list[str]
) -> None:
    away = True
    writing_page.route(SAVES, lambda route: route.abort() if away else route.continue_())
    for which in (0, 1):
        hands.do(writing_page, which)
        press(writing_page, "a")
        expect(title(writing_page)).to_have_text(hands.title(which + 2))
    expect(writing_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 2")
    away = False
    press(writing_page, "Control+s")
    saved(writing_page)
    assert values() == [hands.value(0), hands.value(1)]
    assert Revision.objects.count() == 2
    complaints.clear()


def test_a_killed_tab_has_the_answer_on_return_and_that_the_sound_was_heard(
    page: Page,
    live_server: LiveServer,
    project: Project,
    ann: User,
    hands: Hands,
    log_in: LogIn,
    context: BrowserContext,
) -> None:
    page.add_init_script(KILLED)
    log_in(ann)
    open_writing_page(page, live_server, project)
    hands.do(page, 0)
    page.close()
    again = context.new_page()
    open_writing_page(again, live_server, project)
    hands.sees(again, 0)
    expect(objection(again)).to_have_text("")
    # The steps of before can still be undone, but not that it was heard.
    press(again, "Control+z")
    hands.sees_other(again, 0)
    expect(objection(again)).not_to_have_text(HEAR)
    press(again, "Control+y", "a")
    saved(again)
    assert values() == [hands.value(0)]


def test_an_answer_that_had_not_arrived_arrives_on_return(
    writing_page: Page,
    live_server: LiveServer,
    project: Project,
    hands: Hands,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    context.route(SAVES, lambda route: route.abort())
    hands.do(writing_page, 0)
    press(writing_page, "a")
    expect(writing_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 1")
    writing_page.close()
    context.unroute(SAVES)
    assert not Annotation.objects.exists()
    again = context.new_page()
    open_writing_page(again, live_server, project)
    expect(title(again)).to_have_text(hands.title(2))
    saved(again)
    expect(again.locator("[data-part=today]")).to_have_text("1")
    assert values() == [hands.value(0)]
    complaints.clear()


def test_an_answer_is_gone_back_to_and_changed(writing_page: Page, hands: Hands) -> None:
    hands.do(writing_page, 0)
    press(writing_page, "a")
    saved(writing_page)
    press(writing_page, "Backspace")
    hands.sees(writing_page, 0)
    expect(objection(writing_page)).to_have_text("")
    hands.change(writing_page)
    expect(title(writing_page)).to_have_text(hands.title(2))
    saved(writing_page)
    assert values() == [hands.changed()]
    assert Annotation.objects.get().version == 2


def test_two_windows_that_answer_one_sound_are_shown_in_lines_and_one_is_kept(
    writing_page: Page,
    live_server: LiveServer,
    project: Project,
    hands: Hands,
    context: BrowserContext,
    complaints: list[str],
    axe: Axe,
) -> None:
    other = context.new_page()
    open_writing_page(other, live_server, project)
    hands.do(other, 1)
    press(other, "f", "a")
    saved(other)
    hands.do(writing_page, 0)
    press(writing_page, "a")
    writing_page.get_by_role("button", name="Look at both").click()
    sheet = writing_page.get_by_role("dialog", name="Changed in another window")
    count = len(hands.lines(0)) + 1
    expect(sheet.get_by_text(f"{count} differences.", exact=True)).to_be_visible()
    ours = sheet.get_by_role("region", name="From this window")
    theirs = sheet.get_by_role("region", name="Saved in the other window")
    expect(ours.get_by_role("listitem")).to_have_text([*hands.lines(0), "Not flagged"])
    expect(theirs.get_by_role("listitem")).to_have_text([*hands.lines(1), "Flagged"])
    assert axe() == []
    ours.get_by_role("button").click()
    expect(sheet).to_be_hidden()
    saved(writing_page)
    assert values() == [hands.value(0)]
    complaints.clear()


def test_of_two_drafts_the_one_that_is_chosen_goes_on(
    writing_page: Page,
    live_server: LiveServer,
    project: Project,
    hands: Hands,
    context: BrowserContext,
) -> None:
    other = context.new_page()
    open_writing_page(other, live_server, project)
    hands.begin(writing_page, 0)
    hands.begin(other, 1)
    writing_page.close()
    other.close()
    page = context.new_page()
    open_writing_page(page, live_server, project)
    sheet = page.get_by_role("dialog", name="Two windows left unfinished work")
    there = sheet.get_by_role("region", name="Left by another window")
    expect(there.get_by_role("listitem")).to_have_text(hands.begun_lines(0))
    there.get_by_role("button").click()
    expect(sheet).to_be_hidden()
    hands.sees_begun(page, 0)
    expect(objection(page)).to_have_text(HEAR)
