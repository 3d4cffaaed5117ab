"""Rating captions by keys, pointer and screen reader."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.annotation.write.hands import Hands
from tests.e2e.annotation.write.writing_page import (
    HEAR,
    hear,
    objection,
    press,
    saved,
    title,
    values,
)

pytestmark = pytest.mark.parametrize("kind", ["rate"], indirect=True)

Axe = Callable[[], list[str]]


def row(page: Page, place: int) -> Locator:
    return page.get_by_role("list", name="Captions").get_by_role("listitem").nth(place)


def number(page: Page, place: int, scale: str, value: int) -> Locator:
    group = row(page, place).get_by_role("group", name=scale)
    return group.get_by_role("radio", name=str(value), exact=True)


def given(page: Page, hands: Hands) -> list[tuple[int, int]]:
    """The stored numbers in the order in which the captions are shown."""
    (value,) = values()
    shown = hands.item.project.work_kind.shown(hands.item, hands.user.pk).content["captions"]
    rows = [value["ratings"][one["key"]] for one in shown]
    return [(one["accuracy"], one["fluency"]) for one in rows]


def test_captions_are_rated_by_digits_alone(writing_page: Page, hands: Hands) -> None:
    expect(objection(writing_page)).to_have_text(HEAR)
    hear(writing_page)
    expect(objection(writing_page)).to_have_text("Rate every caption: 6 ratings are missing.")
    press(writing_page, "4", "3", "2", "1", "1")
    expect(objection(writing_page)).to_have_text("Rate every caption: 1 rating is missing.")
    press(writing_page, "2")
    expect(objection(writing_page)).to_have_text("")
    press(writing_page, "a")
    expect(title(writing_page)).to_have_text("Sound 2")
    saved(writing_page)
    assert given(writing_page, hands) == [(4, 3), (2, 1), (1, 2)]


def test_up_and_down_go_from_caption_to_caption_and_undo_takes_a_number_back(
    writing_page: Page,
) -> None:
    press(writing_page, "ArrowDown", "ArrowDown", "ArrowDown", "3")
    expect(number(writing_page, 2, "Accuracy", 3)).to_be_checked()
    expect(writing_page.locator("[data-part=live]")).to_contain_text("Accuracy of caption 3: 3")
    press(writing_page, "ArrowUp", "4", "1")
    expect(number(writing_page, 1, "Fluency", 1)).to_be_checked()
    press(writing_page, "Control+z")
    expect(number(writing_page, 1, "Fluency", 1)).not_to_be_checked()
    expect(number(writing_page, 1, "Accuracy", 4)).to_be_checked()
    press(writing_page, "Control+Shift+z")
    expect(number(writing_page, 1, "Fluency", 1)).to_be_checked()


def test_radios_are_reached_by_tab_and_answer_to_arrows_space_and_digits(
    writing_page: Page,
) -> None:
    number(writing_page, 1, "Accuracy", 1).focus()
    press(writing_page, "Space")
    expect(number(writing_page, 1, "Accuracy", 1)).to_be_checked()
    press(writing_page, "ArrowRight")
    expect(number(writing_page, 1, "Accuracy", 2)).to_be_checked()
    press(writing_page, "4")
    expect(number(writing_page, 1, "Accuracy", 4)).to_be_checked()
    expect(number(writing_page, 1, "Fluency", 1)).to_be_focused()
    press(writing_page, "3")
    expect(number(writing_page, 1, "Fluency", 3)).to_be_checked()
    expect(number(writing_page, 2, "Accuracy", 1)).to_be_focused()
    press(writing_page, "ArrowUp")
    expect(number(writing_page, 1, "Accuracy", 4)).to_be_focused()
    expect(title(writing_page)).to_have_text("Sound 1")


def test_captions_are_rated_by_pointer(writing_page: Page, hands: Hands) -> None:
    hear(writing_page)
    for place in range(3):
        for scale in ("Accuracy", "Fluency"):
            number(writing_page, place, scale, place + 1).click()
    writing_page.get_by_role("button", name="Accept").click()
    saved(writing_page)
    assert given(writing_page, hands) == [(1, 1), (2, 2), (3, 3)]


def test_each_group_says_what_it_is_of(writing_page: Page) -> None:
    said = row(writing_page, 0).get_by_role("paragraph").inner_text()
    group = row(writing_page, 0).get_by_role("group", name="Accuracy")
    expect(group).to_have_accessible_description(said)
    assert "wav" not in writing_page.locator("main").inner_text()


@pytest.mark.parametrize("width", [320, 390, 1400])
def test_the_page_can_be_used_at_any_width(writing_page: Page, axe: Axe, width: int) -> None:
    writing_page.set_viewport_size({"width": width, "height": 800})
    press(writing_page, "3")
    assert writing_page.evaluate("document.documentElement.scrollWidth") <= width
    sides = writing_page.locator(".rated__scale > label").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect()).flatMap((b) => [b.width, b.height])"
    )
    assert min(sides) >= 44
    for scheme in ("light", "dark"):
        writing_page.emulate_media(color_scheme=scheme)
        assert axe() == []


def test_the_sheet_of_keys_says_what_digits_do(writing_page: Page, axe: Axe) -> None:
    press(writing_page, "?")
    sheet = writing_page.get_by_role("dialog", name="Keys")
    expect(sheet.get_by_text("Rate accuracy, then fluency, then the next caption")).to_be_visible()
    assert axe() == []
