"""Trainings in a browser: a choice before the scripts, cells that open captions, cancelling."""

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Project, RunState
from leaderboard.models import User
from tests.annotation.conftest import make_project
from tests.annotation.trained import make_training
from tests.e2e.conftest import LogIn, LooksRight, scripts_held_back
from tests.factories import UserFactory


@pytest.fixture
def manager(transactional_db: None) -> User:
    return UserFactory.create(username="manager")


@pytest.fixture
def project(manager: User) -> Project:
    return make_project(manager, texts=(), copies=1)


def test_a_choice_made_before_the_scripts_came_is_heard_all_the_same(
    page: Page, live_server: LiveServer, project: Project, manager: User, log_in: LogIn
) -> None:
    log_in(manager)
    choice = page.expect_response(lambda response: "source=gold" in response.url)
    with choice, scripts_held_back(page):
        page.goto(f"{live_server.url}/annotate/{project.slug}/models/", wait_until="commit")
        page.get_by_label("What is settled").check()


def test_a_cell_opens_the_captions_and_a_cancelled_training_says_what_can_be_done(
    page: Page,
    live_server: LiveServer,
    project: Project,
    manager: User,
    log_in: LogIn,
    looks_right: LooksRight,
) -> None:
    errors = [
        {"words": ["a", "dog", "barks"], "given": ["O", "WHO", "HOW"], "found": ["O", "WHAT", "O"]}
    ]
    make_training(project, errors=errors)
    make_training(project, state=RunState.WAITING)
    log_in(manager)
    page.goto(f"{live_server.url}/annotate/{project.slug}/models/1/")
    page.get_by_role("link", name="1 word: Who by people, What by the labeller").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("People: Who. The labeller: What")
    expect(page.locator("mark")).to_have_text(["dog"])
    looks_right()
    page.goto(f"{live_server.url}/annotate/{project.slug}/models/2/")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("No labeller was registered.")).to_be_visible()
    looks_right()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
