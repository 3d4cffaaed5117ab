"""Agreement and adjudication, in a real browser: cells that open captions, decisions by key."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Gold, Item, Project, Role
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.annotation.labelled import label
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import figure_drawn
from tests.factories import UserFactory

Axe = Callable[[], list[str]]


@pytest.fixture
def judge(transactional_db: None) -> User:
    return UserFactory.create(username="judge")


@pytest.fixture
def project(judge: User) -> Project:
    """Four captions by two people; two are in dispute, one has three questions."""
    ann, bob = UserFactory.create_batch(2)
    project = make_project()
    for user, role in ((ann, Role.ANNOTATOR), (bob, Role.ANNOTATOR), (judge, Role.ADJUDICATOR)):
        member_add(project=project, user=user, role=role)
    dog, rain, people, door = project.items.all()
    label(dog, ann, (1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "HOW"), (4, 6, "WHERE"))
    label(dog, bob, (1, 1, "WHAT"), (2, 2, "HOW"), (3, 3, "WHEN"))
    label(people, ann, (1, 1, "WHO"))
    label(people, bob, (1, 1, "WHO"), (2, 2, "HOW"))
    for item in (rain, door):
        for user in (ann, bob):
            label(item, user, (1, 1, "WHAT"))
    return project


def test_a_cell_of_the_confusion_matrix_opens_its_captions(
    page: Page, live_server: LiveServer, project: Project, judge: User, log_in: LogIn, axe: Axe
) -> None:
    log_in(judge)
    page.goto(f"{live_server.url}/annotate/{project.slug}/agreement/")
    plot = figure_drawn(page, "confusion")
    assert axe() == []
    page.emulate_media(color_scheme="dark")
    assert axe() == []
    # Rows and columns in order: Who, What, How, When, Where, No label. Row How, column When.
    area = plot.locator(".nsewdrag").first.bounding_box()
    assert area is not None
    plot.locator(".nsewdrag").first.click(
        position={"x": area["width"] * 3.5 / 6, "y": area["height"] * 2.5 / 6}
    )
    expect(page.get_by_role("heading", level=1)).to_have_text("One person: How. Another: When")
    expect(page.locator("mark")).to_have_text(["twice"])
    assert axe() == []
    page.go_back()
    # The same by keyboard, from the list beside it.
    page.get_by_role("link", name="1 word: How and When").press("Enter")
    expect(page.locator("mark")).to_have_text(["twice"])


def test_a_caption_is_settled_by_keyboard_alone(
    page: Page, live_server: LiveServer, project: Project, judge: User, log_in: LogIn, axe: Axe
) -> None:
    """Three questions, one of them answered by another label: a key each, and Enter."""
    log_in(judge)
    page.goto(f"{live_server.url}/annotate/{project.slug}/adjudicate/")
    assert axe() == []
    page.get_by_role("button", name="Start").press("Enter")
    # The caption with most dispute comes first, with the first question at hand.
    questions = page.locator("fieldset")
    expect(questions).to_have_count(3)
    expect(questions.first.get_by_role("radio").first).to_be_focused()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
    who = "a" if _letter_of(page, "Who") == "A" else "b"
    page.keyboard.press(who)
    expect(questions.nth(1).get_by_role("radio").first).to_be_focused()
    page.keyboard.press("r")  # Sound property, which nobody gave
    expect(questions.nth(1).get_by_role("combobox")).to_have_value("SOUND_PROPERTY")
    page.keyboard.press("-")
    expect(page.get_by_role("button", name="Save and go on")).to_be_focused()
    page.keyboard.press("Enter")
    expect(questions).to_have_count(1)
    # Keys work once their script runs, which then gives the first question the focus.
    expect(questions.first.get_by_role("radio").first).to_be_focused()
    gold = Gold.objects.get(item=project.items.first())
    assert gold.labels == ["O", "WHO", "HOW", "SOUND_PROPERTY", "O", "O", "O"]
    page.keyboard.press("-")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Every caption in dispute is settled.")).to_be_visible()
    assert axe() == []
    # Those on which all agree came along.
    assert Gold.objects.count() == Item.objects.count() == 4


def _letter_of(page: Page, title: str) -> str:
    told = page.locator("fieldset").first.locator("label", has_text=title).first
    return told.locator(".decide__letters").inner_text().strip()


def test_keys_leave_alone_what_has_the_focus_otherwise(
    page: Page, live_server: LiveServer, project: Project, judge: User, log_in: LogIn
) -> None:
    log_in(judge)
    first = project.items.first()
    assert first is not None
    page.goto(f"{live_server.url}/annotate/{project.slug}/adjudicate/{first.pk}/")
    question = page.locator("fieldset").first
    question.get_by_role("combobox").select_option("WHEN")
    expect(question.get_by_role("radio", name="Another label")).to_be_checked()
    question.get_by_role("combobox").press("a")
    expect(question.get_by_role("radio", name="Another label")).to_be_checked()
    # Incomplete, the browser says what is missing and nothing is sent.
    page.get_by_role("button", name="Save").click()
    expect(page.locator("fieldset")).to_have_count(3)
    assert not Gold.objects.exists()


def test_each_letter_of_those_who_say_the_same_chooses_it(
    page: Page, live_server: LiveServer, judge: User, log_in: LogIn
) -> None:
    """A and B against C: whichever of the two letters is pressed."""
    people = UserFactory.create_batch(3)
    project = make_project(copies=3, texts=("a dog barks",))
    member_add(project=project, user=judge, role=Role.ADJUDICATOR)
    item = project.items.get()
    for user, name in zip(people, ("WHO", "WHO", "WHAT"), strict=True):
        member_add(project=project, user=user)
        label(item, user, (1, 1, name))
    log_in(judge)
    page.goto(f"{live_server.url}/annotate/{project.slug}/adjudicate/{item.pk}/")
    question = page.locator("fieldset")
    expect(question.get_by_role("radio").first).to_be_focused()
    two, one = question.get_by_role("radio", name="Who"), question.get_by_role("radio", name="What")
    letters = question.locator("label", has_text="Who").locator(".decide__letters")
    first, second = letters.inner_text().lower().split(", ")
    other = ({"a", "b", "c"} - {first, second}).pop()
    for key, chosen in ((first, two), (other, one), (second, two)):
        question.get_by_role("radio").first.focus()
        page.keyboard.press(key)
        expect(chosen).to_be_checked()


def test_a_decision_that_is_taken_back_is_shown_with_its_reason(
    page: Page, live_server: LiveServer, project: Project, judge: User, log_in: LogIn, axe: Axe
) -> None:
    log_in(judge)
    people = project.items.all()[2]
    address = f"{live_server.url}/annotate/{project.slug}/adjudicate/{people.pk}/"
    page.goto(address)
    page.get_by_role("radio", name="How").check()
    page.get_by_role("button", name="Save and go on").click()
    page.goto(address)
    page.get_by_label("Reason for taking the decision back").fill("People talk: is that how?")
    page.get_by_role("button", name="Take the decision back").click()
    past = page.get_by_role("region", name="History")
    expect(past.get_by_text("Why: People talk: is that how?")).to_be_visible()
    expect(past.get_by_text("Taken back by judge")).to_be_visible()
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe() == []
    assert not Gold.objects.filter(item=people).exists()
