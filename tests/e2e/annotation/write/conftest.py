"""Someone with sounds to describe, or with captions of them to edit, to rate or to judge."""

from pathlib import Path
from typing import Any

import pytest

from annotation.models import Item, Project
from annotation.services.projects import ProjectAct
from annotation.services.sounds import sounds_add_zip
from leaderboard.models import User
from tests.annotation.conftest import NOW
from tests.annotation.kinds.conftest import SOUNDS, Workshop, make_workshop
from tests.e2e.annotation.write.hands import HANDS, Hands
from tests.sounds import wav, zipped

PAIRS = (
    ["rain falls", "water drips"],
    ["a <b>dog</b> barks", "an animal"],
    ["a door slams", "wood knocks"],
)


@pytest.fixture
def kind(request: pytest.FixtureRequest) -> str:
    """The kind of work: writing captions, where a test is not for others as well."""
    return str(getattr(request, "param", "write"))


@pytest.fixture
def workshop(transactional_db: None, settings: Any, tmp_path: Path, kind: str) -> Workshop:
    """Three sounds of a second each, in a project of captions."""
    settings.AUDIO_DIR = tmp_path / "audio"
    made = make_workshop(kind)
    for item, captions in zip(made.items, PAIRS, strict=True) if kind == "judge" else ():
        Item.objects.filter(pk=item.pk).update(content={**item.content, "captions": captions})
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
def hands(project: Project, ann: User) -> Hands:
    """What somebody does and sees in the kind of work."""
    return HANDS[project.kind](list(project.items.order_by("position")), ann)
