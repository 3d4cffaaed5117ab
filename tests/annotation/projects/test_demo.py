"""The demo project: made once, always the same, and with something to settle."""

from datetime import timedelta

import pytest
from django.conf import settings

from annotation.demo import DONE, SLUG, labelling_demo_load
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
from annotation.models import Annotation, Assignment, Gold, Item, Project
from annotation.selectors.judging.results import judging_results
from annotation.selectors.progress import project_progress
from annotation.selectors.stages.ratings import rated_captions
from annotation.selectors.tasks import audio_addresses
from annotation.services.tasks import tasks_take
from annotation.spans import labels_of_words
from leaderboard.demo import ANNOTATORS
from leaderboard.demo.load import CHALLENGE, PHASE, demo_load
from leaderboard.models import Phase, User
from tests.annotation.conftest import NOW


@pytest.fixture
def people(db: None, monkeypatch: pytest.MonkeyPatch) -> tuple[User, User]:
    monkeypatch.setattr("leaderboard.demo.load._submission", lambda *_: None)
    demo_load(now=NOW)
    one, other = (User.objects.get(username=name) for name in ANNOTATORS)
    return one, other


def load(people: tuple[User, User]) -> Project | None:
    return labelling_demo_load(
        phase=Phase.objects.get(challenge__slug=CHALLENGE, slug=PHASE),
        manager=User.objects.get(username="organiser"),
        annotators=people,
        now=NOW,
    )


def test_it_is_made_once_with_part_of_the_work_done(people: tuple[User, User]) -> None:
    project = load(people)
    assert project is not None
    assert load(people) is None
    assert Project.objects.get().slug == SLUG
    assert project.items.count() == 72
    counts = tuple(Annotation.objects.filter(user=user).count() for user in people)
    assert counts == DONE
    whole = project_progress(project)
    assert 0 < whole.assignments_done < whole.assignments
    assert not Assignment.objects.filter(done=False, user__isnull=False).exists()
    assert not Annotation.objects.filter(updated_at__gt=NOW).exists()
    assert not Annotation.objects.filter(created_at__lt=NOW - timedelta(hours=1)).exists()
    assert "made up" in project.guidelines


def test_the_two_agree_mostly_and_have_something_to_settle_the_same_in_every_installation(
    people: tuple[User, User],
) -> None:
    load(people)
    same = words = disputed = pairs = 0
    for item in Item.objects.filter(copies=2):
        rows = list(item.annotations.filter(answer="accept"))
        if len(rows) == 2:
            one, other = (labels_of_words(row.spans, len(item.tokens)) for row in rows)
            agreed = sum(a == b for a, b in zip(one, other, strict=True))
            same, words = same + agreed, words + len(one)
            disputed += agreed < len(one)
            pairs += 1
    assert 0.85 < same / words < 0.97
    assert disputed >= 10
    assert pairs - disputed >= 8
    assert Gold.objects.exists()
    assert Annotation.objects.filter(flagged=True).exclude(comment="").count() >= 2
    first = list(Annotation.objects.order_by("item__position", "user__username").values("spans"))
    Project.objects.all().delete()
    load(people)
    again = list(Annotation.objects.order_by("item__position", "user__username").values("spans"))
    assert first == again


# -- collecting and judging ----------------------------------------------------------------


@pytest.fixture
def people_collection(db: None) -> list[User]:
    demo_load(now=NOW)
    return [User.objects.get(username=name) for name in (*ANNOTATORS, "organiser")]


def test_every_stage_has_work_done_by_others_and_work_left_for_each(
    people_collection: list[User],
) -> None:
    stages = collection_demo_load(manager=people_collection[2], people=people_collection, now=NOW)
    assert [stage.kind for stage in stages] == ["write", "edit", "rate"]
    assert (
        collection_demo_load(manager=people_collection[2], people=people_collection, now=NOW) == []
    )
    assert [stage.items.count() for stage in stages] == [SOUNDS, WRITTEN, EDITED]
    done = [Annotation.objects.counting().filter(item__project=stage) for stage in stages]
    assert [rows.count() for rows in done] == [WRITTEN, EDITED, RATED]
    by_sound = Annotation.objects.values_list("item__meta__file_name", "user")
    assert len(set(by_sound)) == len(by_sound), "nobody has met a sound twice"
    for stage in stages:
        assert "made up" in stage.guidelines
        assert all(audio_addresses(stage.items.all()).values())
        for user in people_collection:
            taken = tasks_take(
                project=stage, user=user, count=1, now=NOW, lease=settings.ANNOTATION_LEASE
            )
            assert taken, (stage, user)
    rated = [clip for clip in rated_captions(stages[2]) if not clip.missing]
    assert len(rated) == RATED
    assert all([row.kept for row in clip.captions].count(True) == 1 for clip in rated)


def test_pairs_are_judged_by_two_and_some_are_left(people_collection: list[User]) -> None:
    phase = Phase.objects.get(challenge__slug=CHALLENGE, slug=PHASE)
    made = judging_demo_load(
        phase=phase, manager=people_collection[2], judges=people_collection[:2], now=NOW
    )
    assert made is not None
    assert (
        judging_demo_load(
            phase=phase, manager=people_collection[2], judges=people_collection[:2], now=NOW
        )
        is None
    )
    assert made.items.count() == sum(PAIRS.values())
    assert Annotation.objects.filter(item__project=made).count() == 2 * JUDGED
    assert Assignment.objects.filter(project=made, done=False).exists()
    assert Project.objects.get(pk=made.pk).kind_options == {"with_sound": 1}
    results = judging_results(made, phase, named=True)
    assert len(results.systems) > 2
    assert {facet.facet for facet in results.facets} >= set(PAIRS)
