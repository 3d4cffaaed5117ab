"""A project in which pairs of a phase are judged, and the people around it."""

from dataclasses import dataclass

import pytest

from annotation.kinds.judge.drawing import FACETS
from annotation.models import Item, Project, Role, Scheme
from annotation.services.answers import AnswerChange, annotation_save
from annotation.services.judging import pairs_draw
from annotation.services.projects import ProjectAct, ProjectRules, Work, member_add, project_create
from leaderboard.models import Phase, Submission, User
from tests.annotation.conftest import NOW, Browsers
from tests.factories import PhaseFactory, TeamFactory, UserFactory, finish, submit

GOOD = (
    b"file_name,caption_predicted\n"
    b"rain.wav,rain drums on a metal roof\n"
    b"dog.wav,a big dog barks outside\n"
    b"train.wav,a train rattles over a bridge\n"
    b"door.wav,somebody shuts a wooden door\n"
    b'"bell, small.wav",a small hand bell is rung\n'
)
POOR = (
    b"file_name,caption_predicted\n"
    b"rain.wav,noise\n"
    b"dog.wav,an animal\n"
    b"train.wav,a vehicle\n"
    b"door.wav,a sound\n"
    b'"bell, small.wav",music\n'
)


@dataclass(frozen=True)
class Court(Browsers):
    """A phase with hidden references and two systems, and a project that judges its pairs.

    ``manager`` organises the phase, ``helper`` manages the project alone.
    """

    phase: Phase
    good: Submission
    poor: Submission
    project: Project
    ann: User
    bob: User
    manager: User
    helper: User
    outsider: User

    @property
    def address(self) -> str:
        """Where the project is managed."""
        return f"/annotate/{self.project.slug}/manage/"

    def draw(self, each: int = 2) -> list[Item]:
        """Draw so many pairs of every kind."""
        counts = dict.fromkeys(FACETS, each)
        return pairs_draw(
            project=self.project,
            phase=self.phase,
            systems=[self.good, self.poor],
            counts=counts,
            seed=1,
            act=ProjectAct(self.manager, NOW),
        )

    def judge(self, item: Item, user: User, choice: str) -> None:
        """Answer a pair."""
        value = {"choice": choice, "heard": True}
        change = AnswerChange(edit=f"edit-{user.pk}-{item.pk}", base=0, value=value)
        annotation_save(item=item, user=user, change=change, now=NOW)

    def judge_all(self) -> list[Item]:
        """Have everyone prefer people to the good system, and that to the poor one."""
        items = self.draw()
        order = {self.good.public_id: 1, self.poor.public_id: 0}
        for item in items:
            one, other = (
                order[source["system"]] if "system" in source else 2 + (source["clip"] == item.clip)
                for source in item.content["sources"]
            )
            for user in (self.ann, self.bob):
                self.judge(item, user, "alike" if one == other else "a" if one > other else "b")
        return items


def make_court() -> Court:
    ann, bob, manager, helper, outsider = UserFactory.create_batch(5)
    phase = PhaseFactory.create(references_public=False)
    phase.challenge.organisers.add(manager)
    good, poor = (
        submit(phase, TeamFactory.create(name=team), name=name, data=data)
        for team, name, data in (("Team <One>", "Good <b>", GOOD), ("Two", "Poor", POOR))
    )
    finish(good, value=0.8)
    finish(poor, value=0.2)
    scheme = Scheme.objects.create(slug="none", title="No labels", version=1, labels=[])
    project = project_create(
        slug="court",
        name="Court",
        scheme=scheme,
        manager=manager,
        rules=ProjectRules(copies=2),
        work=Work("judge"),
    )
    for user, role in ((ann, Role.ANNOTATOR), (bob, Role.ANNOTATOR), (helper, Role.MANAGER)):
        member_add(project=project, user=user, role=role)
    return Court(phase, good, poor, project, ann, bob, manager, helper, outsider)


@pytest.fixture
def court(db: None) -> Court:
    return make_court()
