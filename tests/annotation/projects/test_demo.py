"""The demo project: made once, always the same, and with something to settle."""

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
from annotation.models import Annotation, Assignment, Gold, Project
from annotation.selectors.judging.results import judging_results
from annotation.selectors.progress import project_progress
from annotation.selectors.stages.ratings import rated_captions
from annotation.selectors.tasks import audio_addresses
from annotation.services.tasks import tasks_take
from annotation.spans import labels_of_words
from leaderboard.demo import ANNOTATORS
from leaderboard.demo.load import CHALLENGE, PHASE, demo_load
from leaderboard.models import Phase, User
from tests.annotation.conftest import LEASE, NOW


def test_projects_of_the_demo_are_made_once_with_work_done_and_work_left(db: None) -> None:
    demo_load(now=NOW)
    people = [User.objects.get(username=name) for name in (*ANNOTATORS, "organiser")]
    words_are_labelled(people)
    captions_are_collected(people)
    pairs_are_judged(people)


def words_are_labelled(people: list[User]) -> None:
    phase = Phase.objects.get(challenge__slug=CHALLENGE, slug=PHASE)
    one, other, manager = people
    project = labelling_demo_load(phase=phase, manager=manager, annotators=(one, other), now=NOW)
    assert project is not None
    assert (project.slug, project.items.count()) == (SLUG, 72)
    assert "is a demo" in project.guidelines
    answers = Annotation.objects.filter(item__project=project)
    assert tuple(answers.filter(user=user).count() for user in (one, other)) == DONE
    whole = project_progress(project)
    assert 0 < whole.assignments_done < whole.assignments
    assert not Assignment.objects.filter(done=False, user__isnull=False).exists()
    assert not answers.filter(updated_at__gt=NOW).exists()
    # The two agree mostly, and have something to settle.
    pairs = []
    for item in project.items.filter(copies=2):
        rows = item.annotations.filter(answer="accept")
        labels = [labels_of_words(row.spans, len(item.tokens)) for row in rows]
        if len(labels) == 2:
            pairs.append([a == b for a, b in zip(*labels, strict=True)])
    same = [alike for pair in pairs for alike in pair]
    assert 0.85 < sum(same) / len(same) < 0.97
    assert sum(not all(pair) for pair in pairs) >= 10
    assert sum(all(pair) for pair in pairs) >= 8
    assert Gold.objects.exists()


def captions_are_collected(people: list[User]) -> None:
    stages = collection_demo_load(manager=people[2], people=people, now=NOW)
    assert [stage.kind for stage in stages] == ["write", "edit", "rate"]
    assert [stage.items.count() for stage in stages] == [SOUNDS, WRITTEN, EDITED]
    done = [Annotation.objects.counting().filter(item__project=stage) for stage in stages]
    assert [rows.count() for rows in done] == [WRITTEN, EDITED, RATED]
    answers = Annotation.objects.filter(item__project__in=stages)
    by_sound = answers.values_list("item__meta__file_name", "user")
    assert len(set(by_sound)) == len(by_sound), "nobody has met a sound twice"
    for stage in stages:
        assert "is a demo" in stage.guidelines
        assert all(audio_addresses(stage.items.all()).values())
        for user in people:
            assert tasks_take(project=stage, user=user, count=1, now=NOW, lease=LEASE), user
    rated = [clip for clip in rated_captions(stages[2]) if not clip.missing]
    assert len(rated) == RATED
    assert all([row.kept for row in clip.captions].count(True) == 1 for clip in rated)


def pairs_are_judged(people: list[User]) -> None:
    phase = Phase.objects.get(challenge__slug=CHALLENGE, slug=PHASE)
    made = judging_demo_load(phase=phase, manager=people[2], judges=people[:2], now=NOW)
    assert made is not None
    assert made.items.count() == sum(PAIRS.values())
    assert Annotation.objects.filter(item__project=made).count() == 2 * JUDGED
    assert Assignment.objects.filter(project=made, done=False).exists()
    assert Project.objects.get(pk=made.pk).kind_options == {"with_sound": 1}
    results = judging_results(made, phase, named=True)
    assert len(results.systems) > 2
    assert {facet["facet"] for facet in results.facets} >= set(PAIRS)
