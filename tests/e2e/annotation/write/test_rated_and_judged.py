"""Captions rated and pairs judged by keys, pointer and screen reader, once they were heard."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.kinds.judge import captions_of
from annotation.models import Annotation, Project, Sound
from tests.e2e.annotation.desk import Desk, live, part, press, saved
from tests.e2e.annotation.write.hands import (
    HEAR,
    SIDES,
    JudgeHands,
    RateHands,
    choice,
    hear,
    objection,
    title,
    values,
)

rates = pytest.mark.parametrize("kind", ["rate"], indirect=True)
judges = pytest.mark.parametrize("kind", ["judge"], indirect=True)


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


@rates
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


@rates
def test_arrows_tab_and_digits_go_from_caption_to_caption_and_undo_takes_a_number_back(
    work: Page,
) -> None:
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
    # A screen reader's tab reaches each number, which answers to arrows, space and digits.
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
    expect(number(work, 2, "Accuracy", 3)).to_be_focused()
    press(work, "ArrowUp")
    expect(number(work, 1, "Accuracy", 4)).to_be_focused()
    expect(title(work)).to_have_text("Sound 1")


@judges
def test_a_pair_is_heard_and_judged_by_one_press_each(work: Page, hands: JudgeHands) -> None:
    group = work.get_by_role("group", name="Which caption describes the sound better?")
    expect(group.get_by_role("button")).to_have_count(3)
    for at, (item, key) in enumerate(zip(hands.items, ("1", "ArrowRight", "click"), strict=True)):
        texts = captions_of(item)
        for side, shown in zip(SIDES, hands.order(at), strict=True):
            expect(part(work, f"{side}-text")).to_have_text(texts[shown])
        hear(work)
        if key == "click":
            choice(work, "alike").click()
        else:
            press(work, key)
        if at == 0:
            expect(live(work)).to_contain_text("Accepted. Next: First:")
            expect(live(work)).to_contain_text("Second:")
    expect(part(work, "empty")).to_be_visible()
    saved(work)
    wanted = [hands.value(0), hands.value(1, item=1), {"choice": "alike", "heard": True}]
    assert values() == wanted


@judges
def test_the_same_sound_of_the_next_pair_is_heard_anew(desk: Desk, project: Project) -> None:
    project.items.update(meta=project.items.order_by("position")[0].meta)
    page = desk.open()
    hear(page)
    press(page, "j")
    expect(title(page)).to_have_text("Pair 2")
    place = page.get_by_role("slider", name="Position in the sound")
    expect(place).to_have_attribute("aria-valuetext", "0 of 1 seconds")
    assert page.evaluate("document.querySelector('audio').played.length") == 0
    press(page, "k")
    expect(objection(page)).to_have_text(HEAR)
    hear(page)
    press(page, "a")
    expect(title(page)).to_have_text("Pair 3")


@judges
def test_what_was_not_heard_is_chosen_and_not_accepted_and_undo_goes_back_across_pairs(
    work: Page, hands: JudgeHands
) -> None:
    press(work, "j")
    hands.sees(work, 0)
    expect(title(work)).to_have_text("Pair 1")
    expect(objection(work)).to_have_text(HEAR)
    hear(work)
    press(work, "a")
    expect(title(work)).to_have_text("Pair 2")
    hands.sees_other(work, 0)
    press(work, "a")
    expect(title(work)).to_have_text("Pair 2")
    press(work, "Control+z")
    expect(title(work)).to_have_text("Pair 1")
    hands.sees(work, 0)
    # Another press changes the answer.
    press(work, "l")
    expect(title(work)).to_have_text("Pair 2")
    saved(work)
    assert values() == [hands.value(1)]
    assert Annotation.objects.get().version == 2


@judges
def test_a_pair_without_a_sound_is_skipped_or_judged_by_the_captions_where_a_project_lets(
    desk: Desk,
) -> None:
    Sound.objects.all().delete()
    page = desk.open()
    expect(objection(page)).to_contain_text("This pair has no sound")
    press(page, "j", "a")
    expect(title(page)).to_have_text("Pair 1")
    press(page, " ")
    expect(title(page)).to_have_text("Pair 2")
    saved(page)
    assert Annotation.objects.get().answer == "ignore"
    Project.objects.update(kind_options={"with_sound": 0})
    desk.open()
    press(page, "k")
    expect(title(page)).to_have_text("Pair 3")
    saved(page)
    assert values()[-1] == {"choice": "alike", "heard": False}
