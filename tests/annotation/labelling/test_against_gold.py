"""How far one's labels are those that were settled: it must not tell what was settled."""

from datetime import timedelta

import pytest

from annotation.models import Answer, Gold, GoldEnd, Item, PastGold, Project
from annotation.selectors.against_gold import FEWEST_SETTLED, gold_figure, gold_points
from annotation.selectors.progress import OwnProgress, own_progress
from tests.annotation.conftest import NOW, Crew, make_project
from tests.annotation.labelled import label

MINUTE = timedelta(minutes=1)


def settled(item: Item) -> None:
    """Settle "a dog barks", number 0 to 19, as WHO on its second word."""
    Gold.objects.create(
        item=item, labels=["O", "WHO", "O", "O"], provenance=[], settled_at=NOW + MINUTE
    )


@pytest.fixture
def project(crew: Crew) -> Project:
    """Captions of four words; of each, one person calls one word what was settled."""
    project = make_project(
        crew.manager, texts=tuple(f"a dog barks {n}" for n in range(FEWEST_SETTLED))
    )
    for item in project.items.all():
        label(item, crew.ann, (1, 1, "WHAT"))
        settled(item)
    return project


def own(crew: Crew, project: Project) -> OwnProgress:
    return own_progress(project, crew.ann, NOW + 9 * MINUTE)


def test_it_is_told_in_whole_per_cent_and_changes_after_settling_tell_nothing(
    crew: Crew, project: Project
) -> None:
    """Each word changed in turn used to tell, by the share, what it was settled as."""
    item = project.items.all()[0]
    # One word of eighty less: 74 and not 73.75.
    Gold.objects.filter(item=item).update(labels=["WHO", "WHO", "O", "O"])
    for spans in (None, [(1, 1, "WHO")], [(0, 3, "HOW")], []):
        if spans is not None:
            label(item, crew.ann, *spans, now=NOW + 2 * MINUTE)
        assert (own(crew, project).against_gold, own(crew, project).gold_words) == (0.74, 80)
    label(item, crew.ann, answer=Answer.REJECT, now=NOW + 3 * MINUTE)
    assert own(crew, project).gold_words == 80


def test_what_stood_when_it_was_settled_is_compared(crew: Crew, project: Project) -> None:
    for item in project.items.all():
        label(item, crew.ann, (1, 1, "WHO"), now=NOW + MINUTE / 2)
        label(item, crew.ann, (1, 1, "HOW"), now=NOW + 2 * MINUTE)
    assert own(crew, project).against_gold == 1


def test_of_a_caption_answered_later_the_first_answer_is_compared(
    crew: Crew, project: Project
) -> None:
    for user, first, after in ((crew.bob, "WHO", "WHAT"), (crew.judge, "WHAT", "WHO")):
        for item in project.items.all():
            label(item, user, (1, 1, first), now=NOW + 2 * MINUTE)
            label(item, user, (1, 1, after), now=NOW + 3 * MINUTE)
        share = own_progress(project, user, NOW).against_gold
        assert share == (1 if first == "WHO" else 0.75)


def test_of_few_captions_nothing_is_told(crew: Crew, project: Project) -> None:
    """One that was rejected when it was settled is none of them."""
    item = project.items.all()[0]
    label(item, crew.ann, answer=Answer.REJECT, now=NOW + MINUTE / 2)
    label(item, crew.ann, (1, 1, "WHO"), now=NOW + 2 * MINUTE)
    told = own(crew, project)
    assert (told.against_gold, told.gold_words) == (None, 0)


def test_a_correction_of_what_is_settled_counts_no_change_of_an_answer(
    crew: Crew, project: Project
) -> None:
    """Changed to what was settled, and settled again: it stays as it was when first settled."""
    item = project.items.all()[0]
    label(item, crew.ann, (1, 1, "WHO"), now=NOW + 2 * MINUTE)
    gold = Gold.objects.get(item=item)
    PastGold.objects.create(
        item=item,
        labels=gold.labels,
        provenance=[],
        settled_at=gold.settled_at,
        end=GoldEnd.REPLACED,
        ended_at=NOW + 3 * MINUTE,
    )
    Gold.objects.filter(item=item).update(settled_at=NOW + 3 * MINUTE)
    assert own(crew, project).against_gold == 0.75


def test_points_are_whole_runs_of_captions_and_two_make_a_line(crew: Crew) -> None:
    project = make_project(
        crew.manager, texts=tuple(f"a dog barks {n}" for n in range(2 * FEWEST_SETTLED + 5))
    )
    for number, item in enumerate(project.items.all()):
        spans = [(1, 1, "WHO")] if number >= FEWEST_SETTLED else []
        label(item, crew.ann, *spans, now=NOW + number * MINUTE / 60)
        label(item, crew.bob, now=NOW) if number < FEWEST_SETTLED else None
        settled(item)
    points = gold_points(project, NOW)
    assert [(point.last, point.share) for point in points[crew.ann.pk]] == [(20, 0.75), (40, 1)]
    assert gold_figure({"bob": points[crew.bob.pk]}) is None
    figure = gold_figure({"<b>ann": points[crew.ann.pk], "bob": points[crew.bob.pk]})
    assert figure is not None
    assert [trace["name"] for trace in figure.data] == ["&lt;b&gt;ann"]
    assert [row[3] for row in figure.numbers.rows] == ["75%", "100%"]
