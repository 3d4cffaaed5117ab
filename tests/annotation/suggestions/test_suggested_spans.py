"""What a labeller says, as spans over a caption's own words: any text, any tokens."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from annotation.spans import checked_spans, read_taken, spans_suggested, still_taken, tokenized
from scoring.models.descriptors import OUTSIDE, LabelledCaption, words_of
from tests.annotation.generated_captions import LABELS, texts

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


def test_labels_that_the_project_lacks_are_left_out() -> None:
    assert suggested("a dog barks", "O", "WHO", "HOW", names=frozenset({"HOW"})) == [
        ("barks", "HOW")
    ]
    assert suggested("a dog barks", "O", "WHO", "HOW", names=frozenset({"O"})) == []


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


def test_what_was_taken_counts_as_long_as_it_stands_as_it_was() -> None:
    taken = [row(0, 1, "WHO"), row(2, 2, "HOW"), row(3, 3, "WHAT"), row(2, 2, "HOW")]
    spans = [row(0, 0, "WHO"), row(2, 2, "HOW"), row(3, 3, "WHEN")]
    assert still_taken(taken, spans) == [row(2, 2, "HOW")]
    assert still_taken([], spans) == []


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
