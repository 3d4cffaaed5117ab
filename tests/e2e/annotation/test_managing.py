"""A lead runs a project by keyboard: its captions, the whole as an archive, another one."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from annotation.models import Project, Role, Scheme
from annotation.services.projects import ProjectAct, Task, items_add
from annotation.services.schemes import schemes_load
from annotation.services.sounds import sounds_add_zip
from leaderboard.models import User
from tests.annotation.conftest import NOW, Crew, make_crew
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.e2e.conftest import LogIn, LooksRight, scripts_held_back
from tests.sounds import wav, zipped

LONG = "long-without-a-space" * 8


@pytest.fixture
def crew(transactional_db: None, settings: Settings, tmp_path: Path, log_in: LogIn) -> Crew:
    """A project with answers and a sound; its manager may make others, and is logged in."""
    settings.AUDIO_DIR = tmp_path / "audio"
    crew = make_crew()
    User.objects.filter(pk=crew.manager.pk).update(is_staff=True)
    item = disputed_first(crew)
    label(item, crew.ann, (1, 1, "WHO"), comment=LONG)
    agreed_second(crew)
    items_add(project=crew.project, tasks=[Task("a bell", meta={"file_name": "bell.wav"})])
    sounds = zipped({"bell.wav": wav()}, tmp_path / "sounds.zip")
    sounds_add_zip(project=crew.project, path=sounds, act=ProjectAct(crew.manager, NOW))
    log_in(crew.manager)
    return crew


def enter(page: Page, button: str) -> None:
    page.get_by_role("button", name=button).press("Enter")


def follow(page: Page, link: str, inside: str = "") -> None:
    place = page.get_by_role("navigation", name=inside) if inside else page
    place.get_by_role("link", name=link, exact=not inside).press("Enter")


def test_captions_are_found_removed_brought_back_sent_back_handed_over_and_downloaded(
    page: Page, crew: Crew, looks_right: LooksRight
) -> None:
    page.goto(f"/annotate/{crew.project.slug}/manage/")
    follow(page, "Items", inside="Managing")
    expect(page.get_by_role("status")).to_have_text("5 captions")
    page.get_by_label("State", exact=True).focus()
    page.keyboard.type("any")
    page.get_by_label("Text or number").fill("rain")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name="heavy rain")).to_contain_text("All agree")
    follow(page, "Items", inside="Managing")
    follow(page, "To decide", inside="States")
    expect(page.get_by_role("status")).to_have_text("1 caption matches")
    page.get_by_label("Tick caption 1").press("Space")
    enter(page, "Remove")
    expect(page.get_by_role("main")).to_contain_text("2 by 2 people")
    looks_right()
    enter(page, "Remove")
    expect(page.get_by_text("1 caption removed.")).to_be_visible()
    follow(page, "Removed", inside="States")
    page.get_by_role("link", name="Caption 1").press("Enter")
    expect(page.get_by_text("Removed by")).to_be_visible()
    looks_right()
    enter(page, "Bring back")
    enter(page, "Bring back")
    expect(page.get_by_text("1 caption brought back.")).to_be_visible()
    page.get_by_role("link", name="Caption 1").press("Enter")
    expect(page.get_by_role("region", name="History")).to_contain_text("changed the answer")
    enter(page, "Send back")
    page.get_by_label("Why").fill(" ")
    enter(page, "Send back")
    expect(page.get_by_text("Give the reason")).to_be_visible()
    looks_right()
    page.get_by_label("Why").fill("Label the verb, too.")
    enter(page, "Send back")
    expect(page.get_by_text("2 answers to 1 caption sent back.")).to_be_visible()
    page.goto(f"/annotate/{crew.project.slug}/captions/?text=train")
    page.get_by_label("Tick caption 3").press("Space")
    enter(page, "Hand to somebody")
    page.get_by_label("To whom").select_option(crew.ann.username)
    enter(page, "Continue")
    expect(page.get_by_text("1 caption goes to")).to_be_visible()
    looks_right()
    enter(page, "Hand over")
    expect(page.get_by_text(f"1 caption handed to {crew.ann.username}.")).to_be_visible()
    page.get_by_label("Tick caption 3").check()
    enter(page, "Download")
    with page.expect_download() as started:
        enter(page, "Download")
    assert started.value.suggested_filename.endswith("-1-captions.prodigy.jsonl")


def test_a_project_is_downloaded_made_again_with_its_people_and_deleted(
    page: Page, crew: Crew, looks_right: LooksRight, tmp_path: Path
) -> None:
    page.goto(f"/annotate/{crew.project.slug}/manage/files/")
    with page.expect_download() as told:
        enter(page, "Download the project")
    archive, broken = tmp_path / "project.zip", tmp_path / "broken.zip"
    told.value.save_as(archive)
    broken.write_bytes(b"no zip")
    page.goto("/annotate/new/")
    follow(page, "make it from another project's archive")
    for file, text in (
        (broken, "The file is not a zip, or it is damaged."),
        (archive, "Make Project 0 from this archive?"),
    ):
        page.get_by_label("Archive of a project").set_input_files(file)
        enter(page, "Preview the archive")
        expect(page.get_by_text(text).first).to_be_visible()
        looks_right()
    mine = page.get_by_label(f"Account of {crew.manager.username}")
    expect(mine).to_have_value(crew.manager.username)
    page.get_by_label(f"Account of {crew.ann.username}").fill(crew.ann.username)
    enter(page, "Make the project")
    expect(page.get_by_text("Project 0 is ready, and you manage it.")).to_be_visible()
    made = Project.objects.exclude(pk=crew.project.pk).get()
    assert made.members.get(user=crew.manager).role == Role.MANAGER
    assert made.members.get(user=crew.ann).name == crew.ann.username
    # It is deleted once its name was entered.
    page.goto(f"/annotate/{made.slug}/manage/settings/")
    follow(page, "Delete")
    page.get_by_label("To delete the project, enter its name").fill(made.name)
    enter(page, "Delete permanently")
    expect(page.get_by_text(f"{made.name} is deleted.")).to_be_visible()
    assert Project.objects.get() == crew.project


@pytest.mark.usefixtures("crew")
def test_the_labels_to_choose_from_are_those_of_the_scheme(page: Page) -> None:
    schemes_load()
    thirteen, ten = (Scheme.objects.get(slug=slug) for slug in ("aces-13", "aces-10"))
    page.goto("/annotate/new/")
    many, few = (
        page.get_by_role("group", name=f"Offered labels, {scheme.title}")
        for scheme in (thirteen, ten)
    )
    expect(many).to_be_visible()
    expect(few).to_be_hidden()
    many.get_by_label("What or where").check()
    page.get_by_label("Name").fill("Dogs")
    page.get_by_label("Labels", exact=True).select_option(str(ten.pk))
    expect(many).to_be_hidden()
    few.get_by_label("When").check()
    # What was chosen of the other scheme is not sent.
    page.get_by_role("button", name="Make the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Dogs")
    assert Project.objects.get(name="Dogs").offered == ["WHEN"]


def test_a_choice_made_before_the_scripts_came_is_heard_all_the_same(
    page: Page, crew: Crew
) -> None:
    choice = page.expect_response(lambda response: "source=gold" in response.url)
    with choice, scripts_held_back(page):
        page.goto(f"/annotate/{crew.project.slug}/models/", wait_until="commit")
        page.get_by_label("What is settled").check()
