"""Labels that change while somebody labels: an open page learns of it and loses nothing."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Project
from annotation.selectors.schemes import SchemeDraft
from annotation.services.projects import ProjectAct
from annotation.services.schemes import scheme_publish
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.e2e.annotation.labelling.labelling_page import (
    TEXTS,
    TWELVE,
    of,
    option,
    press,
    runs,
    saved,
)
from tests.factories import UserFactory

Axe = Callable[[], list[str]]


@pytest.fixture
def lead(transactional_db: None) -> User:
    return UserFactory.create(username="mira")


def rename(project: Project, lead: User) -> None:
    """Call WHO_WHAT_PROPERTY QUALITY, and take HOW away."""
    base = project.scheme
    who, quality, what, _, *others = base.inventory
    labels = (who, replace(quality, name="QUALITY", title="Quality"), what, *others)
    becomes = {"WHO_WHAT_PROPERTY": "QUALITY", "HOW": ""}
    draft = SchemeDraft("Ours", "", labels, becomes)
    scheme_publish(project=project, draft=draft, base=base, act=ProjectAct(lead, NOW))


def news(page: Page) -> Locator:
    return page.locator("[data-part=new-labels]")


def test_an_open_page_learns_of_new_labels_goes_on_and_loses_nothing(
    labelling_page: Page, project: Project, lead: User, axe: Axe
) -> None:
    page = labelling_page
    press(page, "q", "w", "a")
    saved(page)
    press(page, "q", "o")
    expect(option(page, "rain, How")).to_be_visible()
    rename(project, lead)
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(news(page)).to_contain_text("The labels were changed by mira on")
    expect(page.locator("[data-part=live]")).to_contain_text("What you did is kept")
    assert runs(of(TWELVE)) == [("large", "QUALITY"), ("dog", "WHO")]
    assert axe() == []
    # The page goes on with its own labels; what it sends is read by them.
    press(page, "a")
    saved(page)
    heavy = of(TEXTS[1])
    assert runs(heavy) == [("heavy", "QUALITY")]
    assert [span["label"] for span in heavy.revisions.get().spans] == ["WHO_WHAT_PROPERTY", "HOW"]
    press(page, "q")
    expect(option(page, "several, Property of who or what")).to_be_visible()
    page.get_by_role("link", name="Use the new labels").click()
    expect(option(page, "several, Quality")).to_be_visible()
    expect(news(page)).to_be_hidden()
    expect(
        page.get_by_role("group", name="Labels").get_by_role("button", name="How")
    ).to_have_count(1)
    press(page, "a")
    saved(page)
    assert runs(of(TEXTS[2])) == [("several", "QUALITY")]
