"""A project of each kind of work but label words, with people in it."""

from dataclasses import dataclass
from typing import Any

import pytest

from annotation.kinds.rate import caption_key
from annotation.kinds.registry import kind_named
from annotation.kinds.work_kind import SOUNDS_PAGE
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
from tests.annotation.conftest import Browsers
from tests.factories import UserFactory

SOUNDS = ("rain on a roof.wav", "dog barks.wav", "door.wav")
CAPTION = "rain falls on a roof as birds sing near by"
VERSIONS = ("rain falls on a roof", "rain is falling on a roof", "birds sing in heavy rain")
PERSON = {"clip": 0, "reference": 0}
# What there is of an item of each kind besides its sound.
CONTENTS: dict[str, dict[str, Any]] = {
    "write": {},
    "edit": {"caption": CAPTION},
    "rate": {"captions": [{"text": text, "annotations": []} for text in VERSIONS]},
    "judge": {
        "captions": ["rain falls", "water drips"],
        "facet": "HC",
        "sources": [PERSON, PERSON],
    },
}


def ratings(*numbers: tuple[int, int]) -> dict[str, Any]:
    """An answer that gives the versions these numbers for accuracy and fluency, in their order."""
    rows = {
        caption_key(text): {"accuracy": accuracy, "fluency": fluency}
        for text, (accuracy, fluency) in zip(VERSIONS, numbers, strict=True)
    }
    return {"ratings": rows, "heard": True}


# Of each kind: an answer that can be taken, and another.
ANSWERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "write": (
        {"text": "rain falls on a roof while birds sing nearby", "heard": True},
        {"text": "heavy rain falls on a metal roof while a bird sings", "heard": True},
    ),
    "edit": (
        {"text": "rain falls on a roof while birds sing nearby", "heard": True},
        {"text": CAPTION, "heard": True},
    ),
    "rate": (ratings((4, 3), (2, 4), (1, 1)), ratings((4, 4), (2, 4), (1, 2))),
    "judge": ({"choice": "a", "heard": True}, {"choice": "alike", "heard": True}),
}
# Those in which people work on sounds that managers bring.
ON_SOUNDS = tuple(
    kind
    for kind in ANSWERS
    if kind_named(kind).items_page == SOUNDS_PAGE and not kind_named(kind).sources
)


@dataclass(frozen=True)
class Workshop(Browsers):
    """A project with three sounds, two at work in it and its manager."""

    project: Project
    items: list[Item]
    ann: User
    bob: User
    manager: User
    outsider: User


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
    content = CONTENTS[kind]
    tasks = [Task(name, meta={"file_name": name}, content=content) for name in SOUNDS]
    items_add(project=project, tasks=tasks)
    return Workshop(project, list(project.items.all()), ann, bob, manager, outsider)


@pytest.fixture(params=ANSWERS)
def workshop(request: pytest.FixtureRequest, db: None) -> Workshop:
    """A project of each kind in turn."""
    return make_workshop(request.param)
