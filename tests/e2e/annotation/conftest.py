"""Somebody at work; a folder of tests says in which ``project``, and who is ``ann``."""

import pytest
from playwright.sync_api import Page

from annotation.models import Project
from leaderboard.models import User
from tests.e2e.annotation.desk import COUNT, Desk
from tests.e2e.conftest import LogIn


@pytest.fixture
def desk(page: Page, project: Project, ann: User, log_in: LogIn) -> Desk:
    """Somebody who is logged in."""
    log_in(ann)
    page.add_init_script(COUNT)
    return Desk(page, project, ann)


@pytest.fixture
def work(desk: Desk) -> Page:
    """The page of work, with the first task in hand."""
    return desk.open()
