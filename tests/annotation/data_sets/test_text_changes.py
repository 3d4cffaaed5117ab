"""Changes of texts: what moves where, and what goes together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text_changes import Place, TextChange, merged

TEXTS = st.text("ab \U0001f327\u0301", max_size=12)


@given(TEXTS, TEXTS)
def test_the_change_between_two_texts_makes_one_of_the_other(before: str, after: str) -> None:
    change = TextChange.between(before, after)
    assert change.applied(before) == after
    assert len(change.replacement) - (change.end - change.start) == len(after) - len(before)
    assert (change.end > change.start or change.replacement != "") == (before != after)


@given(TEXTS, TEXTS, st.data())
def test_a_place_that_moves_holds_the_same_text(
    before: str, after: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(before)))
    place = Place(start, data.draw(st.integers(start, len(before))))
    moved = TextChange.between(before, after).moved(place)
    if moved is not None:
        assert after[moved.start : moved.end] == before[place.start : place.end]


@given(TEXTS, TEXTS, TEXTS, TEXTS, TEXTS)
def test_changes_of_different_words_go_together(
    head: str, one: str, other: str, new: str, newer: str
) -> None:
    """Words of their own with marks between, so that changes cannot reach into each other."""
    base = f"{head}<{one}>==<{other}>"
    mine, theirs = f"{head}<{new}>==<{other}>", f"{head}<{one}>==<{newer}>"
    assert merged(base, mine, theirs) == f"{head}<{new}>==<{newer}>"
    assert merged(base, theirs, mine) == f"{head}<{new}>==<{newer}>"


@given(TEXTS, TEXTS, TEXTS)
def test_whatever_goes_together_does_so_in_any_order(base: str, mine: str, theirs: str) -> None:
    assert merged(base, mine, base) == mine
    both, swapped = merged(base, mine, theirs), merged(base, theirs, mine)
    if base not in {theirs, mine}:
        assert both == swapped


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ("a cat barks", "a wolf barks"),
        ("a dog", "a dog barked"),
        ("an old dog barks", "an odd dog barks"),
    ],
)
def test_changes_of_the_same_words_do_not(mine: str, theirs: str) -> None:
    assert merged("a dog barks", mine, theirs) is None
