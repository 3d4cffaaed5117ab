"""Quality while people label, in a real browser."""

from collections.abc import Callable

from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Gold, Project, Role
from annotation.services.project_settings import project_change
from annotation.services.projects import ProjectAct, ProjectRules, ProjectSettings, member_add
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.annotation.labelled import label
from tests.e2e.conftest import LogIn
from tests.e2e.page_checks import figure_drawn, table_opened
from tests.factories import UserFactory

Axe = Callable[[], list[str]]


def write(project: Project, text: str, by: User) -> None:
    settings = ProjectSettings(project.name, ProjectRules(guidelines=text))
    project_change(project=project, settings=settings, act=ProjectAct(by, timezone.now()))


def accessible(page: Page, axe: Axe) -> None:
    for width, scheme in ((1400, "dark"), (390, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert axe() == []


def test_a_change_of_the_guidelines_is_told_read_and_seen_by_the_manager(
    page: Page, live_server: LiveServer, transactional_db: None, log_in: LogIn, axe: Axe
) -> None:
    ann, lead = UserFactory.create(username="ann"), UserFactory.create(username="mira")
    project = make_project(lead, texts=("a small dog barks",))
    member_add(project=project, user=ann, role=Role.ANNOTATOR)
    write(project, "## Sounds\n\nLabel every sound.\n\nSilence is no sound.", lead)
    log_in(ann)
    page.goto(f"{live_server.url}/annotate/{project.slug}/guidelines/")
    write(project, "## Sounds\n\nLabel each sound once.\n\nAsk when in doubt.", lead)
    page.goto(f"{live_server.url}/annotate/{project.slug}/")
    notice = page.locator("[data-part=new-guidelines]")
    expect(notice).to_contain_text("now “Label each sound once.”, and 1 more line")
    accessible(page, axe)
    page.goto(f"{live_server.url}/annotate/{project.slug}/guidelines/")
    changes = page.get_by_role("region", name="What changed since version 1")
    expect(changes.locator("ins")).to_have_count(2)
    expect(changes.locator("del").first).to_contain_text("every")
    accessible(page, axe)
    page.goto(f"{live_server.url}/annotate/{project.slug}/")
    expect(page.get_by_role("option")).to_have_count(4)
    expect(notice).to_be_hidden()
    log_in(lead)
    page.goto(f"{live_server.url}/annotate/{project.slug}/quality/")
    expect(page.get_by_role("row", name="ann Read")).to_be_visible()
    page.get_by_label("One test in how many captions").fill("10")
    page.get_by_role("region", name="Test captions").get_by_role("button", name="Save").click()
    expect(page.get_by_text("Captions come at random from now on.")).to_be_visible()
    expect(page.get_by_text("No tests are given until captions are settled.")).to_be_visible()
    accessible(page, axe)


def test_agreement_with_gold_is_drawn_over_time(
    page: Page, live_server: LiveServer, transactional_db: None, log_in: LogIn, axe: Axe
) -> None:
    ann = UserFactory.create(username="ann")
    project = make_project(ann, texts=tuple(f"a dog barks {n}" for n in range(60)), copies=1)
    for number, item in enumerate(project.items.all()):
        label(item, ann, *([(1, 1, "WHO")] if number > 25 else []))
        Gold.objects.create(
            item=item, labels=["O", "WHO", "O", "O"], provenance=[], settled_at=timezone.now()
        )
    log_in(ann)
    for name in ("history", "quality"):
        page.goto(f"{live_server.url}/annotate/{project.slug}/{name}/")
        plot = page.get_by_role("figure").filter(has_text="Words labelled as settled")
        figure_drawn(page, "as-gold")
        table_opened(plot)
        expect(plot.get_by_role("row", name="41 to 60")).to_contain_text("100%")
        accessible(page, axe)


def test_a_new_annotator_qualifies_before_captions_come(
    page: Page, live_server: LiveServer, transactional_db: None, log_in: LogIn, axe: Axe
) -> None:
    ann, lead = UserFactory.create(username="ann"), UserFactory.create(username="mira")
    project = make_project(lead, texts=("a dog barks", "rain falls"))
    member_add(project=project, user=ann)
    Gold.objects.create(
        item=project.items.all()[0],
        labels=["O", "WHO", "HOW"],
        provenance=[],
        settled_at=timezone.now(),
        note="Barking is what the dog does.",
    )
    log_in(lead)
    page.goto(f"{live_server.url}/annotate/{project.slug}/quality/")
    page.get_by_text("Choose settled captions").click()
    page.get_by_role("checkbox", name="a dog barks").check()
    page.get_by_role("button", name="Add chosen captions").click()
    page.get_by_role("checkbox", name="New annotators qualify first").check()
    page.get_by_role("region", name="Qualification").get_by_role("button", name="Save").click()
    expect(page.get_by_role("row", name="ann Not yet")).to_be_visible()
    accessible(page, axe)
    log_in(ann)
    page.goto(f"{live_server.url}/annotate/{project.slug}/")
    expect(page.get_by_role("heading", name="Caption 1 of 1, try 1")).to_be_visible()
    page.get_by_label("dog", exact=True).select_option("WHO")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Why: Barking is what the dog does.")).to_be_visible()
    expect(page.get_by_text("Try 1 was not passed: 66 %")).to_be_visible()
    accessible(page, axe)
    page.get_by_label("dog", exact=True).select_option("WHO")
    page.get_by_label("barks", exact=True).select_option("HOW")
    page.get_by_role("button", name="Send").click()
    page.get_by_role("main").get_by_role("link", name="Label").click()
    expect(page.get_by_role("option")).to_have_count(2)
