"""Agreement and adjudication by key and pointer: captions behind a cell, decisions, corrections."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Gold, Item, Project, Role
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.annotation.labelled import label
from tests.e2e.annotation.desk import press
from tests.e2e.conftest import LogIn, LooksRight, scripts_held_back
from tests.e2e.page_checks import figure_drawn, started
from tests.factories import UserFactory

Span = tuple[int, int, str]


@pytest.fixture
def judge(log_in: LogIn, transactional_db: None) -> User:
    """Who decides, and is logged in."""
    made: User = UserFactory.create(username="judge")
    log_in(made)
    return made


def labelled_by(judge: User, answers: dict[str, list[list[Span]]]) -> Project:
    """A project whose captions have these answers, one of each person."""
    count = max(map(len, answers.values()))
    project = make_project(texts=tuple(answers), copies=count)
    people = UserFactory.create_batch(count)
    for user in people:
        member_add(project=project, user=user)
    member_add(project=project, user=judge, role=Role.ADJUDICATOR)
    for item in project.items.all():
        for user, spans in zip(people, answers[item.text], strict=True):
            label(item, user, *spans)
    return project


@pytest.fixture
def project(judge: User) -> Project:
    """Four captions by two people; two are in dispute, one has three questions."""
    agreed: list[list[Span]] = [[(1, 1, "WHAT")]] * 2
    answers: dict[str, list[list[Span]]] = {
        "a dog barks twice in the distance": [
            [(1, 1, "WHO"), (2, 2, "HOW"), (3, 3, "HOW"), (4, 6, "WHERE")],
            [(1, 1, "WHAT"), (2, 2, "HOW"), (3, 3, "WHEN")],
        ],
        "heavy rain falls on a metal roof": agreed,
        "several people talk": [[(1, 1, "WHO")], [(1, 1, "WHO"), (2, 2, "HOW")]],
        "a door slams shut": agreed,
    }
    return labelled_by(judge, answers)


@pytest.fixture
def edges(judge: User) -> Project:
    """Two captions: on the first all agree; of the second people draw edges apart."""
    agreed: list[list[Span]] = [[(1, 1, "WHAT"), (5, 6, "WHERE")]] * 2
    apart: list[list[Span]] = [[(1, 2, "WHO")], [(1, 1, "WHO"), (2, 2, "WHO")]]
    texts = ("heavy rain falls on a metal roof", "a small dog barks")
    return labelled_by(judge, dict(zip(texts, (agreed, apart), strict=True)))


def questions(page: Page) -> Locator:
    return page.locator("fieldset")


def radio(page: Page, place: int) -> Locator:
    """The first choice of a question; it has the focus once the page's script runs."""
    return questions(page).nth(place).get_by_role("radio").first


def places(item: Item) -> list[Span]:
    spans = Gold.objects.get(item=item).spans
    return [(span["token_start"], span["token_end"], span["label"]) for span in spans]


def adjudicate(page: Page, project: Project, what: object = "") -> None:
    """Go to the page of adjudication, or to a caption's there."""
    page.goto(f"/annotate/{project.slug}/adjudicate/{what and f'{what}/'}")


def test_a_cell_of_the_confusion_matrix_opens_its_captions(page: Page, project: Project) -> None:
    page.goto(f"/annotate/{project.slug}/agreement/")
    drawing = figure_drawn(page, "confusion").locator(".nsewdrag").first
    # Rows and columns in order: Who, What, How, When, Where, No label. Row How, column When.
    area = drawing.bounding_box()
    assert area is not None
    place = {"x": area["width"] * 3.5 / 6, "y": area["height"] * 2.5 / 6}
    drawing.click(position=place)  # type: ignore[arg-type]
    expect(page.get_by_role("heading", level=1)).to_have_text("One person: How. Another: When")
    expect(page.locator("mark")).to_have_text(["twice"])
    page.go_back()
    # The same by keyboard, from the list beside it.
    page.get_by_role("link", name="1 word: How and When").press("Enter")
    expect(page.locator("mark")).to_have_text(["twice"])


def test_captions_in_dispute_are_settled_by_keyboard_alone(
    page: Page, project: Project, looks_right: LooksRight
) -> None:
    """Three questions, one of them answered by another label: a key each, and Enter."""
    adjudicate(page, project)
    page.get_by_role("button", name="Start").press("Enter")
    # The caption with most dispute comes first, with the first question at hand.
    expect(questions(page)).to_have_count(3)
    expect(radio(page, 0)).to_be_focused()
    told = questions(page).first.locator("label", has_text="Who").first
    press(page, told.locator(".decide__letters").inner_text().strip().lower())
    expect(radio(page, 1)).to_be_focused()
    press(page, "r")  # Sound property, which nobody gave
    expect(questions(page).nth(1).get_by_role("combobox")).to_have_value("SOUND_PROPERTY")
    press(page, "-")
    expect(page.get_by_role("button", name="Save and go on")).to_be_focused()
    press(page, "Enter")
    expect(questions(page)).to_have_count(1)
    expect(radio(page, 0)).to_be_focused()
    gold = Gold.objects.get(item=project.items.first())
    assert gold.labels == ["O", "WHO", "HOW", "SOUND_PROPERTY", "O", "O", "O"]
    press(page, "-", "Enter")
    expect(page.get_by_text("Every caption in dispute is settled.")).to_be_visible()
    looks_right()
    # Those on which all agree came along.
    assert Gold.objects.count() == Item.objects.count() == 4


def test_each_letter_of_those_who_say_the_same_chooses_it(page: Page, judge: User) -> None:
    """A and B against C: whichever of the two letters is pressed."""
    answers: list[list[Span]] = [[(1, 1, name)] for name in ("WHO", "WHO", "WHAT")]
    project = labelled_by(judge, {"a dog barks": answers})
    adjudicate(page, project, project.items.get().pk)
    expect(radio(page, 0)).to_be_focused()
    two, one = (page.get_by_role("radio", name=name) for name in ("Who", "What"))
    letters = questions(page).locator("label", has_text="Who").locator(".decide__letters")
    first, second = letters.inner_text().lower().split(", ")
    other = ({"a", "b", "c"} - {first, second}).pop()
    for key, chosen in ((first, two), (other, one), (second, two)):
        radio(page, 0).focus()
        press(page, key)
        expect(chosen).to_be_checked()


def test_edges_in_dispute_are_decided_by_keyboard_and_what_is_settled_corrected_or_taken_back(
    page: Page, edges: Project, looks_right: LooksRight
) -> None:
    """What only edges differ in is asked; agreed words and edges are mended; all stays told."""
    rain, dog = edges.items.all()
    adjudicate(page, edges)
    page.get_by_role("button", name="Start").press("Enter")
    expect(questions(page)).to_have_count(1)
    expect(radio(page, 0)).to_be_focused()
    press(page, "+")
    expect(page.get_by_role("radio", name="One span")).to_be_checked()
    radio(page, 0).focus()
    press(page, "/")
    expect(page.get_by_role("radio", name="Two spans")).to_be_checked()
    expect(page.get_by_role("button", name="Save")).to_be_focused()
    press(page, "Shift+Tab")
    page.keyboard.type("Two of them: a, b, /.")
    press(page, "Enter")
    expect(page.get_by_text("Every caption in dispute is settled.")).to_be_visible()
    assert places(dog) == [(1, 1, "WHO"), (2, 2, "WHO")]
    assert Gold.objects.get(item=dog).note == "Two of them: a, b, /."
    # What all agree on came along, and is corrected in the same way.
    page.get_by_role("link", name="Look again at caption 1").press("Enter")
    expect(questions(page)).to_have_count(7)
    expect(radio(page, 0)).to_be_focused()
    looks_right()
    press(page, "w")
    expect(questions(page).nth(1).get_by_role("radio", name="What")).to_be_focused()
    radio(page, 6).focus()
    press(page, "/")
    expect(questions(page).nth(6).get_by_role("checkbox")).to_be_checked()
    expect(radio(page, 6)).to_be_focused()
    page.get_by_label("Note: reason for this decision").focus()
    page.keyboard.type("Heard apart.")
    press(page, "Enter")
    expect(page.get_by_text("Caption 1 is settled so.")).to_be_visible()
    assert Gold.objects.get(item=rain).labels[0] != "O"
    assert [span[:2] for span in places(rain)][-2:] == [(5, 5), (6, 6)]
    history = page.get_by_role("region", name="History").get_by_role("listitem")
    expect(history.filter(has_text="Settled again by judge")).to_contain_text("Heard apart.")
    expect(history.filter(has_text="metal | roof from one span to two spans").first).to_be_visible()
    expect(history.filter(has_text="Settled because all agree")).to_have_count(1)
    page.get_by_label("Reason for taking the decision back").focus()
    page.keyboard.type("Is rain a what?")
    press(page, "Enter")
    expect(page.get_by_text("It now waits for a new decision, although all")).to_be_visible()
    back = history.filter(has_text="Taken back by judge")
    expect(back).to_contain_text("Why: Is rain a what?")
    assert not Gold.objects.filter(item=rain).exists()
    looks_right()


def test_who_writes_before_the_scripts_came_stays_where_they_write(
    page: Page, edges: Project
) -> None:
    address = f"/annotate/{edges.slug}/adjudicate/{edges.items.all()[1].pk}/"
    with page.expect_response("**/decide*.js"), scripts_held_back(page):
        page.goto(address, wait_until="commit")
        note = page.get_by_label("Note: reason for this decision")
        note.focus()
        page.keyboard.type("Two of")
    started(page)
    page.keyboard.type(" them")
    expect(note).to_have_value("Two of them")
