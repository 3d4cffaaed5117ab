"""Guidelines that change while somebody labels: an open page says so, and its dialog has them."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from annotation.models import Member, Project
from annotation.services.project_settings import project_change
from annotation.services.projects import ProjectAct, ProjectRules, ProjectSettings, member_add
from leaderboard.models import User
from tests.e2e.annotation.labelling.labelling_page import option, press, saved
from tests.factories import UserFactory

Axe = Callable[[], list[str]]


@pytest.fixture
def lead(project: Project) -> User:
    made: User = UserFactory.create(username="mira")
    member_add(project=project, user=made)
    return made


def write(project: Project, text: str, by: User) -> None:
    settings = ProjectSettings(project.name, ProjectRules(guidelines=text))
    act = ProjectAct(by, timezone.now() + timedelta(seconds=1))
    project_change(project=project, settings=settings, act=act)


def look(page: Page) -> None:
    """Come back to the page, which asks the server then."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def news(page: Page) -> Locator:
    return page.locator("[data-part=new-guidelines]")


def version_read(user: User) -> int:
    return Member.objects.get(user=user).guidelines_read


def test_an_open_page_says_so_and_reading_in_its_dialog_counts(
    labelling_page: Page, project: Project, ann: User, lead: User, axe: Axe
) -> None:
    page = labelling_page
    press(page, "q", "w")
    write(project, "Label every sound.", lead)
    look(page)
    expect(news(page)).to_contain_text("by mira on")
    expect(news(page)).to_contain_text("added “Label every sound.”.")
    expect(page.locator("[data-part=live]")).to_contain_text("The guidelines were changed by mira")
    assert axe() == []
    expect(option(page, "large, Property of who or what")).to_be_visible()
    assert version_read(ann) == 0
    press(page, "h")
    dialog = page.get_by_role("dialog", name="Guidelines")
    expect(dialog.locator(".prose")).to_have_text("Label every sound.")
    expect(news(page)).to_be_hidden()
    assert version_read(ann) == 1
    press(page, "h")
    write(project, "Label every sound once.", lead)
    look(page)
    expect(news(page)).to_contain_text("now “Label every sound once.”")
    news(page).get_by_role("button", name="Read").click()
    expect(dialog.get_by_role("heading", name="What changed since version 1")).to_be_visible()
    expect(dialog.locator("ins")).to_contain_text("once.")
    assert axe() == []
    assert version_read(ann) == 2
    # Opened again, it goes on to say what changed; the work in hand is as it was.
    press(page, "h")
    expect(dialog).to_be_hidden()
    with page.expect_response("**/guidelines/?sheet"):
        press(page, "h")
    expect(dialog.locator("ins")).to_contain_text("once.")
    press(page, "h")
    press(page, "a")
    saved(page)


def test_without_the_server_the_dialog_has_what_it_had_and_the_notice_stays(
    labelling_page: Page, project: Project, ann: User, lead: User, complaints: list[str]
) -> None:
    page = labelling_page
    write(project, "Label every sound.", lead)
    look(page)
    expect(news(page)).to_be_visible()
    page.context.set_offline(True)
    with page.expect_event("requestfailed", lambda request: "?sheet" in request.url):
        press(page, "h")
    expect(
        page.get_by_role("dialog", name="Guidelines").get_by_text("Who", exact=True)
    ).to_be_visible()
    press(page, "h")
    expect(news(page)).to_be_visible()
    assert version_read(ann) == 0
    page.context.set_offline(False)
    complaints.clear()
