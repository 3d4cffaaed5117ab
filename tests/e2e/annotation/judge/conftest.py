"""Someone with pairs to judge."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Item, Project
from annotation.services.projects import ProjectAct
from annotation.services.sounds import sounds_add_zip
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.annotation.kinds.conftest import SOUNDS, Workshop, make_workshop
from tests.e2e.conftest import LogIn
from tests.sounds import wav, zipped

CAPTIONS = (
    ["rain falls", "water drips"],
    ["a <b>dog</b> barks", "an animal"],
    ["a door slams", "wood knocks"],
)


@pytest.fixture
def workshop(transactional_db: None, settings: Any, tmp_path: Path) -> Workshop:
    """Three pairs on sounds of a second each."""
    settings.AUDIO_DIR = tmp_path / "audio"
    made = make_workshop("judge")
    for item, captions in zip(made.items, CAPTIONS, strict=True):
        content = {**item.content, "captions": captions}
        Item.objects.filter(pk=item.pk).update(content=content)
    sounds = {name: wav(1, pitch=300.0 + 100 * at) for at, name in enumerate(SOUNDS)}
    act = ProjectAct(actor=made.manager, now=NOW)
    sounds_add_zip(project=made.project, path=zipped(sounds, tmp_path / "x.zip"), act=act)
    return made


@pytest.fixture
def project(workshop: Workshop) -> Project:
    return workshop.project


@pytest.fixture
def ann(workshop: Workshop) -> User:
    return workshop.ann


def open_judging_page(page: Page, server: LiveServer, project: Project) -> None:
    page.goto(f"{server.url}/annotate/{project.slug}/")
    expect(page.locator("[data-part=first-text]")).not_to_be_empty()
    # Read out a moment later, together with whatever is said until then.
    expect(page.locator("[data-part=live]")).not_to_be_empty()


@pytest.fixture
def judging_page(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> Page:
    """The page of judging pairs, with the first pair in hand."""
    log_in(ann)
    open_judging_page(page, live_server, project)
    return page
