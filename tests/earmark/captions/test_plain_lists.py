"""Captions and references as lists, mappings and tables of pandas; and what is refused."""

import math
from typing import Any

import numpy as np
import pandas
import pytest

from earmark.captions.plain_lists import candidates_from, references_from
from earmark.errors import UnusableInput

NAMES = ["dog.wav", "rain.wav", "hall.wav"]
SAID = ["a dog barks", "rain falls", "people talk and a"]
REFERENCES = [
    ["A dog barks.", "A dog is barking."],
    ["Rain falls on a roof.", "It is raining."],
    ["People talk in a hall while music plays."],
]
NO_CAPTIONS: list[tuple[Any, str]] = [
    ("a dog barks", "captions is one text, 'a dog barks'. Give a list with one caption"),
    ([], "captions is empty. Give a list with one caption for each clip"),
    (None, "captions is None. Give a list"),
    ({}, "captions is empty. Give a list"),
    ({"a.wav": None}, r"captions\['a.wav'\] is None. Give a text"),
    ({"a dog", "rain"}, "captions is a set, whose order says nothing"),
    (["a dog", None], r"captions\[1\] is None"),
    (["a dog", []], r"captions\[1\] is empty. Give a text"),
    ([["a dog", None]], r"captions\[0\]\[1\] is None, which is no text"),
    (["a \ud83d dog"], r"captions\[0\] holds half of a character"),
]
NO_REFERENCES: list[tuple[Any, str]] = [
    ("a dog barks", "references is one text"),
    ([], "references is empty. Give a list that has for each clip a list"),
    (["a dog barks"], r"references\[0\] is one text, 'a dog barks'. Give a list of the reference"),
    ([["a dog"], []], r"references\[1\] is empty. Give a list of the reference captions"),
    ([["a dog"], None], r"references\[1\] is None"),
    ([["a dog", None]], r"references\[0\]\[1\] is None, which is no text"),
    ([{"caption_1": "a dog"}], r"references\[0\] is a dict, whose order says nothing"),
    ({"a.wav": "a dog"}, r"references\['a.wav'\] is one text, 'a dog'"),
    ([["a dog", "half \udc00"]], r"references\[0\]\[1\] holds half"),
]


@pytest.mark.parametrize(("given", "said"), NO_CAPTIONS)
def test_captions_that_are_refused(given: Any, said: str) -> None:
    with pytest.raises(UnusableInput, match=said):
        candidates_from(given)


@pytest.mark.parametrize(("given", "said"), NO_REFERENCES)
def test_references_that_are_refused(given: Any, said: str) -> None:
    with pytest.raises(UnusableInput, match=said):
        references_from(given)


@pytest.mark.parametrize("kind", [list, tuple, np.array, iter], ids=lambda kind: kind.__name__)
def test_every_ordered_kind_of_list_is_taken(kind: Any) -> None:
    assert candidates_from(kind(["a dog", "rain"])).first == ("a dog", "rain")


def test_names_that_do_not_match_are_told() -> None:
    clips = [f"{place}.wav" for place in range(5)]
    said = {"5.wav": "rain", **dict.fromkeys(clips[:1], "a dog")}
    told = r"lacks '1.wav', '2.wav', '3.wav' and 1 more, and the references lack '5.wav'\. Give"
    with pytest.raises(UnusableInput, match=told):
        candidates_from(said, names=clips)


def test_tables_have_a_row_for_each_clip_and_a_column_for_each_reference() -> None:
    empty: list[Any] = [math.nan, None, " "]
    texts = [
        [row[0] for row in REFERENCES],
        ["A dog is barking.", "It is raining.", empty[0]],
        empty,
    ]

    def table(names: list[Any], **more: list[Any]) -> pandas.DataFrame:
        columns = {f"caption_{i}": text for i, text in enumerate(texts, 1)}
        return pandas.DataFrame(columns | more, names)

    expected = references_from(REFERENCES, NAMES)
    assert references_from(table(NAMES)) == expected
    assert references_from(table([0, 1, 2], file_name=NAMES, duration=[1.0, 2.0, 3.0])) == expected
    assert references_from(table([0, 1, 2])) == references_from(REFERENCES)
    said = pandas.Series(SAID[::-1], NAMES[::-1])
    assert list(candidates_from(said, names=NAMES).first) == SAID
    with pytest.raises(UnusableInput, match=r"names a clip more than once: 'dog\.wav'"):
        references_from(table([0, 1, 2], file_name=[NAMES[0], *NAMES[:2]]))


def test_ranked_candidates_and_empty_captions_are_taken() -> None:
    found = candidates_from([["a dog", "a cat"], [""]])
    assert found.captions == (("a dog", "a cat"), ("",))
    assert found.several


def test_clips_are_named_by_their_places_unless_names_are_given() -> None:
    assert references_from([["a"], ["b", "c"]]).file_names == ("0", "1")
    assert references_from([["a"]], ["dog.wav"]).file_names == ("dog.wav",)
