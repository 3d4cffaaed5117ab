"""The page around the words: captions at hand, screen readers, sound, hostile texts."""

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Annotation, Project
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.e2e.annotation.labelling.labelling_page import (
    TEXTS,
    TWELVE,
    of,
    open_labelling_page,
    option,
    press,
    saved,
)
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import fits_width

Axe = Callable[[], list[str]]


def test_six_captions_are_at_hand_and_the_end_is_said(
    labelling_page: Page, ann: User, axe: Axe
) -> None:
    following = make_project(texts=("a dog", "a cat"))
    Project.objects.filter(pk=following.pk).update(name="Next <b>")
    member_add(project=following, user=ann)
    for _ in TEXTS:
        press(labelling_page, "a")
    expect(labelling_page.locator("[data-part=empty-text]")).to_have_text(
        "Everything is done or with others."
    )
    expect(labelling_page.get_by_role("heading", name="Caption", exact=True)).to_be_visible()
    saved(labelling_page)
    expect(labelling_page.locator("[data-part=left]")).to_have_text("0")
    expect(labelling_page.locator("[data-part=today]")).to_have_text(str(len(TEXTS)))
    assert Annotation.objects.count() == len(TEXTS)
    totals = labelling_page.get_by_role("region", name="Your work in this project")
    words = sum(len(caption.split()) for caption in TEXTS)
    expect(totals.get_by_role("definition")).to_have_text(
        [str(len(TEXTS)), str(words), "under 1 min"]
    )
    for scheme in ("light", "dark"):
        labelling_page.emulate_media(color_scheme=scheme)
        assert axe() == []
    # The way on leads to the next project that is open and has captions left.
    labelling_page.get_by_role("link", name="Go on with Next <b>: 2 left").click()
    expect(option(labelling_page, "dog")).to_be_visible()
    labelling_page.go_back()
    expect(labelling_page.get_by_text("Everything is done or with others.")).to_be_visible()
    # Nothing is in hand, and the answers can still be gone back to.
    expect(labelling_page.locator("[data-part=empty-text]")).to_contain_text("Everything is done")
    press(labelling_page, "a", "Backspace")
    expect(option(labelling_page, "bucket")).to_be_visible()


def test_an_answer_is_opened_again_from_the_list(
    labelling_page: Page, live_server: LiveServer, project: Project, axe: Axe
) -> None:
    press(labelling_page, "q", "a")
    saved(labelling_page)
    labelling_page.get_by_role("link", name="Your answers").click()
    labelling_page.wait_for_url("**/history/")
    assert axe() == []
    labelling_page.get_by_role("link", name="Open again").click()
    expect(option(labelling_page, "large, Property of who or what")).to_be_visible()
    press(labelling_page, "o", "a")
    saved(labelling_page)
    assert (of(TWELVE).version, Annotation.objects.count()) == (2, 1)


def test_a_screen_reader_hears_words_labels_and_what_changes(
    labelling_page: Page, axe: Axe
) -> None:
    words = labelling_page.get_by_role("listbox", name="Words of the caption")
    expect(words).to_be_focused()
    expect(words).to_have_attribute("aria-multiselectable", "true")
    expect(words).to_have_attribute("aria-activedescendant", "word-1")
    expect(option(labelling_page, "large")).to_have_attribute("aria-selected", "true")
    press(labelling_page, "q")
    live = labelling_page.locator("[data-part=live]")
    expect(live).to_have_text("large: Property of who or what")
    expect(option(labelling_page, "large, Property of who or what")).to_have_attribute(
        "aria-selected", "false"
    )
    press(labelling_page, "a")
    expect(live).to_have_text(f"Accepted. Next: {TEXTS[1]}")
    assert axe() == []
    press(labelling_page, "?")
    assert axe() == []
    press(labelling_page, "?", "h")
    expect(labelling_page.get_by_role("dialog", name="Guidelines")).to_be_visible()
    assert axe() == []
    press(labelling_page, "h")
    expect(labelling_page.get_by_role("dialog")).to_have_count(0)


def test_targets_are_large_enough_for_fingers(labelling_page: Page) -> None:
    labelling_page.set_viewport_size({"width": 390, "height": 844})
    boxes = labelling_page.locator(".word, .label-button, .session__actions .button").evaluate_all(
        "all => all.filter((one) => one.checkVisibility())"
        ".map((one) => one.getBoundingClientRect().height)"
    )
    assert min(boxes) >= 44
    fits_width(labelling_page)


def test_sound_plays_from_this_site_only(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    first, second = project.items.order_by("position")[:2]
    first.meta = {"audio": "https://elsewhere.example/dog.wav"}
    second.meta = {"audio": "/static/favicon.svg"}
    first.save()
    second.save()
    page.add_init_script("HTMLMediaElement.prototype.play = async () => { window.played = true; }")
    log_in(ann)
    open_labelling_page(page, live_server, project)
    play = page.get_by_role("button", name="Play")
    expect(play).to_be_hidden()
    press(page, "p")
    assert not page.evaluate("window.played")
    press(page, "a")
    expect(play).to_be_visible()
    press(page, "p")
    page.wait_for_function("window.played")


def test_hostile_captions_and_labels_are_text(
    page: Page, live_server: LiveServer, ann: User, log_in: LogIn
) -> None:
    bad = "<img src=x onerror=alert(1)> \u202etxt </script><b>loud</b>"
    made = make_project(texts=(bad, "a dog"))
    member_add(project=made, user=ann)
    scheme = made.scheme
    labels = json.loads(json.dumps(scheme.labels))
    labels[0]["title"] = "<i>Who</i>"
    type(scheme).objects.filter(pk=scheme.pk).update(labels=labels)
    log_in(ann)
    open_labelling_page(page, live_server, made)
    press(page, "w", "a")
    saved(page)
    page.goto(f"{live_server.url}/annotate/{made.slug}/history/")
    expect(page.locator(".answer__text")).to_contain_text("<i>Who</i>")
    assert page.locator("main img, main b, main i").count() == 0
