"""Three projects that feed each other, and people who are in all of them."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest

from annotation.kinds.rate import caption_key
from annotation.models import Annotation, Answer, Item, Project, Role, Scheme, Sound
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.projects import (
    ProjectRules,
    Task,
    Work,
    items_add,
    member_add,
    project_create,
)
from annotation.services.stages import stages_update
from annotation.services.tasks import tasks_take
from leaderboard.models import User
from tests.annotation.conftest import LEASE, NOW, Browsers
from tests.annotation.kinds.conftest import SOUNDS
from tests.factories import UserFactory

ONE = "rain falls on a roof while birds sing nearby"
OTHER = "heavy rain falls on a metal roof while a bird sings"
BETTER = "rain drums on a tin roof while birds are singing"


@dataclass(frozen=True)
class Chain(Browsers):
    """Projects of the three stages, two answers for each sound, its manager and six others."""

    write: Project
    edit: Project
    rate: Project
    manager: User
    people: list[User] = field(default_factory=list)

    @property
    def stages(self) -> tuple[Project, Project, Project]:
        return self.write, self.edit, self.rate

    def feed(self) -> None:
        stages_update(source=self.write, now=NOW)

    def written(self, at: int, user: User, text: str, **change: Any) -> Annotation:
        """A caption of a sound by somebody, a new one or in place of their earlier one."""
        item = self.write.items.order_by("position")[at]
        return answer(item, user, {"text": text, "heard": True}, **change)

    def taken(self, project: Project, user: User, count: int = 12) -> list[Item]:
        """What somebody is handed."""
        held = tasks_take(project=project, user=user, count=count, now=NOW, lease=LEASE)
        return [assignment.item for assignment in held]


def answer(item: Item, user: User, value: dict[str, Any], **change: Any) -> Annotation:
    before = Annotation.with_removed.filter(item=item, user=user).first()
    whole = {"edit": uuid4().hex, "base": before.version if before else 0, "value": value, **change}
    return annotation_save(item=item, user=user, change=AnswerChange(**whole), now=NOW)


def numbers(item: Item, accuracy: int, fluency: int) -> dict[str, Any]:
    """An answer that gives all versions of an item the same."""
    keys = [caption_key(row["text"]) for row in item.content["captions"]]
    rating = {"accuracy": accuracy, "fluency": fluency}
    return {"ratings": dict.fromkeys(keys, rating), "heard": True}


def skipped(item: Item, user: User) -> Annotation:
    return answer(item, user, {}, answer=Answer.IGNORE)


def make_chain() -> Chain:
    manager, *people = UserFactory.create_batch(7)
    scheme = Scheme.objects.create(slug="none", title="No labels", version=1, labels=[])
    projects: list[Project] = []
    for kind, copies in (("write", 2), ("edit", 1), ("rate", 2)):
        project = project_create(
            slug=kind,
            name=f"Clips: {kind}",
            scheme=scheme,
            manager=manager,
            rules=ProjectRules(copies=copies),
            work=Work(kind, source=projects[-1] if projects else None),
        )
        for user in people:
            member_add(project=project, user=user, role=Role.ANNOTATOR)
        projects.append(project)
    items_add(project=projects[0], tasks=[Task(name, meta={"file_name": name}) for name in SOUNDS])
    Sound.objects.bulk_create(
        Sound(project=projects[0], file_name=name, sha256=f"{at:064}", size=9, media_type="x/y")
        for at, name in enumerate(SOUNDS)
    )
    write, edit, rate = projects
    return Chain(write, edit, rate, manager, people)


@pytest.fixture
def chain(db: None) -> Chain:
    return make_chain()
