"""Plain lists that cannot be scored are refused in words, and the others become corpora."""

from typing import Any

import numpy as np
import pytest

from scoring.captions.plain_lists import UnusableInput, candidates_from, references_from

CAPTIONS: list[tuple[Any, str]] = [
    ("a dog barks", "captions is one text, 'a dog barks'. Give a list with one caption"),
    (b"a dog barks", "captions is one text"),
    ([], "captions is empty. Give a list with one caption for each clip"),
    (None, "captions is None. Give a list"),
    (3, "captions is 3. Give a list"),
    ({"a.wav": "a dog"}, "captions is a dict, whose order says nothing"),
    ({"a dog", "rain"}, "captions is a set, whose order says nothing"),
    (["a dog", None], r"captions\[1\] is None"),
    (["a dog", 0.5], r"captions\[1\] is 0.5"),
    (["a dog", []], r"captions\[1\] is empty. Give a text"),
    ([["a dog", None]], r"captions\[0\]\[1\] is None, which is no text"),
    (["a \ud83d dog"], r"captions\[0\], text 1, holds half of a character"),
]
REFERENCES: list[tuple[Any, str]] = [
    ("a dog barks", "references is one text"),
    ([], "references is empty. Give a list that has for each clip a list"),
    (["a dog barks"], r"references\[0\] is one text, 'a dog barks'. Give a list of the reference"),
    ([["a dog"], []], r"references\[1\] is empty. Give a list of the reference captions"),
    ([["a dog"], None], r"references\[1\] is None"),
    ([["a dog", None]], r"references\[0\]\[1\] is None, which is no text"),
    ([["a dog"], [7]], r"references\[1\]\[0\] is 7"),
    ({"a.wav": ["a dog"]}, "references is a dict"),
    ([["a dog", "half \udc00"]], r"references\[0\], text 2, holds half"),
]


@pytest.mark.parametrize(("given", "said"), CAPTIONS)
def test_captions_that_are_refused(given: Any, said: str) -> None:
    with pytest.raises(UnusableInput, match=said):
        candidates_from(given)


@pytest.mark.parametrize(("given", "said"), REFERENCES)
def test_references_that_are_refused(given: Any, said: str) -> None:
    with pytest.raises(UnusableInput, match=said):
        references_from(given)


@pytest.mark.parametrize("kind", [list, tuple, np.array, iter], ids=lambda kind: kind.__name__)
def test_every_ordered_kind_of_list_is_taken(kind: Any) -> None:
    assert candidates_from(kind(["a dog", "rain"])).first == ("a dog", "rain")


def test_ranked_candidates_and_empty_captions_are_taken() -> None:
    found = candidates_from([["a dog", "a cat"], [""]])
    assert found.captions == (("a dog", "a cat"), ("",))
    assert found.several


def test_clips_are_named_by_their_places_unless_names_are_given() -> None:
    assert references_from([["a"], ["b", "c"]]).file_names == ("0", "1")
    assert references_from([["a"]], ["dog.wav"]).file_names == ("dog.wav",)
