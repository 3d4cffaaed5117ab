"""A project of each kind of work but label words, with people in it."""

from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import SOUNDS_PAGE, items_page
from annotation.models import Item, Project, Role, Scheme
from annotation.services.projects import (
    ProjectRules,
    Task,
    Work,
    items_add,
    member_add,
    project_create,
)
from leaderboard.models import User
from tests.factories import UserFactory

SOUNDS = ("rain on a roof.wav", "dog barks.wav", "door.wav")
# Of each kind: an answer that can be taken, and another.
ANSWERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "write": (
        {"text": "rain falls on a roof while birds sing nearby", "heard": True},
        {"text": "heavy rain falls on a metal roof while a bird sings", "heard": True},
    ),
    "judge": ({"choice": "a", "heard": True}, {"choice": "alike", "heard": True}),
}
# Those in which people work on sounds that managers bring.
ON_SOUNDS = tuple(kind for kind in ANSWERS if items_page(kind_named(kind)) == SOUNDS_PAGE)
# What an item of a kind has besides the name of its sound, where that is not all.
CONTENTS: dict[str, dict[str, Any]] = {
    "judge": {"captions": ["rain falls", "water drips"], "facet": "HC", "sources": [{}, {}]},
}


@dataclass(frozen=True)
class Workshop:
    """A project with three sounds, two at work in it and its manager."""

    project: Project
    items: list[Item]
    ann: User
    bob: User
    manager: User
    outsider: User

    def client(self, user: User | None) -> Client:
        """A browser in which ``user`` is logged in (None: nobody)."""
        client = Client()
        if user is not None:
            client.force_login(user)
        return client


def make_workshop(kind: str) -> Workshop:
    """Make a project of a kind, two answers to each of its sounds."""
    ann, bob, manager, outsider = UserFactory.create_batch(4)
    scheme = Scheme.objects.create(
        slug=f"none-{Project.objects.count()}", title="No labels", version=1, labels=[]
    )
    project = project_create(
        slug=f"work-{Project.objects.count()}",
        name="Work",
        scheme=scheme,
        manager=manager,
        rules=ProjectRules(copies=2),
        work=Work(kind),
    )
    for user in (ann, bob):
        member_add(project=project, user=user, role=Role.ANNOTATOR)
    content = CONTENTS.get(kind, {})
    tasks = [Task(name, meta={"file_name": name}, content=content) for name in SOUNDS]
    items_add(project=project, tasks=tasks)
    return Workshop(project, list(project.items.all()), ann, bob, manager, outsider)


@pytest.fixture(params=ANSWERS)
def workshop(request: pytest.FixtureRequest, db: None) -> Workshop:
    """A project of each kind in turn."""
    return make_workshop(request.param)
