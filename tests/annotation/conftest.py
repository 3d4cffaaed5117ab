"""The cast of the labelling side: a project with captions and the people in it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotation.models import Item, Project, Role
from annotation.services.projects import ProjectRules, Task, items_add, member_add, project_create
from annotation.services.schemes import schemes_load
from leaderboard.models import User
from tests.factories import UserFactory
from tests.leaderboard.conftest import fresh_counts

__all__ = ["fresh_counts"]

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LEASE = timedelta(minutes=30)
TEXTS = (
    "a dog barks twice in the distance",
    "heavy rain falls on a metal roof",
    "several people talk while a train passes",
    "a door slams shut",
)


def browser(user: User | None) -> Client:
    """A browser in which ``user`` is logged in (None: nobody)."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


class Browsers:
    """A cast whose people have browsers."""

    client = staticmethod(browser)


@dataclass(frozen=True)
class Crew(Browsers):
    """A project of two copies and its people."""

    project: Project
    items: list[Item]
    ann: User
    bob: User
    judge: User
    manager: User
    outsider: User


def make_project(
    manager: User | None = None, *, texts: tuple[str, ...] = TEXTS, **rules: object
) -> Project:
    """Make a project with the shipped 13 labels and these captions."""
    scheme = next(found for found in schemes_load() if found.slug == "aces-13")
    count = Project.objects.count()
    project = project_create(
        slug=f"project-{count}",
        name=f"Project {count}",
        scheme=scheme,
        manager=manager,
        rules=ProjectRules(**rules),  # type: ignore[arg-type]
    )
    items_add(project=project, tasks=[Task(text) for text in texts])
    return project


def make_crew() -> Crew:
    """Make a project with two annotators, an adjudicator and a manager."""
    ann, bob, judge, manager, outsider = UserFactory.create_batch(5)
    project = make_project(manager)
    for user, role in ((ann, Role.ANNOTATOR), (bob, Role.ANNOTATOR), (judge, Role.ADJUDICATOR)):
        member_add(project=project, user=user, role=role)
    return Crew(project, list(project.items.all()), ann, bob, judge, manager, outsider)


@pytest.fixture
def crew(db: None) -> Crew:
    return make_crew()


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """Where recordings are kept, empty."""
    settings.AUDIO_DIR = tmp_path / "audio"
    return tmp_path / "audio"
