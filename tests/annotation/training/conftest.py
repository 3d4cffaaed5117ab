"""A project with captions to learn from."""

import pytest

from annotation.models import Role
from annotation.services.projects import member_add
from tests.annotation.conftest import Crew, make_project
from tests.annotation.trained import easy_texts, label_easily


@pytest.fixture
def easy(crew: Crew) -> Crew:
    """The crew with a project of 24 captions that one of them accepted."""
    project = make_project(crew.manager, texts=easy_texts(24), copies=1)
    for user, role in ((crew.ann, Role.ANNOTATOR), (crew.judge, Role.ADJUDICATOR)):
        member_add(project=project, user=user, role=role)
    label_easily(list(project.items.all()), crew.ann)
    return Crew(
        project,
        list(project.items.all()),
        crew.ann,
        crew.bob,
        crew.judge,
        crew.manager,
        crew.outsider,
    )
