"""Labels, guidelines or a qualification that change while somebody labels: nothing is lost."""

from dataclasses import replace
from datetime import timedelta

from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from annotation.models import Annotation, Member, Project, QualificationCaption
from annotation.selectors.schemes import SchemeDraft
from annotation.services.life_cycle import project_change
from annotation.services.projects import ProjectAct, ProjectRules, ProjectSettings
from annotation.services.qualification import qualification_let_in, qualification_set
from annotation.services.schemes import scheme_publish
from annotation.spans import tokenized
from leaderboard.models import User
from tests.e2e.annotation.desk import (
    DOG,
    LARGE,
    TEXTS,
    TWELVE,
    Desk,
    label_button,
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
    unsaved,
)
from tests.e2e.conftest import Axe
from tests.waiting import wait_until


def rename(project: Project, act: ProjectAct) -> None:
    """Call WHO_WHAT_PROPERTY QUALITY, and take HOW away."""
    base = project.scheme
    who, quality, what, _, *others = base.inventory
    labels = (who, replace(quality, name="QUALITY", title="Quality"), what, *others)
    becomes = {"WHO_WHAT_PROPERTY": "QUALITY", "HOW": ""}
    draft = SchemeDraft("Ours", "", labels, becomes)
    scheme_publish(project=project, draft=draft, base=base, act=act)


def test_an_open_page_learns_of_new_labels_goes_on_and_loses_nothing(
    work: Page, desk: Desk, act: ProjectAct, axe: Axe
) -> None:
    press(work, "q", "w", "a")
    saved(work)
    press(work, "q", "o")
    shows(work, "rain, How")
    rename(desk.project, act)
    look(work)
    news = part(work, "new-labels")
    expect(news).to_contain_text("The labels were changed by mira on")
    expect(live(work)).to_contain_text("What you did is kept")
    assert runs(of(TWELVE)) == [("large", "QUALITY"), ("dog", "WHO")]
    assert axe() == []
    # The page goes on with its own labels; what it sends is read by them.
    press(work, "a")
    saved(work)
    heavy = of(TEXTS[1])
    assert runs(heavy) == [("heavy", "QUALITY")]
    assert [span["label"] for span in heavy.revisions.get().spans] == ["WHO_WHAT_PROPERTY", "HOW"]
    press(work, "q")
    shows(work, "several, Property of who or what")
    work.get_by_role("link", name="Use the new labels").click()
    shows(work, "several, Quality")
    expect(news).to_be_hidden()
    assert label_button(work, "How").inner_text() != "How"
    press(work, "a")
    saved(work)
    assert runs(of(TEXTS[2])) == [("several", "QUALITY")]


def write(project: Project, text: str, by: User) -> None:
    settings = ProjectSettings(project.name, ProjectRules(guidelines=text))
    act = ProjectAct(by, timezone.now() + timedelta(seconds=1))
    project_change(project=project, settings=settings, act=act)


def version_read(user: User) -> int:
    return Member.objects.get(user=user).guidelines_read


def test_an_open_page_says_that_guidelines_changed_and_reading_in_its_dialog_counts(
    work: Page, desk: Desk, mira: User, axe: Axe
) -> None:
    news = part(work, "new-guidelines")
    dialog = work.get_by_role("dialog", name="Guidelines")
    press(work, "q", "w")
    write(desk.project, "Label every sound.", mira)
    look(work)
    expect(news).to_contain_text("by mira on")
    expect(news).to_contain_text("added “Label every sound.”.")
    expect(live(work)).to_contain_text("The guidelines were changed by mira")
    assert axe() == []
    shows(work, LARGE)
    # Without the server the dialog has what it had, and the notice stays.
    work.context.set_offline(True)
    with work.expect_event("requestfailed", lambda request: "?sheet" in request.url):
        press(work, "h")
    expect(dialog.get_by_text("Who", exact=True)).to_be_visible()
    press(work, "h")
    expect(news).to_be_visible()
    assert version_read(desk.user) == 0
    work.context.set_offline(False)
    press(work, "h")
    expect(dialog.locator(".prose")).to_have_text("Label every sound.")
    expect(news).to_be_hidden()
    assert version_read(desk.user) == 1
    press(work, "h")
    write(desk.project, "Label every sound once.", mira)
    look(work)
    expect(news).to_contain_text("now “Label every sound once.”")
    news.get_by_role("button", name="Read").click()
    expect(dialog.get_by_role("heading", name="What changed since version 1")).to_be_visible()
    expect(dialog.locator("ins")).to_contain_text("once.")
    assert axe() == []
    assert version_read(desk.user) == 2
    # Opened again, it goes on to say what changed; the work in hand is as it was.
    press(work, "h")
    expect(dialog).to_be_hidden()
    with work.expect_response("**/guidelines/?sheet"):
        press(work, "h")
    expect(dialog.locator("ins")).to_contain_text("once.")
    press(work, "h", "a")
    saved(work)


def have_all_qualify(project: Project, by: User) -> None:
    for caption in ("two red cars", "a dog barks"):
        tokens = tokenized(caption)
        QualificationCaption.objects.create(
            project=project, text=caption, tokens=tokens, labels=["O"] * len(tokens)
        )
    for everyone in (False, True):
        qualification_set(
            project=project,
            on=True,
            pass_mark=50,
            tries=2,
            everyone=everyone,
            act=ProjectAct(by, timezone.now()),
        )


def asked_to_qualify(page: Page) -> Locator:
    return part(page, "qualify")


def test_a_qualification_begins_while_a_caption_is_half_labelled_and_an_answer_waits(
    work: Page, desk: Desk, mira: User, axe: Axe
) -> None:
    work.context.set_offline(True)
    press(work, "q", "w", "a")
    unsaved(work, 1)
    press(work, "q")
    shows(work, "heavy, Property of who or what")
    have_all_qualify(desk.project, mira)
    work.context.set_offline(False)
    look(work)
    expect(asked_to_qualify(work)).to_be_visible()
    assert axe() == []
    # The page is where it was, and the waiting answer has arrived.
    shows(work, "heavy, Property of who or what")
    expect(saving(work)).not_to_contain_text("Not saved yet")
    assert runs(of(TWELVE)) == [("large", "WHO_WHAT_PROPERTY"), ("dog", "WHO")]
    press(work, "o", "a")
    expect(work.get_by_text("Captions come to you once you have qualified.")).to_be_visible()
    # The page goes on before the answer is kept.
    wait_until(lambda: Annotation.objects.filter(item__text=TEXTS[1]).exists())
    expect(saving(work)).not_to_contain_text("Not saved yet")
    assert runs(of(TEXTS[1])) == [("heavy", "WHO_WHAT_PROPERTY"), ("rain", "HOW")]
    assert Annotation.every.count() == 2
    # Let in by hand, the page goes on by itself.
    member = Member.objects.get(user=desk.user)
    qualification_let_in(member=member, act=ProjectAct(mira, timezone.now()))
    look(work)
    expect(work.get_by_role("option").first).to_be_visible()
    expect(asked_to_qualify(work)).to_be_hidden()
    assert text(work) == TEXTS[2]


def test_what_was_begun_comes_back_after_the_qualification(
    work: Page, desk: Desk, mira: User, axe: Axe
) -> None:
    press(work, "q", "w")
    have_all_qualify(desk.project, mira)
    look(work)
    asked_to_qualify(work).get_by_role("link", name="Qualify").click()
    expect(work.get_by_role("heading", name="Caption 1 of 2, try 1")).to_be_visible()
    # Another span can begin only where the word before has the same label.
    begins = work.get_by_label("New span").locator("visible=true")
    expect(begins).to_have_count(0)
    for word in ("red", "cars"):
        work.get_by_label(word, exact=True).select_option("WHO_WHAT_PROPERTY")
    expect(begins).to_have_count(1)
    work.get_by_label("New span begins with cars").check()
    assert axe() == []
    # The caption is taken out while it is half labelled.
    desk.project.qualification_captions.filter(text="two red cars").delete()
    work.get_by_role("button", name="Send").click()
    expect(work.get_by_text("That caption was removed in the meantime.")).to_be_visible()
    # The browser tells of each page that is none of success.

    work.get_by_role("button", name="Send").click()
    work.get_by_role("main").get_by_role("link", name="Label").click()
    shows(work, LARGE, DOG)
