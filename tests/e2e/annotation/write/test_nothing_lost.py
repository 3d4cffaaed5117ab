"""Whatever happens to the server, the tab or another window: what was done is kept."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Annotation, Revision
from tests.e2e.annotation.desk import (
    KILLED,
    LEFT,
    OURS,
    SAVES,
    THEIRS,
    Desk,
    intercept,
    keep,
    least_height,
    look_at_both,
    part,
    press,
    saved,
    unsaved,
)
from tests.e2e.annotation.write.hands import HANDS, HEAR, Hands, objection, title, values
from tests.e2e.conftest import Axe, LooksRight

# Captions are edited by the form in which they are written.
pytestmark = pytest.mark.parametrize("kind", HANDS, indirect=True)
FINGERS = ".session__actions .button, .written > textarea, .judged__choice, .rated__scale > label"


def test_answers_given_while_the_server_is_away_arrive_once_and_are_changed_later(
    work: Page, hands: Hands
) -> None:
    away = True
    intercept(work, SAVES, lambda route: route.abort() if away else route.continue_())
    for which in (0, 1):
        hands.do(work, which)
        press(work, "a")
        expect(title(work)).to_have_text(hands.title(which + 2))
    unsaved(work, 2)
    away = False
    press(work, "Control+s")
    saved(work)
    assert values() == [hands.value(0), hands.value(1, item=1)]
    assert Revision.objects.count() == 2
    press(work, "Backspace", "Backspace")
    hands.sees(work, 0)
    expect(objection(work)).to_have_text("")
    hands.change(work)
    expect(title(work)).to_have_text(hands.title(2))
    saved(work)
    assert values()[0] == hands.changed()
    assert [row.version for row in Annotation.objects.order_by("item__position")] == [2, 1]


def test_a_killed_tab_has_the_answer_on_return_and_that_the_sound_was_heard(
    desk: Desk, hands: Hands
) -> None:
    desk.page.add_init_script(KILLED)
    desk.open()
    hands.do(desk.page, 0)
    desk.page.close()
    again = desk.window()
    hands.sees(again, 0)
    expect(objection(again)).to_have_text("")
    # The steps of before can still be undone, but not that it was heard.
    press(again, "Control+z")
    hands.sees_other(again, 0)
    expect(objection(again)).not_to_have_text(HEAR)
    # Accepted while no answer gets through, it arrives on the next return.
    desk.cut_off()
    press(again, "Control+y", "a")
    unsaved(again, 1)
    again.close()
    desk.connect()
    assert not Annotation.objects.exists()
    later = desk.window()
    expect(title(later)).to_have_text(hands.title(2))
    saved(later)
    expect(part(later, "today")).to_have_text("1")
    assert values() == [hands.value(0)]


def test_of_two_windows_answers_and_drafts_are_shown_in_lines_and_one_is_kept(
    work: Page, desk: Desk, hands: Hands, axe: Axe
) -> None:
    other = desk.window()
    hands.do(other, 1)
    press(other, "f", "a")
    saved(other)
    hands.do(work, 0)
    press(work, "a")
    sheet = look_at_both(work)
    count = len(hands.lines(0)) + 1
    expect(sheet.get_by_text(f"{count} differences.", exact=True)).to_be_visible()
    for side, lines in (
        (OURS, [*hands.lines(0), "Not flagged"]),
        (THEIRS, [*hands.lines(1), "Flagged"]),
    ):
        expect(sheet.get_by_role("region", name=side).get_by_role("listitem")).to_have_text(lines)
    assert axe() == []
    keep(sheet, OURS)
    saved(work)
    assert values() == [hands.value(0)]
    # Of the next task each window leaves what it has begun.
    hands.begin(work, 0)
    hands.begin(other, 1)
    work.close()
    other.close()
    page = desk.window()
    left = page.get_by_role("dialog", name="Two windows left unfinished work")
    there = left.get_by_role("region", name=LEFT)
    expect(there.get_by_role("listitem")).to_have_text(hands.begun_lines(0, item=1))
    keep(left, LEFT)
    hands.sees_begun(page, 0)
    expect(objection(page)).to_have_text(HEAR)


def test_the_page_can_be_used_at_any_width_by_finger_and_eye(
    work: Page, hands: Hands, looks_right: LooksRight
) -> None:
    hands.begin(work, 0)
    for width in (320, 1400):
        work.set_viewport_size({"width": width, "height": 800})
        assert work.evaluate("document.documentElement.scrollWidth") <= width
        assert least_height(work, FINGERS) >= 44
    looks_right()
    # Names of files often say what is heard.
    assert ".wav" not in work.content()
    press(work, "?")
    sheet = work.get_by_role("dialog", name="Keys")
    expect(sheet.get_by_text("Play or pause the sound").first).to_be_visible()
    looks_right()
