"""Someone with captions to label."""

import pytest

from annotation.models import Project
from annotation.services.projects import ProjectAct, member_add
from leaderboard.models import User
from tests.annotation.conftest import NOW, make_project
from tests.e2e.annotation.desk import TEXTS
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
def mira(project: Project) -> User:
    """Who leads the project."""
    made: User = UserFactory.create(username="mira")
    member_add(project=project, user=made)
    return made


@pytest.fixture
def act(mira: User) -> ProjectAct:
    return ProjectAct(mira, NOW)
