"""Someone with sounds to describe, or with captions of them to edit or to rate."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from annotation.services.projects import ProjectAct
from annotation.services.sounds import sounds_add_zip
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.annotation.kinds.conftest import SOUNDS, Workshop, make_workshop
from tests.e2e.annotation.write.hands import HANDS, Hands
from tests.e2e.annotation.write.writing_page import open_writing_page
from tests.e2e.conftest import LogIn
from tests.sounds import wav, zipped


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of work: writing captions, where a test is not for others as well."""
    return str(getattr(request, "param", "write"))


@pytest.fixture
def workshop(transactional_db: None, settings: Any, tmp_path: Path, kind: str) -> Workshop:
    """Three sounds of a second each, in a project of captions to write, edit or rate."""
    settings.AUDIO_DIR = tmp_path / "audio"
    made = make_workshop(kind)
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


@pytest.fixture
def writing_page(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> Page:
    """The page of work, with the first sound in hand."""
    log_in(ann)
    open_writing_page(page, live_server, project)
    return page


@pytest.fixture
def hands(workshop: Workshop) -> Hands:
    """What somebody does and sees in the kind of work."""
    return HANDS[workshop.project.kind](workshop.items[0], workshop.ann)
