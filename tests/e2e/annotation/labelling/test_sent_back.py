"""A caption that comes back: with why, with the earlier answer, and nothing lost on the way."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Project
from annotation.selectors.captions.effects import caption_sending_back
from annotation.services.captions import captions_send_back
from annotation.services.projects import ProjectAct
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
    text,
)
from tests.e2e.annotation.test_imports import looks_right
from tests.factories import UserFactory

Axe = Callable[[], list[str]]
LARGE = "large, Property of who or what"


@pytest.fixture
def lead(transactional_db: None) -> User:
    return UserFactory.create(username="mira")


def send_back(project: Project, lead: User, caption: str) -> None:
    items = [project.items.get(text=caption).pk]
    captions_send_back(
        project=project,
        items=items,
        note="Label the verb, too.",
        seen=caption_sending_back(project, items).stamp,
        act=ProjectAct(lead, NOW),
    )


def test_it_comes_again_on_the_open_page_and_the_same_answer_counts_anew(
    labelling_page: Page, project: Project, lead: User, axe: Axe
) -> None:
    page = labelling_page
    press(page, "q", "a")
    saved(page)
    send_back(project, lead, TWELVE)
    # All that is at hand is answered, so that more is asked for.
    notice = page.locator("[data-part=sent-back]")
    for _ in TEXTS[1:]:
        expect(notice).to_be_hidden()
        press(page, "a")
        saved(page)
    expect(notice).to_have_text("Sent back by mira on 1 March 2026 at 12:00: Label the verb, too.")
    expect(option(page, LARGE)).to_be_visible()
    looks_right(page, axe)
    press(page, "a")
    saved(page)
    expect(notice).to_be_hidden()
    kept = of(TWELVE)
    assert (kept.counts, kept.version, kept.revisions.count()) == (True, 2, 2)


def test_a_change_made_without_knowing_is_kept_and_the_caption_comes_with_why(
    labelling_page: Page, project: Project, lead: User
) -> None:
    page = labelling_page
    press(page, "a")
    saved(page)
    press(page, "Backspace")
    expect(page.locator("[data-part=title]")).to_have_text("Caption 1")
    press(page, "q")
    send_back(project, lead, TWELVE)
    press(page, "a")
    expect(page.locator("[data-part=live]")).to_contain_text("was sent back to you meanwhile")
    for _ in TEXTS:
        if text(page) == TWELVE:
            break
        press(page, "a")
        saved(page)
    expect(page.locator("[data-part=sent-back]")).to_contain_text("Label the verb, too.")
    expect(option(page, LARGE)).to_be_visible()
    assert not of(TWELVE).counts
    press(page, "a")
    saved(page)
    assert of(TWELVE).counts
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY")]
