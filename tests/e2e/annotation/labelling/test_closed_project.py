"""A project that is closed while somebody labels: the page says so by itself, and goes on later."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Project
from annotation.services.closing import project_set_closed
from annotation.services.projects import ProjectAct
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.e2e.annotation.labelling.labelling_page import (
    TWELVE,
    kept_uncounted,
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
LARGE = "large, Property of who or what"
# Longer than the page waits before it asks the server how things are.
A_WHILE = "00:25"


@pytest.fixture
def lead(transactional_db: None) -> User:
    return UserFactory.create(username="mira")


def close(project: Project, lead: User, *, closed: bool = True) -> None:
    project_set_closed(project=project, closed=closed, act=ProjectAct(lead, NOW))


def notice(page: Page) -> Locator:
    return page.get_by_role("region", name="This project is closed")


def look(page: Page) -> None:
    """Come back to the window, as a person does who was elsewhere."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def test_an_open_page_hears_of_the_closing_and_goes_on_when_it_is_taken_back(
    page: Page, live_server: LiveServer, project: Project, ann: User, lead: User, log_in: LogIn
) -> None:
    page.clock.install()
    log_in(ann)
    open_labelling_page(page, live_server, project)
    press(page, "q")
    expect(option(page, LARGE)).to_be_visible()
    close(project, lead)
    page.clock.fast_forward(A_WHILE)
    expect(notice(page)).to_contain_text("Closed by mira on 1 March 2026")
    expect(notice(page)).to_contain_text("1 caption that you began is kept in this browser.")
    expect(page.locator("[data-part=live]")).to_contain_text("This project is closed.")
    expect(page.get_by_role("option")).to_have_count(0)
    close(project, lead, closed=False)
    page.clock.fast_forward(A_WHILE)
    expect(option(page, LARGE)).to_be_visible()
    expect(notice(page)).to_be_hidden()
    press(page, "a")
    saved(page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    assert of(TWELVE).counts


def test_nothing_can_be_labelled_in_a_closed_project_and_the_keys_stay_harmless(
    labelling_page: Page, project: Project, lead: User, axe: Axe
) -> None:
    close(project, lead)
    look(labelling_page)
    expect(notice(labelling_page)).to_be_focused()
    expect(labelling_page.get_by_role("group", name="Labels")).to_be_hidden()
    expect(labelling_page.get_by_role("button", name="Accept")).to_be_hidden()
    expect(labelling_page.locator("[data-part=left]")).to_have_text("0")
    press(labelling_page, "q", "a", "x", "Backspace", "Control+z", "Control+s", " ")
    labelling_page.wait_for_timeout(300)
    assert Annotation.objects.count() == 0
    assert axe() == []
    labelling_page.set_viewport_size({"width": 390, "height": 800})
    assert axe() == []
    press(labelling_page, "Tab", "Enter")
    labelling_page.wait_for_url("**/history/")
    labelling_page.go_back()
    notice(labelling_page).get_by_role("link", name="Agreement").click()
    labelling_page.wait_for_url("**/agreement/")


def test_an_answer_to_a_closed_project_is_not_called_saved_nor_counted_as_today(
    labelling_page: Page, project: Project, lead: User
) -> None:
    press(labelling_page, "q", "a")
    saved(labelling_page)
    expect(labelling_page.locator("[data-part=today]")).to_have_text("1")
    close(project, lead)
    press(labelling_page, "r", "a")
    expect(notice(labelling_page)).to_contain_text("1 answer of yours is kept on the server")
    kept_uncounted(labelling_page)
    expect(labelling_page.locator("[data-part=today]")).to_have_text("1")
    expect(labelling_page.locator("[data-part=uncounted]")).to_have_text("1")
    close(project, lead, closed=False)
    look(labelling_page)
    expect(labelling_page.locator("[data-part=today]")).to_have_text("2")
    expect(labelling_page.locator("[data-part=uncounted]")).to_be_hidden()
    saved(labelling_page)
    assert Annotation.objects.filter(assignment__isnull=False).count() == 2


def test_today_counts_answers_once_they_have_arrived(
    labelling_page: Page, complaints: list[str]
) -> None:
    labelling_page.route("**/annotation", lambda route: route.abort())
    press(labelling_page, "q", "a")
    expect(labelling_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 1")
    expect(labelling_page.locator("[data-part=today]")).to_have_text("0")
    labelling_page.unroute("**/annotation")
    press(labelling_page, "Control+s")
    saved(labelling_page)
    expect(labelling_page.locator("[data-part=today]")).to_have_text("1")
    complaints.clear()


def test_a_change_that_a_closed_project_refuses_is_sent_when_it_is_opened_again(
    labelling_page: Page, project: Project, lead: User, complaints: list[str]
) -> None:
    press(labelling_page, "q", "a")
    saved(labelling_page)
    close(project, lead)
    press(labelling_page, "Backspace", "Home", "ArrowRight", "w", "a")
    expect(labelling_page.get_by_text(f'Not saved: "{TWELVE}"')).to_be_visible()
    expect(notice(labelling_page)).to_contain_text("1 answer is not saved yet, and kept")
    expect(labelling_page.get_by_role("button", name="Open again")).to_be_hidden()
    close(project, lead, closed=False)
    look(labelling_page)
    saved(labelling_page)
    assert runs(of(TWELVE)) == [("large", "WHO")]
    complaints.clear()


def test_a_page_that_is_opened_on_a_closed_project_says_so(
    page: Page, live_server: LiveServer, project: Project, ann: User, lead: User, log_in: LogIn
) -> None:
    close(project, lead)
    log_in(ann)
    page.goto(f"{live_server.url}/annotate/{project.slug}/")
    expect(notice(page)).to_contain_text("Closed by mira")
    expect(notice(page)).not_to_contain_text("kept in this browser")
