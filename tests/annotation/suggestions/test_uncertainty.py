"""Most uncertain first: the captions of which the labeller is least sure are handed out first."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation import tasks
from annotation.models import Item, Order, Project
from annotation.services.projects import Task, items_add
from annotation.services.suggestions import doubts, items_rank
from annotation.services.tasks import tasks_take
from annotation.spans import checked_spans, read_taken, spans_suggested, tokenized
from earmark.models.descriptors import (
    OUTSIDE,
    DescriptorLabeller,
    LabelledCaption,
    find_labeller,
    words_of,
)
from tests.annotation.conftest import LEASE, NOW, Crew
from tests.annotation.generated_captions import LABELS, texts

# By the captions of the crew: the third is the least certain.
SURE = {"dog": 0.9, "people": 0.2, "rain": 0.7, "door": 0.8, "cat": 0.1}


@pytest.fixture
def uncertain(crew: Crew, monkeypatch: pytest.MonkeyPatch) -> Crew:
    def fake(_labeller: DescriptorLabeller, texts: Sequence[str]) -> list[float]:
        return [1 - next(SURE[word] for word in SURE if word in text) for text in texts]

    monkeypatch.setattr("annotation.services.suggestions.doubts", fake)
    crew.project.order = Order.UNCERTAIN
    crew.project.save()
    return crew


def test_the_least_certain_come_first_those_added_later_too(uncertain: Crew) -> None:
    Project.objects.update(order=Order.GIVEN)
    uncertain.project.refresh_from_db()
    assert items_rank(project=uncertain.project, now=NOW) == 0, "other orders are left alone"
    Project.objects.update(order=Order.UNCERTAIN)
    uncertain.project.refresh_from_db()
    assert items_rank(project=uncertain.project, now=NOW) == 4
    uncertain.project.refresh_from_db()
    assert uncertain.project.ranked_by == find_labeller().identity
    assert uncertain.project.ranked_at == NOW
    page = uncertain.client(uncertain.manager).get(f"/annotate/{uncertain.project.slug}/manage/")
    assert f"Most uncertain first by <code>{find_labeller().identity}</code>" in page.text
    items_add(project=uncertain.project, tasks=[Task("a cat")])
    assert Item.objects.latest("pk").rank == 4
    assert items_rank(project=uncertain.project, now=NOW) == 5
    held = tasks_take(project=uncertain.project, user=uncertain.ann, count=5, now=NOW, lease=LEASE)
    last = [assignment.item.text.split()[-1] for assignment in held]
    assert last == ["cat", "passes", "roof", "shut", "distance"]


def test_the_sweep_orders_anew_what_another_labeller_ordered(
    uncertain: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what came after the order was made, should its message have been lost."""
    asked: list[int] = []
    monkeypatch.setattr(tasks.items_rank, "delay", asked.append)
    tasks.labeller_sweep()
    assert asked == [uncertain.project.pk]
    tasks.items_rank(uncertain.project.pk)
    tasks.labeller_sweep()
    assert len(asked) == 1, "what is in order is not sent again"
    items_add(project=uncertain.project, tasks=[Task("a cat")])
    tasks.labeller_sweep()
    assert len(asked) == 2
    tasks.items_rank(uncertain.project.pk)
    Project.objects.update(ranked_by="other@00000000")
    tasks.labeller_sweep()
    assert len(asked) == 3
    Project.objects.update(closed=True)
    tasks.labeller_sweep()
    assert len(asked) == 3, "nothing of a closed project is handed out"


def test_the_labeller_is_surer_of_what_it_knows() -> None:
    texts = ["a dog barks", "quux the frobnicated blorp thereof", "..."]
    known, odd, nothing = doubts(find_labeller(), texts)
    assert 0 < known < odd
    assert nothing == 0


NAMES = frozenset(LABELS)


def said(text: str, *labels: str, sure: float = 0.9) -> LabelledCaption:
    """What a labeller would say that gives these labels to the words of a text."""
    words = tuple(words_of(text))
    return LabelledCaption(words, labels, (sure,) * len(words))


def drawn(spans: list[dict[str, Any]], text: str) -> list[tuple[str, str]]:
    return [(text[span["start"] : span["end"]], span["label"]) for span in spans]


def suggested(text: str, *labels: str, names: frozenset[str] = NAMES) -> list[tuple[str, str]]:
    return drawn(spans_suggested(said(text, *labels), tokenized(text), names), text)


def test_words_of_the_labeller_become_the_tokens_of_the_caption() -> None:
    text = "A dog's far-off bark, a bark."
    labels = ("O", "WHO", "HOW", "HOW", "O", "HOW")
    # An apostrophe or a hyphen cuts tokens and no words; a comma ends a span.
    assert suggested(text, *labels) == [("dog's", "WHO"), ("far-off bark", "HOW"), ("bark", "HOW")]


def test_a_token_of_two_words_takes_the_label_of_the_surer_one() -> None:
    text = "New York hums"
    tokens = [
        {"text": "New York", "start": 0, "end": 8, "id": 0, "ws": True},
        {"text": "hums", "start": 9, "end": 13, "id": 1, "ws": False},
    ]
    words = tuple(words_of(text))
    both = LabelledCaption(words, ("WHAT", "WHO", "HOW"), (0.6, 0.8, 0.7))
    found = spans_suggested(both, tokens, NAMES)
    assert drawn(found, text) == [("New York", "WHO"), ("hums", "HOW")]
    assert [span["confidence"] for span in found] == [0.8, 0.7]


@given(st.data(), texts)
def test_suggestions_of_any_text_are_spans_that_could_be_saved(
    data: st.DataObject, text: str
) -> None:
    """Within the caption, no word in two, only labels of the project, each word's own label."""
    words = tuple(words_of(text))
    size = len(words)
    labels = data.draw(st.lists(st.sampled_from([OUTSIDE, *LABELS]), min_size=size, max_size=size))
    sure = data.draw(st.lists(st.floats(0.1, 1), min_size=size, max_size=size))
    names = data.draw(st.sets(st.sampled_from(LABELS)).map(frozenset))
    tokens = tokenized(text)
    found = spans_suggested(LabelledCaption(words, tuple(labels), tuple(sure)), tokens, names)
    assert [{**span, "confidence": None} for span in found] == [
        {**span, "confidence": None} for span in checked_spans(found, tokens, names)
    ]
    for span in found:
        inside = [
            label
            for word, label in zip(words, labels, strict=True)
            if word.start < span["end"] and span["start"] < word.end
        ]
        assert span["label"] in inside
        assert 0 < span["confidence"] <= 1


def row(first: int, last: int, label: str, labeller: str = "m@1") -> dict[str, Any]:
    return {"token_start": first, "token_end": last, "label": label, "labeller": labeller}


def test_other_things_under_the_name_in_a_file_are_not_taken_for_it() -> None:
    assert read_taken([row(0, 1, "WHO")]) == [row(0, 1, "WHO")]
    good: dict[str, Any] = row(0, 1, "WHO")
    others: list[Any] = [
        None,
        [],
        {},
        "x",
        [1],
        [{}],
        [{**good, "more": 1}],
        [{**good, "label": 3}],
        [{**good, "token_start": True}],
        [good, None],
    ]
    for other in others:
        assert read_taken(other) is None
