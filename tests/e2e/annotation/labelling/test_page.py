"""The page around the words: captions at hand, notes on labels, sound, hostile texts."""

import json
from typing import Any

from playwright.sync_api import Page, expect

from annotation.models import Annotation, Project
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.e2e.annotation.desk import (
    DOG,
    LARGE,
    TEXTS,
    TWELVE,
    Desk,
    label_button,
    of,
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
    page = Desk(desk.page, desk.site, made, desk.user).open()
    press(page, "w", "a")
    saved(page)
    page.goto(f"{desk.site}/annotate/{made.slug}/history/")
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


def test_on_a_phone_what_a_label_is_for_waits_in_a_disclosure_and_needs_no_server(
    work: Page, complaints: list[str]
) -> None:
    work.set_viewport_size({"width": 390, "height": 844})
    notes = part(work, "label-notes")
    expect(notes).not_to_have_attribute("open", "")
    work.context.set_offline(True)
    press(work, "q", "w")
    expect(notes.get_by_text(WHO)).to_be_hidden()
    notes.get_by_text("What the label is for").focus()
    press(work, "Enter")
    expect(notes.get_by_text(WHO)).to_be_visible()
    fits_width(work)
    # Keys go on with the caption from here.
    shows(work, LARGE, DOG)
    press(work, "a")
    shows(work, "heavy")
    work.context.set_offline(False)
    saved(work)
    complaints.clear()
