"""A caption that is removed while somebody labels it: the page says why, and nothing is lost."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Item, Project
from annotation.selectors.captions.effects import caption_removal
from annotation.services.captions import captions_bring_back, captions_remove
from annotation.services.projects import ProjectAct
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.e2e.annotation.labelling.labelling_page import (
    TEXTS,
    TWELVE,
    of,
    open_labelling_page,
    option,
    press,
    runs,
    saved,
    text,
)
from tests.e2e.annotation.test_imports import looks_right
from tests.e2e.conftest import LogIn
from tests.factories import UserFactory

Axe = Callable[[], list[str]]
LARGE = "large, Property of who or what"
# Longer than the page waits before it asks the server how things are.
A_WHILE = "00:25"


@pytest.fixture
def lead(transactional_db: None) -> User:
    return UserFactory.create(username="mira")


def remove(project: Project, lead: User, caption: str) -> Item:
    item = project.items.get(text=caption)
    seen = caption_removal([item.pk]).stamp
    act = ProjectAct(lead, NOW)
    captions_remove(project=project, items=[item.pk], seen=seen, act=act)
    return item


def test_an_open_caption_that_is_removed_goes_and_comes_back_as_it_was_left(
    page: Page,
    live_server: LiveServer,
    project: Project,
    ann: User,
    lead: User,
    log_in: LogIn,
    axe: Axe,
) -> None:
    page.clock.install()
    log_in(ann)
    open_labelling_page(page, live_server, project)
    press(page, "q")
    expect(option(page, LARGE)).to_be_visible()
    item = remove(project, lead, TWELVE)
    page.clock.fast_forward(A_WHILE)
    notice = page.locator("[data-part=removed]")
    expect(notice).to_contain_text("Caption 1, “a large dog")
    expect(notice).to_contain_text("was removed from the project by mira on 1 March 2026")
    expect(notice).to_contain_text("What you began on it is kept in this browser.")
    expect(page.locator("[data-part=live]")).to_contain_text("You need not label it")
    assert text(page) == TEXTS[1]
    looks_right(page, axe)
    # The work goes on with the next one, and the notice stays until it is closed.
    press(page, "a")
    saved(page)
    page.get_by_role("button", name="Close", exact=True).press("Enter")
    expect(page.get_by_role("listbox")).to_be_focused()
    expect(notice).to_be_hidden()
    captions_bring_back(project=project, items=[item.pk], act=ProjectAct(lead, NOW))
    page.reload()
    expect(option(page, LARGE)).to_be_visible()
    press(page, "a")
    saved(page)
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
    assert of(TWELVE).counts


def test_an_answer_that_comes_after_the_removal_is_kept_and_said_to_be(
    labelling_page: Page, project: Project, lead: User
) -> None:
    page = labelling_page
    press(page, "q")
    remove(project, lead, TWELVE)
    press(page, "a")
    notice = page.locator("[data-part=removed]")
    expect(notice).to_contain_text("Your answer is kept and does not count.")
    assert Annotation.objects.count() == 0
    kept = Annotation.with_removed.get()
    assert runs(kept) == [("large", "WHO_WHAT_PROPERTY")]
    # Going back leads to answers that can be given again, and to no removed one.
    press(page, "a")
    saved(page)
    page.reload()
    expect(page.get_by_role("option").first).to_be_visible()
    press(page, "Backspace")
    expect(page.locator("[data-part=title]")).to_have_text("Caption 2")
    press(page, "a", "Backspace", "Backspace")
    expect(page.locator("[data-part=live]")).to_contain_text("There is no earlier caption.")
