"""Someone with captions to label."""

import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project
from annotation.services.projects import member_add
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.e2e.annotation.labelling.labelling_page import COUNT, TEXTS, open_labelling_page
from tests.e2e.conftest import LogIn
from tests.factories import UserFactory


@pytest.fixture
def ann(transactional_db: None) -> User:
    return UserFactory.create(username="ann")


@pytest.fixture
def project(ann: User) -> Project:
    made = make_project(texts=TEXTS, copies=2)
    member_add(project=made, user=ann)
    return made


@pytest.fixture
def labelling_page(
    page: Page, live_server: LiveServer, project: Project, ann: User, log_in: LogIn
) -> Page:
    """The labelling page, with the first caption in hand."""
    page.add_init_script(COUNT)
    log_in(ann)
    open_labelling_page(page, live_server, project)
    return page
