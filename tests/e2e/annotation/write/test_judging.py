"""Pairs judged without a pointer: heard, chosen and accepted by one press."""

import pytest
from playwright.sync_api import Page, expect

from annotation.kinds.judge import captions_of
from annotation.models import Annotation, Project, Sound
from tests.e2e.annotation.desk import Desk, live, part, press, saved
from tests.e2e.annotation.write.hands import (
    HEAR,
    SIDES,
    JudgeHands,
    choice,
    hear,
    objection,
    title,
    values,
)

pytestmark = pytest.mark.parametrize("kind", ["judge"], indirect=True)


@pytest.mark.parametrize(
    "keys",
    [("j", "l", "k"), ("1", "2", "3"), ("ArrowLeft", "ArrowRight", "click")],
    ids=["letters", "digits", "arrows and pointer"],
)
def test_a_pair_is_heard_and_judged_by_one_press_each(
    work: Page, hands: JudgeHands, keys: tuple[str, ...]
) -> None:
    group = work.get_by_role("group", name="Which caption describes the sound better?")
    expect(group.get_by_role("button")).to_have_count(3)
    for at, (item, key) in enumerate(zip(hands.items, keys, strict=True)):
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


def test_a_pair_without_a_sound_is_skipped_or_judged_by_the_captions_where_a_project_lets(
    desk: Desk,
) -> None:
    Sound.objects.all().delete()
    page = desk.open()
    expect(objection(page)).to_contain_text("There is no sound to this pair")
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
