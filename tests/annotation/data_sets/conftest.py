"""A data set of two clips and the people around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

import pytest

from annotation.models import DataSet, DataSetCaption, DataSetClip, Project, Sound
from annotation.services.data_sets.making import DataSetAct, data_set_create
from leaderboard.models import Phase, User
from leaderboard.services.clips.recordings import recording_save
from tests.annotation.conftest import NOW, Browsers
from tests.annotation.kinds.conftest import make_workshop
from tests.factories import PhaseFactory, UserFactory
from tests.sounds import wav

CAPTIONS = {
    "rain.wav": ("Continous rain falls on a roof", "rain patters on a roof while birds sing"),
    "dog.wav": ("A dog barks twice in the distance", "a dog is barking near a road with cars"),
}


@dataclass(frozen=True)
class Desk(Browsers):
    """A data set from ``project``, its owner, the project's manager, and who may not see it."""

    data_set: DataSet
    project: Project
    owner: User
    manager: User
    annotator: User
    outsider: User
    admin: User

    @property
    def act(self) -> DataSetAct:
        """The owner does something."""
        return DataSetAct(self.owner, NOW)

    def caption(self, name: str, number: int = 1) -> DataSetCaption:
        """A caption of a clip, as it stands."""
        return DataSetCaption.objects.get(
            clip__data_set=self.data_set, clip__file_name=name, number=number
        )

    def path(self, part: str = "") -> str:
        """An address of the data set."""
        return f"/annotate/data-sets/{self.data_set.slug}/{part}"


def captions_put(data_set: DataSet, clips: Mapping[str, Sequence[str]], first: int = 0) -> None:
    """Put captions into a data set, in clips from this position on."""
    for position, (name, texts) in enumerate(clips.items(), first):
        clip = DataSetClip.objects.create(data_set=data_set, position=position, file_name=name)
        for number, text in enumerate(texts, 1):
            DataSetCaption.objects.create(clip=clip, number=number, text=text, original=text)


def add_sound(desk: Desk, name: str) -> Sound:
    """Give the project a recording."""
    stored = recording_save(BytesIO(wav()))
    return Sound.objects.create(
        project=desk.project,
        file_name=name,
        sha256=stored.sha256,
        size=stored.size,
        media_type=stored.media_type,
    )


def make_desk() -> Desk:
    """Make the data set and the people."""
    workshop = make_workshop("write")
    owner = UserFactory.create(is_staff=True)
    admin = UserFactory.create(is_staff=True, is_superuser=True)
    made = data_set_create(name="Rain and dogs", act=DataSetAct(owner, NOW))
    made.source = workshop.project
    made.save()
    captions_put(made, CAPTIONS)
    return Desk(
        data_set=made,
        project=workshop.project,
        owner=owner,
        manager=workshop.manager,
        annotator=workshop.ann,
        outsider=workshop.outsider,
        admin=admin,
    )


@pytest.fixture
def desk(db: None) -> Desk:
    """A data set of two clips with two captions each."""
    return make_desk()


@pytest.fixture
def phase(desk: Desk) -> Phase:
    """A phase without references that the owner of the data set organises."""
    phase = PhaseFactory.create(reference_set=None, references_public=True)
    phase.challenge.organisers.add(desk.owner)
    return phase
