"""Inviting into a labelling project in a real browser, and joining by the link."""

from collections.abc import Callable

from django.conf import settings as site
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from tests.annotation.conftest import make_project
from tests.annotation.labelled import label
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width
from tests.factories import UserFactory


def test_a_manager_makes_a_link_by_keyboard_and_somebody_joins_by_it(
    page: Page,
    live_server: LiveServer,
    transactional_db: None,
    log_in: LogIn,
    axe: Callable[[], list[str]],
) -> None:
    manager, guest = UserFactory.create(username="manager"), UserFactory.create(username="guest")
    project: Project = make_project(manager)
    for item in project.items.all():
        label(item, manager, (1, 1, "WHO"))
    log_in(manager)
    page.goto(f"{live_server.url}/annotate/{project.slug}/manage/members/")
    page.get_by_label("People who may use it").fill("3")
    page.get_by_role("button", name="Make a link").press("Enter")
    link = page.locator("#invitation-link").inner_text()
    expect(page.get_by_role("status")).to_contain_text("cannot be shown again")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
    page.set_viewport_size({"width": 390, "height": 844})
    fits_width(page)
    expect(page.get_by_role("region", name="Pace").last).to_contain_text("manager")
    log_in(guest)
    page.goto(link.replace(site.SITE_URL, live_server.url))
    assert axe() == []
    page.get_by_role("button", name="Join").press("Enter")
    expect(page.get_by_text(f"You are in {project.name}.")).to_be_visible()
    assert project.members.filter(user=guest, role="annotator").exists()
