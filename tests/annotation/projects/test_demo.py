"""The demo project: made once, always the same, and with something to settle."""

from datetime import timedelta

import pytest

from annotation.demo import DONE, SLUG, labelling_demo_load
from annotation.models import Annotation, Assignment, Gold, Item, Project
from annotation.selectors.progress import project_progress
from annotation.spans import labels_of_words
from leaderboard.demo import ANNOTATORS
from leaderboard.demo.load import CHALLENGE, PHASE, demo_load
from leaderboard.models import Phase, User
from tests.annotation.conftest import NOW

pytestmark = pytest.mark.one_database


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
