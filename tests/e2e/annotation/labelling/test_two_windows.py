"""Two windows that work on one caption: both versions are shown, and a person chooses."""

from playwright.sync_api import Locator, Page, Route, expect

from annotation.models import Annotation
from annotation.services.answers import AnswerChange, annotation_save
from tests.annotation.conftest import NOW
from tests.e2e.annotation.desk import (
    DOG,
    LARGE,
    LEFT,
    OURS,
    SAVES,
    THEIRS,
    TWELVE,
    Desk,
    intercept,
    keep,
    look_at_both,
    of,
    part,
    press,
    runs,
    saved,
    shows,
    unsaved,
)
from tests.e2e.conftest import LooksRight

ONE = [("large", "WHO_WHAT_PROPERTY")]
# What the journal has of unfinished work, in both of its stores.
DRAFTS = """async () => {
    const kept = Object.keys(localStorage).filter((key) => key.endsWith('/draft'));
    const database = await new Promise((done) => {
        const opening = indexedDB.open('earmark-labelling', 1);
        opening.onsuccess = () => done(opening.result);
    });
    const rows = await new Promise((done) => {
        const all = database.transaction('work').objectStore('work').getAll();
        all.onsuccess = () => done(all.result);
    });
    database.close();
    return [...kept, ...rows.filter(({kind}) => kind === 'draft').map(({key}) => key)];
}"""


def no_draft_is_left(page: Page) -> None:
    page.wait_for_function(f"async () => (await ({DRAFTS})()).length === 0")


def left_by_two(work: Page, desk: Desk) -> Page:
    """Label "large" in one window and, without having seen that, "dog" in another; close both."""
    other = desk.window()
    press(work, "q")
    press(other, "ArrowRight", "w")
    shows(other, DOG)
    work.close()
    other.close()
    return desk.window()


def asked(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Two windows left unfinished work")


def test_of_two_windows_that_changed_one_caption_a_person_chooses(
    work: Page, desk: Desk, looks_right: LooksRight
) -> None:
    other = desk.window()
    # The same labels on "large" and "barks", another one on "dog", and a flag.
    press(other, "q", "w", "o", "f", "a")
    saved(other)
    press(work, "q", "t", "o", "a")
    sheet = look_at_both(work)
    # Only what differs is shown and marked.
    expect(sheet.locator("mark")).to_have_text(["dog"])
    expect(sheet.get_by_text("2 differences. 2 labels are the same in both.")).to_be_visible()
    ours, theirs = (sheet.get_by_role("region", name=name) for name in (OURS, THEIRS))
    expect(ours.get_by_role("listitem")).to_have_text(["dog: What", "Not flagged"])
    expect(theirs.get_by_role("listitem")).to_have_text(["dog: Who", "Flagged"])
    looks_right()
    keep(sheet, OURS)
    saved(work)
    kept = of(TWELVE)
    assert (kept.version, runs(kept)) == (2, [*ONE, ("dog", "WHAT"), ("barks", "HOW")])
    # And the other way round: what the other window saved stays, and what is given up is gone.
    press(other, "Backspace", "f", "a", "Backspace", "c")
    other.keyboard.type("odd")
    press(other, "Escape")
    keep(look_at_both(other), THEIRS)
    saved(other)
    assert of(TWELVE).version == 2
    shows(other, LARGE, "dog, What")
    other.close()
    no_draft_is_left(work)


def test_what_one_window_has_answered_does_not_come_in_the_other(work: Page, desk: Desk) -> None:
    other = desk.window()
    press(other, "a", "a")
    saved(other)
    press(work, "x")
    shows(work, "several")
    expect(work.get_by_role("button", name="Look at both")).to_be_visible()


def test_ours_can_be_kept_after_a_lost_reply_and_a_change_elsewhere(work: Page, desk: Desk) -> None:
    lost: list[Route] = []

    def lose(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route)
        route.fetch()
        change = AnswerChange(edit="elsewhere-1", base=1, spans=[])
        annotation_save(item=of(TWELVE).item, user=desk.user, change=change, now=NOW)
        route.abort("connectionreset")

    intercept(work, SAVES, lose)
    press(work, "q", "a")
    keep(look_at_both(work), OURS)
    saved(work)
    assert runs(of(TWELVE)) == ONE


def test_of_two_drafts_both_are_shown_and_the_one_that_is_chosen_is_kept(
    work: Page, desk: Desk
) -> None:
    page = left_by_two(work, desk)
    here = asked(page).get_by_role("region", name="On this page now")
    there = asked(page).get_by_role("region", name=LEFT)
    expect(here.get_by_text("dog: Who", exact=True)).to_be_visible()
    expect(there.get_by_text("large: Property of who or what", exact=True)).to_be_visible()
    expect(there.get_by_text("dog: no label", exact=True)).to_be_visible()
    keep(asked(page), LEFT)
    shows(page, LARGE, "dog")
    # The choice outlives the tab, and is asked for once.
    page.reload()
    shows(page, LARGE)
    expect(page.get_by_role("dialog")).to_be_hidden()
    press(page, "a")
    saved(page)
    assert runs(of(TWELVE)) == ONE
    shows(page, "heavy")
    no_draft_is_left(page)


def test_accepting_one_of_two_drafts_unasked_does_not_delete_the_other(
    work: Page, desk: Desk
) -> None:
    page = left_by_two(work, desk)
    asked(page).get_by_role("button", name="Later").click()
    expect(part(page, "conflicts")).to_be_visible()
    press(page, "a")
    saved(page)
    assert runs(of(TWELVE)) == [("dog", "WHO")]
    page.close()
    again = desk.window()
    shows(again, LARGE)
    # Nor does it overwrite unseen what was accepted.
    press(again, "a")
    sheet = look_at_both(again)
    expect(sheet.get_by_text("dog: Who", exact=True)).to_be_visible()
    keep(sheet, OURS)
    saved(again)
    assert (of(TWELVE).version, runs(of(TWELVE))) == (2, ONE)


def test_a_draft_that_went_on_from_another_asks_nothing(work: Page, desk: Desk) -> None:
    """It says that it is that window's as long as that is open."""
    begun = "You began this in another window"
    press(work, "q")
    shows(work, LARGE)
    other = desk.window()
    shows(other, LARGE)
    expect(other.get_by_text(begun)).to_be_visible()
    expect(work.get_by_text(begun)).to_be_hidden()
    press(other, "w")
    shows(other, DOG)
    work.close(run_before_unload=False)
    other.reload()
    shows(other, LARGE, DOG)
    expect(other.get_by_text(begun)).to_be_hidden()
    other.close()
    again = desk.window()
    shows(again, LARGE, DOG)
    expect(again.get_by_role("dialog")).to_be_hidden()


def test_a_later_draft_of_another_window_outlives_an_answer_in_this_one(
    work: Page, desk: Desk
) -> None:
    press(work, "q")
    other = desk.window()
    shows(other, LARGE)
    press(work, "w", "o")
    press(other, "a")
    saved(other)
    work.close()
    other.close()
    shows(desk.window(), DOG)


def test_a_draft_of_another_window_does_not_pass_for_a_change_of_an_answer_under_way(
    work: Page, desk: Desk
) -> None:
    other = desk.window()
    desk.cut_off()
    press(work, "q", "a")
    unsaved(work, 1)
    press(other, "ArrowRight", "w")
    shows(other, DOG)
    work.close()
    other.close()
    again = desk.window()
    shows(again, DOG)
    desk.connect()
    press(again, "Control+s")
    saved(again)
    press(again, "a")
    expect(again.get_by_role("button", name="Look at both")).to_be_visible()
    assert [runs(row) for row in Annotation.objects.all()] == [ONE]
