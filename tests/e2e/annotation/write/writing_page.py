"""What tests of the page of writing captions do and look at."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Project

# Ten words.
RAIN = "heavy rain falls on a metal roof while birds sing"
DOG = "a large dog barks twice in the distance behind cars"
SAVES = re.compile(r"/items/\d+/annotation$")
HEAR = "Hear the sound to its end first."


def open_writing_page(page: Page, server: LiveServer, project: Project) -> None:
    page.goto(f"{server.url}/annotate/{project.slug}/")
    expect(page.locator("[data-part=work]")).to_be_visible()
    # Read out a moment later, together with whatever is said until then.
    expect(page.locator("[data-part=live]")).not_to_be_empty()


def field(page: Page) -> Locator:
    """The text, of a caption that is written or edited."""
    return page.locator("textarea[data-field=text]")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def title(page: Page) -> Locator:
    return page.locator("[data-part=title]")


def objection(page: Page) -> Locator:
    return page.locator("[data-part=objection]")


def hear(page: Page) -> None:
    """Play the sound in hand to its end, by the key."""
    expect(page.get_by_role("slider", name="Position in the sound")).to_be_enabled()
    press(page, "p")
    expect(objection(page)).not_to_have_text(HEAR)


def saved(page: Page) -> None:
    expect(page.locator("[data-part=saving]")).to_have_text("Saved")


def values() -> list[dict[str, Any]]:
    """The answers that are stored, in the order of their sounds."""
    rows = Annotation.objects.order_by("item__position")
    return [row.value for row in rows if row.value is not None]
