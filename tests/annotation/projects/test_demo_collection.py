"""The demo of collecting and judging: made once, true, and with something left for each person."""

import pytest
from django.conf import settings

from annotation.demo_collection import (
    EDITED,
    JUDGED,
    PAIRS,
    RATED,
    SOUNDS,
    WRITTEN,
    collection_demo_load,
    judging_demo_load,
)
from annotation.models import Annotation, Assignment, Project
from annotation.selectors.judging.results import judging_results
from annotation.selectors.stages.ratings import rated_captions
from annotation.selectors.tasks import audio_addresses
from annotation.services.tasks import tasks_take
from leaderboard.demo import ANNOTATORS
from leaderboard.demo.load import CHALLENGE, PHASE, demo_load
from leaderboard.models import Phase, User
from tests.annotation.conftest import NOW

pytestmark = pytest.mark.one_database


@pytest.fixture
def people(db: None) -> list[User]:
    demo_load(now=NOW)
    return [User.objects.get(username=name) for name in (*ANNOTATORS, "organiser")]


def test_every_stage_has_work_done_by_others_and_work_left_for_each(people: list[User]) -> None:
    stages = collection_demo_load(manager=people[2], people=people, now=NOW)
    assert [stage.kind for stage in stages] == ["write", "edit", "rate"]
    assert collection_demo_load(manager=people[2], people=people, now=NOW) == []
    assert [stage.items.count() for stage in stages] == [SOUNDS, WRITTEN, EDITED]
    done = [Annotation.objects.counting().filter(item__project=stage) for stage in stages]
    assert [rows.count() for rows in done] == [WRITTEN, EDITED, RATED]
    by_sound = Annotation.objects.values_list("item__meta__file_name", "user")
    assert len(set(by_sound)) == len(by_sound), "nobody has met a sound twice"
    for stage in stages:
        assert "made up" in stage.guidelines
        assert all(audio_addresses(stage.items.all()).values())
        for user in people:
            taken = tasks_take(
                project=stage, user=user, count=1, now=NOW, lease=settings.ANNOTATION_LEASE
            )
            assert taken, (stage, user)
    rated = [clip for clip in rated_captions(stages[2]) if not clip.missing]
    assert len(rated) == RATED
    assert all([row.kept for row in clip.captions].count(True) == 1 for clip in rated)


def test_pairs_are_judged_by_two_and_some_are_left(people: list[User]) -> None:
    phase = Phase.objects.get(challenge__slug=CHALLENGE, slug=PHASE)
    made = judging_demo_load(phase=phase, manager=people[2], judges=people[:2], now=NOW)
    assert made is not None
    assert judging_demo_load(phase=phase, manager=people[2], judges=people[:2], now=NOW) is None
    assert made.items.count() == sum(PAIRS.values())
    assert Annotation.objects.filter(item__project=made).count() == 2 * JUDGED
    assert Assignment.objects.filter(project=made, done=False).exists()
    assert Project.objects.get(pk=made.pk).kind_options == {"with_sound": 1}
    results = judging_results(made, phase, named=True)
    assert len(results.systems) > 2
    assert {facet.facet for facet in results.facets} >= set(PAIRS)
