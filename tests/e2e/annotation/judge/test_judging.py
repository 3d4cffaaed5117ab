"""Pairs judged without a pointer: heard, chosen and accepted by one press, nothing lost."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.kinds.judge import captions_of, order_for
from annotation.models import Annotation, Item, Project, Revision, Sound
from leaderboard.models import User
from tests.e2e.annotation.judge.conftest import open_judging_page
from tests.e2e.annotation.write.writing_page import (
    HEAR,
    SAVES,
    hear,
    objection,
    press,
    saved,
    title,
    values,
)
from tests.e2e.conftest import LogIn

Axe = Callable[[], list[str]]

# A page that is killed has no chance to send what it has while it goes.
KILLED = "addEventListener('pagehide', (event) => event.stopImmediatePropagation())"


def choice(page: Page, side: str) -> Locator:
    return page.locator(f"[data-do={side}]")


def key_at(item: Item, user: User, place: int) -> str:
    """The key of the caption that the person sees first (0) or second."""
    return order_for(item, user.pk)[place]


def test_a_pair_is_heard_and_judged_by_one_press_each(
    judging_page: Page, project: Project, ann: User
) -> None:
    items = list(project.items.order_by("position"))
    for item in items:
        texts = captions_of(item)
        for place, side in enumerate(("first", "second")):
            shown = judging_page.locator(f"[data-part={side}-text]")
            expect(shown).to_have_text(texts[key_at(item, ann, place)])
        hear(judging_page)
        press(judging_page, "jlk"[items.index(item)])
    expect(judging_page.locator("[data-part=empty]")).to_be_visible()
    saved(judging_page)
    wanted = [key_at(items[0], ann, 0), key_at(items[1], ann, 1), "alike"]
    assert [value["choice"] for value in values()] == wanted
    assert all(value["heard"] for value in values())


@pytest.mark.parametrize(
    ("key", "place"), [("1", 0), ("2", 1), ("3", None), ("ArrowLeft", 0), ("ArrowRight", 1)]
)
def test_digits_and_arrows_choose_as_well(
    judging_page: Page, project: Project, ann: User, key: str, place: int | None
) -> None:
    hear(judging_page)
    press(judging_page, key)
    expect(title(judging_page)).to_have_text("Pair 2")
    saved(judging_page)
    item = project.items.order_by("position")[0]
    chosen = "alike" if place is None else key_at(item, ann, place)
    assert [value["choice"] for value in values()] == [chosen]


def test_the_same_sound_of_the_next_pair_is_heard_anew(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    first = project.items.order_by("position")[0]
    project.items.update(meta=first.meta)
    log_in(ann)
    open_judging_page(page, live_server, project)
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


def test_what_was_not_heard_is_chosen_and_not_accepted(judging_page: Page) -> None:
    press(judging_page, "j")
    expect(title(judging_page)).to_have_text("Pair 1")
    expect(choice(judging_page, "first")).to_have_attribute("aria-pressed", "true")
    expect(objection(judging_page)).to_have_text(HEAR)
    hear(judging_page)
    press(judging_page, "a")
    expect(title(judging_page)).to_have_text("Pair 2")
    expect(choice(judging_page, "first")).to_have_attribute("aria-pressed", "false")
    press(judging_page, "a")
    expect(title(judging_page)).to_have_text("Pair 2")


def test_a_choice_is_clicked_and_the_keys_go_on(judging_page: Page) -> None:
    hear(judging_page)
    choice(judging_page, "second").click()
    expect(title(judging_page)).to_have_text("Pair 2")
    hear(judging_page)
    press(judging_page, "k")
    saved(judging_page)
    assert [value["choice"] == "alike" for value in values()] == [False, True]


def test_undo_goes_back_across_pairs_and_another_press_changes_the_answer(
    judging_page: Page, project: Project, ann: User
) -> None:
    hear(judging_page)
    press(judging_page, "j")
    expect(title(judging_page)).to_have_text("Pair 2")
    press(judging_page, "Control+z")
    expect(title(judging_page)).to_have_text("Pair 1")
    expect(choice(judging_page, "first")).to_have_attribute("aria-pressed", "true")
    press(judging_page, "l")
    expect(title(judging_page)).to_have_text("Pair 2")
    saved(judging_page)
    item = project.items.order_by("position")[0]
    assert values() == [{"choice": key_at(item, ann, 1), "heard": True}]
    assert Annotation.objects.get().version == 2


def test_a_pair_without_a_sound_can_only_be_skipped(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    Sound.objects.all().delete()
    log_in(ann)
    open_judging_page(page, live_server, project)
    expect(objection(page)).to_contain_text("There is no sound to this pair")
    press(page, "j", "a")
    expect(title(page)).to_have_text("Pair 1")
    press(page, " ")
    expect(title(page)).to_have_text("Pair 2")
    saved(page)
    assert Annotation.objects.get().answer == "ignore"


def test_a_project_may_let_pairs_be_judged_by_the_captions_alone(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> None:
    Sound.objects.all().delete()
    Project.objects.update(kind_options={"with_sound": 0})
    log_in(ann)
    open_judging_page(page, live_server, project)
    press(page, "k")
    expect(title(page)).to_have_text("Pair 2")
    saved(page)
    assert values() == [{"choice": "alike", "heard": False}]


def test_judgments_while_the_server_is_away_arrive_once(
    judging_page: Page, complaints: list[str]
) -> None:
    away = True
    judging_page.route(SAVES, lambda route: route.abort() if away else route.continue_())
    for key in "jk":
        hear(judging_page)
        press(judging_page, key)
    expect(title(judging_page)).to_have_text("Pair 3")
    expect(judging_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 2")
    away = False
    press(judging_page, "Control+s")
    saved(judging_page)
    assert [value["choice"] == "alike" for value in values()] == [False, True]
    assert Revision.objects.count() == 2
    complaints.clear()


def test_a_killed_tab_has_the_choice_on_return_and_that_the_sound_was_heard(
    page: Page,
    live_server: LiveServer,
    project: Project,
    ann: User,
    log_in: LogIn,
    context: BrowserContext,
) -> None:
    page.add_init_script(KILLED)
    log_in(ann)
    open_judging_page(page, live_server, project)
    press(page, "l")
    hear(page)
    page.close()
    again = context.new_page()
    open_judging_page(again, live_server, project)
    expect(choice(again, "second")).to_have_attribute("aria-pressed", "true")
    expect(objection(again)).to_have_text("")
    press(again, "a")
    saved(again)
    item = project.items.order_by("position")[0]
    assert values() == [{"choice": key_at(item, ann, 1), "heard": True}]


def test_an_answer_that_had_not_arrived_arrives_on_return(
    judging_page: Page,
    live_server: LiveServer,
    project: Project,
    context: BrowserContext,
    complaints: list[str],
) -> None:
    context.route(SAVES, lambda route: route.abort())
    hear(judging_page)
    press(judging_page, "k")
    expect(judging_page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 1")
    judging_page.close()
    context.unroute(SAVES)
    again = context.new_page()
    open_judging_page(again, live_server, project)
    expect(title(again)).to_have_text("Pair 2")
    saved(again)
    assert values() == [{"choice": "alike", "heard": True}]
    complaints.clear()


def test_two_windows_that_judge_one_pair_are_shown_in_lines_and_one_is_kept(
    judging_page: Page,
    live_server: LiveServer,
    project: Project,
    ann: User,
    context: BrowserContext,
    complaints: list[str],
    axe: Axe,
) -> None:
    other = context.new_page()
    open_judging_page(other, live_server, project)
    hear(other)
    press(other, "k")
    saved(other)
    hear(judging_page)
    press(judging_page, "j")
    judging_page.get_by_role("button", name="Look at both").click()
    sheet = judging_page.get_by_role("dialog", name="Changed in another window")
    ours = sheet.get_by_role("region", name="From this window")
    theirs = sheet.get_by_role("region", name="Saved in the other window")
    expect(ours.get_by_role("listitem")).to_have_text(["The first is better"])
    expect(theirs.get_by_role("listitem")).to_have_text(["Both alike"])
    assert axe() == []
    ours.get_by_role("button").click()
    expect(sheet).to_be_hidden()
    saved(judging_page)
    item = project.items.order_by("position")[0]
    assert values() == [{"choice": key_at(item, ann, 0), "heard": True}]
    complaints.clear()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_can_be_used_at_any_width(judging_page: Page, axe: Axe, width: int) -> None:
    judging_page.set_viewport_size({"width": width, "height": 800})
    press(judging_page, "j")
    assert judging_page.evaluate("document.documentElement.scrollWidth") <= width
    heights = judging_page.locator(".session__actions .button, .judged__choice").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(heights) >= 44
    for scheme in ("light", "dark"):
        judging_page.emulate_media(color_scheme=scheme)
        assert axe() == []


def test_nothing_of_a_pair_but_its_sound_and_captions_is_shown(judging_page: Page) -> None:
    """Names of files often say what is heard."""
    assert ".wav" not in judging_page.content()
    assert "HC" not in judging_page.locator("main").inner_text()
    first = judging_page.get_by_role("group", name="Which caption describes the sound better?")
    expect(first.get_by_role("button")).to_have_count(3)


def test_what_is_said_next_is_the_pair(judging_page: Page) -> None:
    hear(judging_page)
    press(judging_page, "k")
    live = judging_page.locator("[data-part=live]")
    expect(live).to_contain_text("Accepted. Next: First:")
    expect(live).to_contain_text("Second:")
