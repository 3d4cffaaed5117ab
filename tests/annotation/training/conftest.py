"""A project with captions to learn from."""

from dataclasses import replace

import pytest

from annotation.models import Project, Role
from annotation.services.projects import member_add
from tests.annotation.conftest import Crew, make_project
from tests.annotation.trained import easy_texts, label_easily
from tests.factories import UserFactory


@pytest.fixture
def project(db: None) -> Project:
    """A project of somebody who is nothing else."""
    return make_project(UserFactory.create())


@pytest.fixture
def easy(crew: Crew) -> Crew:
    """The crew with a project of 24 captions that one of them accepted."""
    project = make_project(crew.manager, texts=easy_texts(24), copies=1)
    for user, role in ((crew.ann, Role.ANNOTATOR), (crew.judge, Role.ADJUDICATOR)):
        member_add(project=project, user=user, role=role)
    label_easily(list(project.items.all()), crew.ann)
    return replace(crew, project=project, items=list(project.items.all()))
