"""Rating captions by keys, pointer and screen reader."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.annotation.desk import live, press, saved
from tests.e2e.annotation.write.hands import HEAR, RateHands, hear, objection, title, values

pytestmark = pytest.mark.parametrize("kind", ["rate"], indirect=True)


def row(page: Page, place: int) -> Locator:
    return page.get_by_role("list", name="Captions").get_by_role("listitem").nth(place)


def number(page: Page, place: int, scale: str, value: int) -> Locator:
    group = row(page, place).get_by_role("group", name=scale)
    return group.get_by_role("radio", name=str(value), exact=True)


def given(hands: RateHands) -> list[list[tuple[int, int]]]:
    """The stored numbers in the order in which the captions of the first sound are shown."""
    return [
        [tuple(value["ratings"][one["key"]].values()) for one in hands.shown()]
        for value in values()
    ]


def test_captions_are_rated_by_digits_alone_or_by_pointer(work: Page, hands: RateHands) -> None:
    expect(objection(work)).to_have_text(HEAR)
    # Each group says what it is of.
    said = row(work, 0).get_by_role("paragraph").inner_text()
    group = row(work, 0).get_by_role("group", name="Accuracy")
    expect(group).to_have_accessible_description(said)
    hear(work)
    expect(objection(work)).to_have_text("Rate every caption: 6 ratings are missing.")
    press(work, "4", "3", "2", "1", "1")
    expect(objection(work)).to_have_text("Rate every caption: 1 rating is missing.")
    press(work, "2")
    expect(objection(work)).to_have_text("")
    press(work, "a")
    expect(title(work)).to_have_text("Sound 2")
    saved(work)
    assert given(hands) == [[(4, 3), (2, 1), (1, 2)]]
    hear(work)
    for place in range(3):
        for scale in ("Accuracy", "Fluency"):
            number(work, place, scale, place + 1).click()
    work.get_by_role("button", name="Accept").click()
    saved(work)
    assert sorted(given(hands)[1]) == [(1, 1), (2, 2), (3, 3)]


def test_up_and_down_go_from_caption_to_caption_and_undo_takes_a_number_back(work: Page) -> None:
    press(work, "ArrowDown", "ArrowDown", "ArrowDown", "3")
    expect(number(work, 2, "Accuracy", 3)).to_be_checked()
    expect(live(work)).to_contain_text("Accuracy of caption 3: 3")
    press(work, "ArrowUp", "4", "1")
    expect(number(work, 1, "Fluency", 1)).to_be_checked()
    press(work, "Control+z")
    expect(number(work, 1, "Fluency", 1)).not_to_be_checked()
    expect(number(work, 1, "Accuracy", 4)).to_be_checked()
    press(work, "Control+Shift+z")
    expect(number(work, 1, "Fluency", 1)).to_be_checked()


def test_radios_are_reached_by_tab_and_answer_to_arrows_space_and_digits(work: Page) -> None:
    number(work, 1, "Accuracy", 1).focus()
    press(work, "Space")
    expect(number(work, 1, "Accuracy", 1)).to_be_checked()
    press(work, "ArrowRight")
    expect(number(work, 1, "Accuracy", 2)).to_be_checked()
    press(work, "4")
    expect(number(work, 1, "Accuracy", 4)).to_be_checked()
    expect(number(work, 1, "Fluency", 1)).to_be_focused()
    press(work, "3")
    expect(number(work, 1, "Fluency", 3)).to_be_checked()
    expect(number(work, 2, "Accuracy", 1)).to_be_focused()
    press(work, "ArrowUp")
    expect(number(work, 1, "Accuracy", 4)).to_be_focused()
    expect(title(work)).to_have_text("Sound 1")
