"""Editing captions: the caption as it was written, corrected or accepted as it is."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.annotation.kinds.conftest import CAPTION
from tests.e2e.annotation.write.writing_page import field, hear, objection, press, saved, values

pytestmark = pytest.mark.parametrize("kind", ["edit"], indirect=True)

Axe = Callable[[], list[str]]


def test_the_caption_is_in_the_text_and_above_it_and_may_stay_as_it_is(writing_page: Page) -> None:
    expect(field(writing_page)).to_have_value(CAPTION)
    expect(writing_page.get_by_text("Original:")).to_be_visible()
    hear(writing_page)
    expect(objection(writing_page)).to_have_text("")
    press(writing_page, "a")
    saved(writing_page)
    assert values() == [{"text": CAPTION, "heard": True}]


def test_undo_stops_at_the_caption_as_it_was_written(writing_page: Page) -> None:
    press(writing_page, "w", "End")
    writing_page.keyboard.type(" now")
    press(writing_page, "Control+z", "Control+z", "Control+z")
    expect(field(writing_page)).to_have_value(CAPTION)
    expect(writing_page.locator("[data-part=original]")).to_have_text(CAPTION)
    expect(writing_page.locator("[data-part=live]")).to_contain_text("where the caption began")


@pytest.mark.parametrize("width", [390, 1400])
def test_the_page_can_be_used_at_any_width(writing_page: Page, axe: Axe, width: int) -> None:
    writing_page.set_viewport_size({"width": width, "height": 800})
    assert writing_page.evaluate("document.documentElement.scrollWidth") <= width
    for scheme in ("light", "dark"):
        writing_page.emulate_media(color_scheme=scheme)
        assert axe() == []
