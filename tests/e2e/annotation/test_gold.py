"""Gold in a real browser, by keyboard: edges, corrections, reasons and the history of both."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Gold, Item, PastGold, Project, Role
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.annotation.labelled import label
from tests.e2e.conftest import LogIn, scripts_held_back
from tests.e2e.page_checks import fits_width
from tests.factories import UserFactory

Axe = Callable[[], list[str]]


@pytest.fixture
def judge(transactional_db: None) -> User:
    return UserFactory.create(username="judge")


@pytest.fixture
def project(judge: User) -> Project:
    """Two captions by two people: on the first all agree; of the second they draw edges apart."""
    people = UserFactory.create_batch(2)
    project = make_project(texts=("heavy rain falls on a metal roof", "a small dog barks"))
    member_add(project=project, user=judge, role=Role.ADJUDICATOR)
    rain, dog = project.items.all()
    for user, spans in zip(people, ([(1, 2, "WHO")], [(1, 1, "WHO"), (2, 2, "WHO")]), strict=True):
        member_add(project=project, user=user)
        label(rain, user, (1, 1, "WHAT"), (5, 6, "WHERE"))
        label(dog, user, *spans)
    return project


def places(item: Item) -> list[tuple[int, int, str]]:
    spans = Gold.objects.get(item=item).spans
    return [(span["token_start"], span["token_end"], span["label"]) for span in spans]


def accessible(page: Page, axe: Axe) -> None:
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []


def test_edges_in_dispute_are_decided_by_keyboard_and_the_caption_corrected_after(
    page: Page, live_server: LiveServer, project: Project, judge: User, log_in: LogIn, axe: Axe
) -> None:
    """What only edges differ in is asked; agreed words and edges are mended; both stay told."""
    rain, dog = project.items.all()
    log_in(judge)
    page.goto(f"{live_server.url}/annotate/{project.slug}/adjudicate/")
    page.get_by_role("button", name="Start").press("Enter")
    question = page.locator("fieldset")
    expect(question).to_have_count(1)
    expect(question.get_by_role("radio").first).to_be_focused()
    accessible(page, axe)
    page.keyboard.press("+")
    expect(question.get_by_role("radio", name="One span")).to_be_checked()
    question.get_by_role("radio").first.focus()
    page.keyboard.press("/")
    expect(question.get_by_role("radio", name="Two spans")).to_be_checked()
    expect(page.get_by_role("button", name="Save")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("Two of them: a, b, /.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Every caption in dispute is settled.")).to_be_visible()
    assert places(dog) == [(1, 1, "WHO"), (2, 2, "WHO")]
    assert Gold.objects.get(item=dog).note == "Two of them: a, b, /."
    # What all agree on came along, and is corrected in the same way.
    page.get_by_role("link", name="Look again at caption 1").press("Enter")
    words = page.locator("fieldset")
    expect(words).to_have_count(7)
    expect(words.first.get_by_role("radio").first).to_be_focused()
    accessible(page, axe)
    page.keyboard.press("w")
    expect(words.nth(1).get_by_role("radio", name="What")).to_be_focused()
    words.nth(6).get_by_role("radio").first.focus()
    page.keyboard.press("/")
    expect(words.nth(6).get_by_role("checkbox")).to_be_checked()
    expect(words.nth(6).get_by_role("radio").first).to_be_focused()
    page.get_by_label("Note: reason for this decision").focus()
    page.keyboard.type("Heard apart.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Caption 1 is settled so.")).to_be_visible()
    labels = Gold.objects.get(item=rain).labels
    assert labels[0] != "O"
    assert [span[:2] for span in places(rain)][-2:] == [(5, 5), (6, 6)]
    history = page.get_by_role("region", name="History").get_by_role("listitem")
    expect(history.filter(has_text="Settled again by judge")).to_contain_text("Heard apart.")
    expect(history.filter(has_text="metal | roof from one span to two spans").first).to_be_visible()
    expect(history.filter(has_text="Settled, as all agree")).to_have_count(1)
    accessible(page, axe)


def test_what_all_agree_on_is_taken_back_with_a_reason_and_waits(
    page: Page, live_server: LiveServer, project: Project, judge: User, log_in: LogIn, axe: Axe
) -> None:
    rain = project.items.all()[0]
    log_in(judge)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{live_server.url}/annotate/{project.slug}/adjudicate/")
    page.get_by_role("button", name="Settle 1 on which all agree").press("Enter")
    page.get_by_role("link", name="Look again at caption 1").press("Enter")
    page.get_by_label("Reason for taking the decision back").focus()
    page.keyboard.type("Is rain a what?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("It now waits for a new decision, although all")).to_be_visible()
    history = page.get_by_role("region", name="History")
    expect(history.get_by_text("Taken back by judge")).to_contain_text("Why: Is rain a what?")
    assert not Gold.objects.filter(item=rain).exists()
    accessible(page, axe)
    fits_width(page)
    # Everything is chosen already: Save settles it as all say, by a person.
    page.get_by_role("button", name="Save").press("Enter")
    expect(page.locator("fieldset")).to_have_count(1)
    assert Gold.objects.get(item=rain).settled_by == judge
    assert PastGold.objects.get(item=rain).reason == "Is rain a what?"


def test_who_writes_before_the_scripts_came_stays_where_they_write(
    page: Page, live_server: LiveServer, project: Project, judge: User, log_in: LogIn
) -> None:
    dog = project.items.all()[1]
    log_in(judge)
    with page.expect_response("**/decide*.js"), scripts_held_back(page):
        address = f"{live_server.url}/annotate/{project.slug}/adjudicate/{dog.pk}/"
        page.goto(address, wait_until="commit")
        note = page.get_by_label("Note: reason for this decision")
        note.focus()
        page.keyboard.type("Two of")
    page.wait_for_load_state()
    page.wait_for_timeout(200)
    page.keyboard.type(" them")
    expect(note).to_have_value("Two of them")
