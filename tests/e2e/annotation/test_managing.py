"""A lead runs a project by keyboard: its captions, the whole as an archive, another one."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project, Role, Scheme
from annotation.services.labels import schemes_load
from annotation.services.projects import ProjectAct, Task, items_add
from annotation.services.sounds import sounds_add_zip
from leaderboard.models import User
from tests.annotation.conftest import NOW, Crew, make_crew
from tests.annotation.labelled import agreed_second, disputed_first, label
from tests.e2e.conftest import LogIn, LooksRight
from tests.sounds import wav, zipped

LONG = "long-without-a-space" * 8


@pytest.fixture
def crew(transactional_db: None, settings: Any, tmp_path: Path, log_in: LogIn) -> Crew:
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


def test_captions_are_found_removed_brought_back_and_sent_back(
    page: Page,
    live_server: LiveServer,
    crew: Crew,
    looks_right: LooksRight,
    complaints: list[str],
) -> None:
    page.goto(f"{live_server.url}/annotate/{crew.project.slug}/manage/")
    follow(page, "Captions", inside="Managing")
    expect(page.get_by_role("status")).to_have_text("5 captions")
    page.get_by_label("State", exact=True).focus()
    page.keyboard.type("any")
    page.get_by_label("Text or number").fill("rain")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name="heavy rain")).to_contain_text("All agree")
    # The address alone shows the same to somebody else.
    page.goto(page.url)
    expect(page.get_by_label("Text or number")).to_have_value("rain")
    follow(page, "Captions", inside="Managing")
    follow(page, "To decide", inside="States")
    expect(page.get_by_role("status")).to_have_text("1 caption matches")
    looks_right()
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
    looks_right()
    enter(page, "Send back")
    page.get_by_label("Why").fill(" ")
    enter(page, "Send back")
    expect(page.get_by_text("Give the reason")).to_be_visible()
    looks_right()
    assert "422" in complaints.pop()
    page.get_by_label("Why").fill("Label the verb, too.")
    enter(page, "Send back")
    expect(page.get_by_text("2 answers to 1 caption sent back.")).to_be_visible()


def test_captions_are_handed_to_somebody_and_downloaded(
    page: Page, live_server: LiveServer, crew: Crew, looks_right: LooksRight
) -> None:
    page.goto(f"{live_server.url}/annotate/{crew.project.slug}/captions/?text=train")
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


def test_a_project_is_downloaded_and_made_again_with_its_people(
    page: Page,
    live_server: LiveServer,
    crew: Crew,
    looks_right: LooksRight,
    tmp_path: Path,
    complaints: list[str],
) -> None:
    page.goto(f"{live_server.url}/annotate/{crew.project.slug}/manage/files/")
    with page.expect_download() as told:
        page.get_by_role("button", name="Download the project").click()
    archive, broken = tmp_path / "project.zip", tmp_path / "broken.zip"
    told.value.save_as(archive)
    broken.write_bytes(b"no zip")
    page.goto(f"{live_server.url}/annotate/new/")
    page.get_by_role("link", name="make it from another project's archive").click()
    page.get_by_label("Archive of a project").set_input_files(broken)
    page.get_by_role("button", name="Preview the archive").click()
    expect(page.get_by_text("The file is not a zip, or it is damaged.")).to_be_visible()
    complaints.clear()
    looks_right()
    page.get_by_label("Archive of a project").set_input_files(archive)
    enter(page, "Preview the archive")
    expect(page.get_by_role("heading", level=1)).to_have_text("Make Project 0 from this archive?")
    mine = page.get_by_label(f"Account of {crew.manager.username}")
    expect(mine).to_have_value(crew.manager.username)
    page.get_by_label(f"Account of {crew.ann.username}").fill(crew.ann.username)
    looks_right()
    enter(page, "Make the project")
    expect(page.get_by_text("Project 0 is ready, and you manage it.")).to_be_visible()
    made = Project.objects.exclude(pk=crew.project.pk).get()
    assert made.members.get(user=crew.manager).role == Role.MANAGER
    assert made.members.get(user=crew.ann).name == crew.ann.username
    # And deleted after its name was entered.
    page.goto(f"{live_server.url}/annotate/{made.slug}/manage/settings/")
    follow(page, "Delete")
    page.get_by_label("To delete the project, enter its name").fill(made.name)
    enter(page, "Delete permanently")
    expect(page.get_by_text(f"{made.name} is deleted.")).to_be_visible()
    assert Project.objects.get() == crew.project


def test_the_labels_to_choose_from_are_those_of_the_scheme(
    page: Page, live_server: LiveServer, crew: Crew
) -> None:
    schemes_load()
    thirteen, ten = (Scheme.objects.get(slug=slug) for slug in ("aces-13", "aces-10"))
    page.goto(f"{live_server.url}/annotate/new/")
    groups = {
        scheme: page.get_by_role("group", name=f"Offered labels, {scheme.title}")
        for scheme in (thirteen, ten)
    }
    expect(groups[thirteen]).to_be_visible()
    expect(groups[ten]).to_be_hidden()
    groups[thirteen].get_by_label("What or where").check()
    page.get_by_label("Name").fill("Dogs")
    page.get_by_label("Labels", exact=True).select_option(str(ten.pk))
    expect(groups[thirteen]).to_be_hidden()
    groups[ten].get_by_label("When").check()
    # What was chosen of the other scheme is not sent.
    page.get_by_role("button", name="Make the project").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Dogs")
    assert Project.objects.get(name="Dogs").offered == ["WHEN"]
