"""Data sets for tests, made by rules from a few words."""

from random import Random
from typing import Any

from annotation.models import DataSet, DataSetCaption, DataSetClip
from leaderboard.models import User
from tests.annotation.conftest import NOW

SOURCES = ("a dog", "heavy rain", "an old engine", "a crowd", "church bells", "a kettle")
SOUNDS = ("barks", "falls", "rumbles", "murmurs", "ring", "whistles", "echoes", "fades")
PLACES = ("in a yard", "on a roof", "near a road", "in a hall", "far away", "in a kitchen")


def captions_of(number: int, count: int = 2) -> list[str]:
    """Captions of a clip, the same for the same number."""
    random = Random(number)
    return [
        f"{random.choice(SOURCES)} {random.choice(SOUNDS)} {random.choice(PLACES)}"
        for _ in range(count)
    ]


def make_data_set(
    owner: User | None = None,
    *,
    clips: int = 40,
    captions: int = 2,
    metas: list[dict[str, Any]] | None = None,
    **values: Any,
) -> DataSet:
    """Make a data set of clips ``clip000.wav`` and so on."""
    number = DataSet.objects.count()
    data_set = DataSet.objects.create(
        slug=f"set-{number}", name=f"Set {number}", owner=owner, created_at=NOW, **values
    )
    for at in range(clips):
        clip = DataSetClip.objects.create(
            data_set=data_set,
            position=at,
            file_name=f"clip{at:03}.wav",
            meta=(metas or [{}])[at % len(metas or [{}])],
        )
        DataSetCaption.objects.bulk_create(
            DataSetCaption(clip=clip, number=at, text=text, original=text)
            for at, text in enumerate(captions_of(at, captions), start=1)
        )
    return data_set


def set_parts(data_set: DataSet, **sizes: int) -> None:
    """Put the first clips into these parts, so many into each."""
    at = 0
    for part, size in sizes.items():
        rows = data_set.clips.filter(position__gte=at, position__lt=at + size)
        rows.update(part=part)
        at += size
