"""A qualification that begins, changes or ends while somebody labels: nothing is lost."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from annotation.models import Annotation, Member, Project, QualificationCaption
from annotation.services.projects import ProjectAct
from annotation.services.qualification import (
    QualificationRules,
    qualification_let_in,
    qualification_set,
)
from annotation.spans import tokenized
from leaderboard.models import User
from tests.e2e.annotation.labelling.labelling_page import (
    TEXTS,
    TWELVE,
    of,
    option,
    press,
    runs,
    text,
)
from tests.factories import UserFactory

Axe = Callable[[], list[str]]


@pytest.fixture
def lead(transactional_db: None) -> User:
    return UserFactory.create(username="mira")


def act(lead: User) -> ProjectAct:
    return ProjectAct(lead, timezone.now())


def have_all_qualify(project: Project, lead: User) -> None:
    for caption in ("two red cars", "a dog barks"):
        tokens = tokenized(caption)
        QualificationCaption.objects.create(
            project=project, text=caption, tokens=tokens, labels=["O"] * len(tokens)
        )
    rules = QualificationRules(on=True, pass_mark=50, tries=2)
    qualification_set(project=project, rules=rules, act=act(lead))
    rules = QualificationRules(on=True, pass_mark=50, tries=2, everyone=True)
    qualification_set(project=project, rules=rules, act=act(lead))


def look(page: Page) -> None:
    page.evaluate("dispatchEvent(new Event('focus'))")


def asked_to_qualify(page: Page) -> Locator:
    return page.locator("[data-part=qualify]")


def test_it_begins_while_a_caption_is_half_labelled_and_an_answer_waits(
    labelling_page: Page,
    project: Project,
    ann: User,
    lead: User,
    axe: Axe,
    complaints: list[str],
) -> None:
    page = labelling_page
    page.context.set_offline(True)
    press(page, "q", "w", "a")
    expect(page.locator("[data-part=saving]")).to_contain_text("Not saved yet: 1")
    press(page, "q")
    expect(option(page, "heavy, Property of who or what")).to_be_visible()
    have_all_qualify(project, lead)
    page.context.set_offline(False)
    look(page)
    expect(asked_to_qualify(page)).to_be_visible()
    assert axe() == []
    # The page is where it was, and the waiting answer has arrived.
    expect(option(page, "heavy, Property of who or what")).to_be_visible()
    expect(page.locator("[data-part=saving]")).not_to_contain_text("Not saved yet")
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY"), ("dog", "WHO")]
    press(page, "o", "a")
    expect(page.get_by_text("Captions come to you once you have qualified.")).to_be_visible()
    expect(page.locator("[data-part=saving]")).not_to_contain_text("Not saved yet")
    assert runs(of(TEXTS[1])) == [("heavy", "WHO_WHAT_PROPERTY"), ("rain", "HOW")]
    assert Annotation.every.count() == 2
    # Let in by hand, the page goes on by itself.
    qualification_let_in(member=Member.objects.get(user=ann), act=act(lead))
    look(page)
    expect(page.get_by_role("option").first).to_be_visible()
    expect(asked_to_qualify(page)).to_be_hidden()
    assert text(page) == TEXTS[2]
    complaints.clear()


def test_what_was_begun_comes_back_after_the_qualification(
    labelling_page: Page, project: Project, lead: User, axe: Axe, complaints: list[str]
) -> None:
    page = labelling_page
    press(page, "q", "w")
    have_all_qualify(project, lead)
    look(page)
    asked_to_qualify(page).get_by_role("link", name="Qualify").click()
    expect(page.get_by_role("heading", name="Caption 1 of 2, try 1")).to_be_visible()
    # Another span can begin only where the word before has the same label.
    begins = page.get_by_label("New span")
    expect(begins.locator("visible=true")).to_have_count(0)
    page.get_by_label("red", exact=True).select_option("WHO_WHAT_PROPERTY")
    page.get_by_label("cars", exact=True).select_option("WHO_WHAT_PROPERTY")
    expect(begins.locator("visible=true")).to_have_count(1)
    page.get_by_label("New span begins with cars").check()
    assert axe() == []
    # The caption is taken out while it is half labelled.
    project.qualification_captions.filter(text="two red cars").delete()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("That caption was removed in the meantime.")).to_be_visible()
    # The browser tells of each page that is none of success.
    assert "422" in complaints.pop()
    page.get_by_role("button", name="Send").click()
    page.get_by_role("main").get_by_role("link", name="Label").click()
    expect(option(page, "large, Property of who or what")).to_be_visible()
    expect(option(page, "dog, Who")).to_be_visible()


def test_the_round_ends_elsewhere_while_a_caption_is_half_labelled(
    labelling_page: Page, project: Project, ann: User, lead: User
) -> None:
    """The answers of the form stay in it, to be sent in the present try."""
    page = labelling_page
    have_all_qualify(project, lead)
    page.goto(page.url + "qualification/")
    page.get_by_label("cars", exact=True).select_option("WHO")
    other = page.context.new_page()
    other.goto(page.url)
    for _ in range(2):
        for select in other.get_by_role("combobox").all():
            select.select_option("HOW")
        other.get_by_role("button", name="Send").click()
        expect(other.get_by_text("0 of 3 words as expected")).to_be_visible()
    expect(other.get_by_role("heading", name="Caption 1 of 2, try 2")).to_be_visible()
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Your last caption: 0 of 3 words as expected")).to_be_visible()
