"""The page of work: what is at hand, read out and seen enlarged, notes, hostile texts."""

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Annotation, Item, Project
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.e2e.annotation.desk import (
    LARGE,
    TEXTS,
    TWELVE,
    Desk,
    label_button,
    labelled,
    least_height,
    live,
    look,
    of,
    option,
    part,
    press,
    saved,
    shows,
)
from tests.e2e.conftest import Axe, LooksRight
from tests.e2e.page_checks import fits_width


def test_six_captions_are_at_hand_and_the_end_is_said(
    work: Page, ann: User, looks_right: LooksRight
) -> None:
    following = make_project(texts=("a dog", "a cat"))
    Project.objects.filter(pk=following.pk).update(name="Next <b>")
    member_add(project=following, user=ann)
    for _ in TEXTS:
        press(work, "a")
    expect(part(work, "empty-text")).to_have_text("Everything is done or with others.")
    saved(work)
    expect(part(work, "left")).to_have_text("0")
    expect(part(work, "today")).to_have_text(str(len(TEXTS)))
    assert Annotation.objects.count() == len(TEXTS)
    words = sum(len(caption.split()) for caption in TEXTS)
    totals = work.get_by_role("region", name="Your work in this project").get_by_role("definition")
    expect(totals).to_have_text([str(len(TEXTS)), str(words), "under 1 min"])
    looks_right()
    # The way on leads to the next project that is open and has captions left.
    work.get_by_role("link", name="Go on with Next <b>: 2 left").click()
    shows(work, "dog")
    work.go_back()
    # Nothing is in hand, and the answers can still be gone back to.
    expect(part(work, "empty-text")).to_contain_text("Everything is done")
    press(work, "a", "Backspace")
    shows(work, "bucket")


def test_an_answer_is_opened_again_from_the_list(work: Page, looks_right: LooksRight) -> None:
    press(work, "q", "a")
    saved(work)
    work.get_by_role("link", name="Your answers").click()
    work.wait_for_url("**/history/")
    looks_right()
    work.get_by_role("link", name="Open again").click()
    shows(work, LARGE)
    press(work, "o", "a")
    saved(work)
    assert (of(TWELVE).version, Annotation.objects.count()) == (2, 1)


def test_sound_plays_from_this_site_only(desk: Desk) -> None:
    first, second = desk.project.items.order_by("position")[:2]
    first.meta = {"audio": "https://elsewhere.example/dog.wav"}
    second.meta = {"audio": "/static/favicon.svg"}
    first.save()
    second.save()
    played = "HTMLMediaElement.prototype.play = async () => { window.played = true; }"
    desk.page.add_init_script(played)
    page = desk.open()
    play = page.get_by_role("button", name="Play")
    expect(play).to_be_hidden()
    press(page, "p")
    assert not page.evaluate("window.played")
    press(page, "a")
    expect(play).to_be_visible()
    press(page, "p")
    page.wait_for_function("window.played")


def test_hostile_captions_and_labels_are_text(desk: Desk) -> None:
    bad = "<img src=x onerror=alert(1)> \u202etxt </script><b>loud</b>"
    made = make_project(texts=(bad, "a dog"))
    member_add(project=made, user=desk.user)
    scheme = made.scheme
    labels = json.loads(json.dumps(scheme.labels))
    labels[0]["title"] = "<i>Who</i>"
    type(scheme).objects.filter(pk=scheme.pk).update(labels=labels)
    page = Desk(desk.page, made, desk.user).open()
    press(page, "w", "a")
    saved(page)
    page.goto(f"/annotate/{made.slug}/history/")
    expect(page.locator(".answer__text")).to_contain_text("<i>Who</i>")
    assert page.locator("main img, main b, main i").count() == 0


WHO = "The living being that makes the sound or acts."
HOW = "The action or event by which the sound comes about."
PLACES = """() => [...document.querySelectorAll(
  ".words, .label-button, .session__actions, .session__comment, .label-notes > summary, footer"
)].map((one) => one.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height])
"""


def places(page: Page) -> Any:
    return page.evaluate(PLACES)


def test_what_a_label_is_for_follows_cursor_and_pointer_and_nothing_moves(
    work: Page, axe: Axe
) -> None:
    work.set_viewport_size({"width": 1400, "height": 900})
    notes = part(work, "label-notes")
    expect(notes.get_by_text("Go to a labelled word")).to_be_visible()
    before = places(work)
    # A label that was just given, though the cursor is on the next word already.
    press(work, "ArrowRight", "w")
    expect(notes.get_by_text(WHO)).to_be_visible()
    expect(notes.locator("mark").first).to_have_text("man")
    press(work, "o")
    expect(notes.get_by_text(HOW)).to_be_visible()
    press(work, "Home", "ArrowRight", "ArrowRight")
    expect(notes.get_by_text(WHO)).to_be_visible()
    expect(notes.get_by_text(HOW)).to_be_hidden()
    # The pointer on a label shows that one, as long as it is there; the focus does, too.
    label_button(work, "o How").hover()
    expect(notes.get_by_text(HOW)).to_be_visible()
    work.mouse.move(5, 5)
    expect(notes.get_by_text(WHO)).to_be_visible()
    label_button(work, "o How").focus()
    expect(notes.get_by_text(HOW)).to_be_visible()
    assert places(work) == before
    for scheme in ("light", "dark"):
        work.emulate_media(color_scheme=scheme)
        assert axe() == []
    # The longest note fits into its room: else the foot of the page would move.
    heights = set()
    for button in work.locator(".label-bar [data-label]:not([data-label=''])").all():
        button.hover()
        heights.add(notes.evaluate("one => one.getBoundingClientRect().height"))
    assert len(heights) == 1


# What was read out, in order; a region whose text stays the same says nothing.
LISTEN = """window.heard = [];
new MutationObserver((changes) => changes.forEach(({target}) => {
    const live = (target.closest ? target : target.parentElement)?.closest('[data-part=live]');
    if (live && live.textContent !== window.heard.at(-1)) window.heard.push(live.textContent);
})).observe(document, {subtree: true, childList: true, characterData: true});"""


def words_of(page: Page) -> Locator:
    return page.get_by_role("listbox", name="Words of the caption")


def test_a_screen_reader_hears_words_labels_and_what_changes(work: Page, axe: Axe) -> None:
    words = words_of(work)
    expect(live(work)).to_have_text(f"Caption 1: {TWELVE}")
    expect(words).to_be_focused()
    expect(words).to_have_attribute("aria-multiselectable", "true")
    expect(words).to_have_attribute("aria-activedescendant", "word-1")
    expect(option(work, "large")).to_have_attribute("aria-selected", "true")
    press(work, "q")
    expect(live(work)).to_have_text(LARGE.replace(",", ":"))
    expect(option(work, LARGE)).to_have_attribute("aria-selected", "false")
    press(work, "w", "Control+z")
    expect(live(work)).to_contain_text("Undone. dog: no label")
    press(work, "Control+Shift+z")
    expect(live(work)).to_contain_text("Redone. dog: Who")
    press(work, "f", "Control+z")
    expect(live(work)).to_contain_text("Undone. Not flagged")
    # The same again is said again.
    work.evaluate(LISTEN)
    for count in (1, 2):
        press(work, "End", "-")
        work.wait_for_function("count => window.heard.length === count", arg=count)
    said = {one.strip() for one in work.evaluate("window.heard")}
    assert said == {"There is no label on this word."}
    press(work, "a")
    expect(live(work)).to_have_text(f"Accepted. Next: {TEXTS[1]}")
    # Two keys in one go, faster than anybody's, are read out together.
    work.evaluate(
        "['q', 'w'].forEach((key) => document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', {key, bubbles: true})))"
    )
    expect(live(work)).to_have_text("heavy: Property of who or what rain: Who")
    press(work, "?", "?", "h")
    expect(work.get_by_role("dialog", name="Guidelines")).to_be_visible()
    assert axe() == []
    press(work, "h")
    expect(work.get_by_role("dialog")).to_have_count(0)


def test_the_focus_is_never_lost(work: Page, desk: Desk, complaints: list[str]) -> None:
    """On a label, a choice between versions, a refused answer that is discarded, at the end."""
    who = label_button(work, "w Who")
    who.focus()
    press(work, "Enter")
    shows(work, "large, Who")
    expect(who).to_have_attribute("aria-pressed", "false")
    expect(who).to_be_focused()
    other = desk.window()
    press(other, "w", "a")
    saved(other)
    other.close()
    words_of(work).focus()
    press(work, "o", "a")
    work.get_by_role("button", name="Look at both").focus()
    press(work, "Enter")
    theirs = work.locator("[data-do=keep-theirs]")
    expect(theirs).to_have_accessible_description("Saved in the other window")
    theirs.focus()
    press(work, "Enter")
    expect(live(work)).to_contain_text("Kept: Saved in the other window.")
    expect(words_of(work)).to_be_focused()
    Item.objects.filter(project=desk.project, text=TEXTS[1]).delete()
    press(work, "q", "a")
    work.get_by_role("button", name="Discard").focus()
    press(work, "Enter")
    expect(work.get_by_role("button", name="Discard it for good")).to_be_focused()
    # An answer on its way has the list written anew.
    press(work, "Shift+Tab")
    look(work)
    expect(work.get_by_role("button", name="Open again")).to_be_focused()
    press(work, "Tab", "Enter")
    expect(work.get_by_role("button", name="Discard")).to_have_count(0)
    expect(words_of(work)).to_be_focused()
    for _ in TEXTS[2:]:
        press(work, "a")
    expect(work.get_by_role("group", name="Everything is done or with others.")).to_be_focused()
    press(work, "Backspace")
    expect(words_of(work)).to_be_focused()
    complaints.clear()  # the deleted caption was not found


def test_enlarged_four_times_narrow_or_with_forced_colours_all_is_seen(work: Page) -> None:
    work.set_viewport_size({"width": 320, "height": 256})
    for key in ("End", "Home"):
        press(work, key)
        expect(work.locator(".word.is-cursor")).to_be_in_viewport(ratio=1)
    # A narrow page with a mouse is no phone: what the keys are stays on the buttons.
    expect(work.locator("[data-do=keys]")).to_be_visible()
    expect(work.locator("[data-do=accept] kbd")).to_be_visible()
    fits_width(work)
    work.set_viewport_size({"width": 390, "height": 844})
    assert least_height(work, ".word, .label-button, .session__actions .button") >= 44
    fits_width(work)
    # Only the word in hand has a frame.
    work.emulate_media(forced_colors="active")
    frames = work.locator(".word__text").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).borderTopColor)"
    )
    paper = work.evaluate("getComputedStyle(document.body).backgroundColor")
    assert [at for at, colour in enumerate(frames) if colour != paper] == [0]


@pytest.mark.browser_context_args(
    viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
)
def test_a_phone_shows_no_keys(work: Page) -> None:
    expect(work.locator("[data-do=accept] kbd")).to_be_hidden()
    expect(work.locator("[data-do=keys]")).to_be_hidden()


def test_keys_without_ctrl_can_be_turned_off_and_all_goes_on_by_buttons(
    work: Page, desk: Desk
) -> None:
    press(work, "?")
    work.get_by_role("checkbox", name="Keys without ctrl label and answer").focus()
    with work.expect_response("**/keys"):
        press(work, " ")
    press(work, "Escape", "w", "1", "a", " ", "ArrowRight")
    expect(option(work, "dog")).to_have_attribute("aria-selected", "true")
    expect(labelled(work)).to_have_count(0)
    desk.open()
    press(work, "a")
    expect(work.locator("[data-do=accept] kbd")).to_be_hidden()
    label_button(work, "Who").focus()
    press(work, "Enter")
    shows(work, "large, Who")
    press(work, "Control+z")
    shows(work, "large")
    work.get_by_role("button", name="Keys").focus()
    press(work, "Enter")
    with work.expect_response("**/keys"):
        work.get_by_role("button", name="Reset all keys").click()
    press(work, "Escape", "q")
    shows(work, LARGE)
