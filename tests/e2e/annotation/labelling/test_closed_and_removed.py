"""A project is closed, a caption removed or sent back while somebody labels: nothing is lost."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Annotation, Item, Project
from annotation.selectors.captions.effects import caption_removal, caption_sending_back
from annotation.services.captions import captions_bring_back, captions_remove, captions_send_back
from annotation.services.life_cycle import project_set_closed
from annotation.services.projects import ProjectAct
from tests.e2e.annotation.desk import (
    A_WHILE,
    HEAVY,
    LARGE,
    TEXTS,
    TWELVE,
    Desk,
    live,
    look,
    of,
    part,
    press,
    runs,
    saved,
    saving,
    shows,
    text,
)
from tests.e2e.conftest import LooksRight

ONE = [("large", "WHO_WHAT_PROPERTY")]


def close(project: Project, act: ProjectAct, *, closed: bool = True) -> None:
    project_set_closed(project=project, closed=closed, act=act)


def notice(page: Page) -> Locator:
    return page.get_by_role("region", name="This project is closed")


def remove(project: Project, act: ProjectAct, caption: str) -> Item:
    item = project.items.get(text=caption)
    captions_remove(
        project=project, items=[item.pk], seen=caption_removal([item.pk])["stamp"], act=act
    )
    return item


@pytest.mark.browser_context_args  # its clock is kept from then on
def test_an_open_page_hears_by_itself_of_a_closing_and_of_a_removal_and_goes_on_later(
    desk: Desk, act: ProjectAct, looks_right: LooksRight
) -> None:
    page, project = desk.page, desk.project
    page.clock.install()
    press(desk.open(), "q")
    shows(page, LARGE)
    close(project, act)
    page.clock.fast_forward(A_WHILE)
    expect(notice(page)).to_contain_text("Closed by mira on 1 March 2026")
    expect(notice(page)).to_contain_text("1 caption that you began is kept in this browser.")
    expect(live(page)).to_contain_text("This project is closed.")
    expect(page.get_by_role("option")).to_have_count(0)
    close(project, act, closed=False)
    page.clock.fast_forward(A_WHILE)
    shows(page, LARGE)
    expect(notice(page)).to_be_hidden()
    item = remove(project, act, TWELVE)
    page.clock.fast_forward(A_WHILE)
    removed = part(page, "removed")
    expect(removed).to_contain_text("Caption 1, “a large dog")
    expect(removed).to_contain_text("was removed from the project by mira on 1 March 2026")
    expect(removed).to_contain_text("What you began on it is kept in this browser.")
    expect(live(page)).to_contain_text("You need not label it")
    assert text(page) == TEXTS[1]
    looks_right()
    # The work goes on with the next one, and the notice stays until it is closed.
    press(page, "a")
    saved(page)
    page.get_by_role("button", name="Close", exact=True).press("Enter")
    expect(page.get_by_role("listbox")).to_be_focused()
    expect(removed).to_be_hidden()
    captions_bring_back(project=project, items=[item.pk], act=act)
    page.reload()
    shows(page, LARGE)
    press(page, "a")
    saved(page)
    assert (runs(of(TWELVE)), of(TWELVE).counts) == (ONE, True)


def test_nothing_can_be_labelled_in_a_closed_project_and_the_keys_stay_harmless(
    work: Page, desk: Desk, act: ProjectAct, looks_right: LooksRight
) -> None:
    close(desk.project, act)
    look(work)
    expect(notice(work)).to_be_focused()
    expect(work.get_by_role("group", name="Labels")).to_be_hidden()
    expect(work.get_by_role("button", name="Accept")).to_be_hidden()
    expect(part(work, "left")).to_have_text("0")
    press(work, "q", "a", "x", "Backspace", "Control+z", "Control+s", " ")
    looks_right()
    press(work, "Tab", "Enter")
    work.wait_for_url("**/history/")
    # A page that is opened now says so, too.
    work.goto(f"/annotate/{desk.project.slug}/")
    expect(notice(work)).to_contain_text("Closed by mira")
    expect(notice(work)).not_to_contain_text("kept in this browser")
    assert Annotation.every.count() == 0
    notice(work).get_by_role("link", name="Agreement").click()
    work.wait_for_url("**/agreement/")


def test_an_answer_to_a_closed_project_is_not_called_saved_nor_counted_as_today(
    work: Page, desk: Desk, act: ProjectAct
) -> None:
    press(work, "q", "a")
    saved(work)
    expect(part(work, "today")).to_have_text("1")
    close(desk.project, act)
    press(work, "r", "a")
    expect(notice(work)).to_contain_text("1 answer of yours is kept on the server")
    expect(saving(work)).to_have_text("Kept, not counted")
    expect(part(work, "today")).to_have_text("1")
    expect(part(work, "uncounted")).to_have_text("1")
    close(desk.project, act, closed=False)
    look(work)
    expect(part(work, "today")).to_have_text("2")
    expect(part(work, "uncounted")).to_be_hidden()
    saved(work)
    assert Annotation.objects.filter(assignment__isnull=False).count() == 2
    # A change of an answer is refused, and sent when the project is opened again.
    press(work, "Backspace")
    shows(work, HEAVY)
    close(desk.project, act)
    press(work, "w", "a")
    expect(work.get_by_text(f'Not saved: "{TEXTS[1]}"')).to_be_visible()
    expect(notice(work)).to_contain_text("1 answer is not saved yet, and kept")
    expect(work.get_by_role("button", name="Open again")).to_be_hidden()
    close(desk.project, act, closed=False)
    look(work)
    saved(work)
    assert runs(of(TEXTS[1])) == [("heavy", "SOUND_PROPERTY"), ("rain", "WHO")]


def test_an_answer_that_comes_after_the_removal_is_kept_and_said_to_be(
    work: Page, desk: Desk, act: ProjectAct
) -> None:
    press(work, "q")
    remove(desk.project, act, TWELVE)
    press(work, "a")
    expect(part(work, "removed")).to_contain_text("Your answer is kept and does not count.")
    assert Annotation.objects.count() == 0
    assert runs(Annotation.with_removed.get()) == ONE
    # Going back leads to answers that can be given again, and to no removed one.
    press(work, "a")
    saved(work)
    work.reload()
    expect(work.get_by_role("option").first).to_be_visible()
    press(work, "Backspace")
    expect(part(work, "title")).to_have_text("Caption 2")
    press(work, "a", "Backspace", "Backspace")
    expect(live(work)).to_contain_text("There is no earlier caption.")


def send_back(project: Project, act: ProjectAct) -> None:
    items = [project.items.get(text=TWELVE).pk]
    seen = caption_sending_back(project, items)["stamp"]
    note = "Label the verb, too."
    captions_send_back(project=project, items=items, note=note, seen=seen, act=act)


def go_on_until_it_comes(page: Page) -> None:
    """Answer what is at hand, so that more is asked for."""
    for _ in TEXTS:
        if text(page) == TWELVE:
            break
        press(page, "a")
        saved(page)
    told = "Sent back by mira on 1 March 2026 at 12:00: Label the verb, too."
    expect(part(page, "sent-back")).to_have_text(told)
    shows(page, LARGE)


def test_what_is_sent_back_comes_again_with_why_and_the_same_answer_counts_anew(
    work: Page, desk: Desk, act: ProjectAct, looks_right: LooksRight
) -> None:
    press(work, "q", "a")
    saved(work)
    send_back(desk.project, act)
    expect(part(work, "sent-back")).to_be_hidden()
    go_on_until_it_comes(work)
    looks_right()
    press(work, "a")
    saved(work)
    expect(part(work, "sent-back")).to_be_hidden()
    kept = of(TWELVE)
    assert (kept.counts, kept.version, kept.revisions.count()) == (True, 2, 2)


def test_a_change_made_without_knowing_that_it_was_sent_back_is_kept(
    work: Page, desk: Desk, act: ProjectAct
) -> None:
    press(work, "a")
    saved(work)
    press(work, "Backspace")
    expect(part(work, "title")).to_have_text("Caption 1")
    press(work, "q")
    send_back(desk.project, act)
    press(work, "a")
    expect(live(work)).to_contain_text("was sent back to you in the meantime")
    go_on_until_it_comes(work)
    assert not of(TWELVE).counts
    press(work, "a")
    saved(work)
    assert (runs(of(TWELVE)), of(TWELVE).counts) == (ONE, True)
