"""A project's labels written anew in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import UserFactory

Axe = Callable[[], list[str]]


@pytest.fixture
def project(transactional_db: None) -> Project:
    return make_project(UserFactory.create(username="lead"))


def looks_right(page: Page, axe: Axe) -> None:
    """No fault by axe in either colours, and nothing to be scrolled sideways on a phone."""
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
    page.set_viewport_size({"width": 390, "height": 800})
    fits_width(page)
    page.set_viewport_size({"width": 1280, "height": 720})


def test_a_lead_changes_a_label_by_keyboard(
    page: Page,
    live_server: LiveServer,
    project: Project,
    log_in: LogIn,
    axe: Axe,
    complaints: list[str],
) -> None:
    log_in(User.objects.get(username="lead"))
    page.goto(f"{live_server.url}/annotate/{project.slug}/manage/")
    page.get_by_role("link", name="Labels", exact=True).click()
    row = page.locator(".scheme__label").first
    row.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(row.get_by_label("Title")).to_have_value("Who")
    looks_right(page, axe)
    row.get_by_label("Title").fill("Being")
    row.get_by_label("Key").fill("a")
    page.get_by_role("button", name="See what this changes").click()
    fault = '"a" is the key of "Accept" on the labelling page. Choose another for "Being", or none.'
    expect(page.get_by_text(fault)).to_be_visible()
    looks_right(page, axe)
    # The browser tells of every page that is refused.
    assert "422" in complaints.pop()
    row.get_by_label("Key").fill("z")
    row.get_by_role("radio", name="Teal, falling strokes").check()
    page.get_by_role("button", name="See what this changes").press("Enter")
    expect(page.get_by_text('"WHO": title, key, colour changed.')).to_be_visible()
    looks_right(page, axe)
    page.get_by_role("button", name="Make version 2").press("Enter")
    expect(page.get_by_text("Version 2 holds from now on.")).to_be_visible()
    expect(row.locator("summary")).to_contain_text("Being")
    looks_right(page, axe)
    project.refresh_from_db()
    assert project.scheme.inventory[0].tone == 7
