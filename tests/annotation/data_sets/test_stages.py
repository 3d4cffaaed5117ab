"""Data sets of projects in which captions are edited and rated."""

import pytest

from annotation.models import Annotation, DataSetCaption
from annotation.selectors.data_sets.source_captions import source_captions
from annotation.services.data_sets.filling import source_add
from annotation.services.data_sets.making import DataSetAct, data_set_create
from tests.annotation.conftest import NOW
from tests.annotation.kinds.conftest import SOUNDS
from tests.annotation.stages.conftest import (
    BETTER,
    ONE,
    OTHER,
    Chain,
    answer,
    make_chain,
    numbers,
)

pytestmark = pytest.mark.one_database


@pytest.fixture
def rated(db: None) -> Chain:
    """Of one sound two captions were written, one was changed by editing, and all were rated."""
    chain = make_chain()
    one, other, editor, *raters = chain.people
    chain.written(0, one, ONE)
    chain.written(0, other, OTHER)
    chain.feed()
    for item in chain.taken(chain.edit, editor):
        text = BETTER if item.content["caption"] == ONE else OTHER
        answer(item, editor, {"text": text, "heard": True})
    chain.feed()
    for rater in raters[:2]:
        for item in chain.taken(chain.rate, rater):
            answer(item, rater, numbers(item, 4, 3))
    return chain


def test_edited_captions_of_one_sound_come_together(rated: Chain) -> None:
    (clip,) = source_captions(rated.edit)
    assert clip.file_name == SOUNDS[0]
    assert sorted(text for _, text in clip.captions) == sorted([BETTER, OTHER])


def test_what_is_kept_makes_a_data_set_and_comes_once(rated: Chain) -> None:
    act = DataSetAct(rated.manager, NOW)
    made = data_set_create(name="Kept", act=act, source=rated.rate)
    report = source_add(data_set=made, act=act)
    rows = DataSetCaption.objects.filter(clip__data_set=made).order_by("number")
    assert (report.clips, report.captions) == (1, 3)
    assert {row.text for row in rows} == {ONE, OTHER, BETTER}
    assert {row.clip.file_name for row in rows} == {SOUNDS[0]}
    writers = {row.text: row.annotation.user for row in rows if row.annotation}
    assert (writers[ONE], writers[BETTER]) == (rated.people[0], rated.people[2])
    assert source_add(data_set=made, act=act).captions == 0


def test_captions_whose_answers_are_gone_come_all_the_same(rated: Chain) -> None:
    Annotation.objects.filter(item__project=rated.write).delete()
    act = DataSetAct(rated.manager, NOW)
    made = data_set_create(name="Kept", act=act, source=rated.rate)
    for count in (3, 0):
        assert source_add(data_set=made, act=act).captions == count
