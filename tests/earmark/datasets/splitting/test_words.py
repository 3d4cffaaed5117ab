"""Words of clips, and the measures and the report of a split, by hand and by counting."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.datasets.splitting import (
    ClipSplit,
    Violation,
    split_measures,
    split_report,
)
from earmark.datasets.splitting.constraints import ideals, tolerances
from earmark.datasets.splitting.parts import part_sizes
from earmark.datasets.splitting.words import ClipWords, caption_words
from tests.earmark.datasets.splitting.random_clips import clips, parts_of, shares

SHARES = (Fraction(3, 5), Fraction(1, 5), Fraction(1, 5))


def test_a_word_is_lower_case_without_punctuation() -> None:
    said = caption_words('  A Dog\'s "walkie-talkie" — crackles...\tOnce; twice!  ')
    assert said == ["a", "dogs", "walkietalkie", "crackles", "once", "twice"]


# Of the paper: 1 for f from 3 to 6, 2 from 7 to 16, 4 from 17 to 20, floor(.2 f) above.
@pytest.mark.parametrize(
    ("f", "ideal", "tolerance"),
    [
        *((2, 1, 0), (3, 1, 1), (5, 3, 1), (6, 3, 1), (7, 4, 2), (16, 9, 2), (17, 10, 4)),
        *((20, 12, 4), (21, 12, 4), (24, 14, 4), (25, 15, 5), (1000, 600, 200)),
    ],
)
def test_the_constraints_are_those_of_the_paper(f: int, ideal: int, tolerance: int) -> None:
    assert ideals(np.array([f]), Fraction(3, 5)).tolist() == [ideal]
    assert tolerances(np.array([f])).tolist() == [tolerance]


def test_ideals_are_exact_where_floats_are_not() -> None:
    # .29 * 100 is 28.999... in floats.
    assert ideals(np.array([100]), Fraction("0.29")).tolist() == [29]


def test_measures_of_a_split_by_hand() -> None:
    # Words by clips in development, validation, evaluation.
    counts = np.array(
        [
            [1, 0, 0],  # one clip: no constraint
            [2, 0, 0],  # in one part, and outside (1 wanted)
            [1, 1, 0],  # as wanted
            [0, 2, 1],  # not in development, within 1 +- 1
            [0, 0, 3],  # in one part and not in development
            [10, 0, 0],  # 6 +- 2: outside, in one part
            [8, 1, 1],  # 6 +- 2: within
            [9, 1, 0],  # outside
        ]
    ).T
    measures = split_measures(counts, SHARES, 0)
    assert measures.words_in_one_part == 3
    assert measures.words_not_in_development == 2
    assert measures.words_outside_tolerance == 3
    away = [0.4, 0.3, 0.6, 0.8, 0.4, 0.2, 0.3]
    assert measures.share_distance == pytest.approx(sum(away) / 7)


def test_measures_without_any_word_of_two_clips() -> None:
    measures = split_measures(np.array([[1, 0], [0, 1]]), (Fraction(1, 2),) * 2, 0)
    assert measures.distance == measures.distance_as_printed == measures.share_distance == 0


# By equation 2 with its shares: f, clips in development, evaluation and testing, the three
# terms' weights times what is away, and the tolerance that each of these terms loses.
@pytest.mark.parametrize(
    ("counts", "read", "printed"),
    [
        ((1, 1, 0), 1 / 0.5, 1 / 0.5 - 0),  # f^Dev 1, f^Ev 1, delta 0: testing lacks it
        ((1, 1, 1), 0, 0),  # 1 and 2, delta 1: all within
        ((3, 0, 0), (2 - 1) / 1 + 2 * (2 - 1) / 1, (2 / 1 - 1) + 2 * (2 / 1 - 1)),
        ((6, 2, 2), 0, 0),  # 6 and 4, delta 2
        ((10, 0, 0), (4 - 2) / 6 + 2 * (4 - 2) / 2, (4 / 6 - 2) + 2 * (4 / 2 - 2)),
        ((60, 21, 19), (21 - 20) / 20, 21 / 20 - 20),  # 60 and 40, delta 20: testing is 1 off
    ],
)
def test_the_distance_is_equation_2(
    counts: tuple[int, int, int], read: float, printed: float
) -> None:
    once = (1, 0, 0)  # a word of one clip has no constraint
    measures = split_measures(np.array([counts, once]).T, SHARES, 0)
    assert measures.distance == pytest.approx(read)
    assert measures.distance_as_printed == pytest.approx(printed)


def test_words_outside_the_range_are_counted_for_each_part() -> None:
    counts = np.array([[1, 1, 0], [3, 0, 0], [60, 21, 19]]).T
    assert split_measures(counts, SHARES, 0).outside_by_part == (1, 1, 3)


def split_of(texts: list[list[str]], assignment: list[int], weights: tuple[int, ...]) -> ClipSplit:
    parts, words = parts_of(weights), ClipWords.of(texts)
    return ClipSplit(parts, part_sizes(parts, len(texts)), np.array(assignment), words)


def test_counts_and_violations_by_hand() -> None:
    texts = [["the rain"], ["the rain wind"], ["the wind"], ["the dog"], ["the dog"], ["The cat."]]
    report = split_report(split_of(texts, [0, 0, 1, 1, 1, 2], (3, 2, 1)))
    assert report.words == ("the", "dog", "rain", "wind")
    assert report.counts.T.tolist() == [[2, 3, 1], [0, 2, 0], [2, 0, 0], [1, 1, 0]]
    dog, rain = report.violations
    assert (dog.word, dog.frequency, dog.counts) == ("dog", 2, (0, 2, 0))
    assert dog.violations == tuple(Violation)
    assert (rain.word, rain.counts, rain.ideal, rain.tolerance) == ("rain", (2, 0, 0), 1, 0)
    assert rain.violations == (Violation.ONE_PART, Violation.OUTSIDE)


@given(clips, shares, st.data())
def test_what_it_lists_is_what_the_measures_count(
    texts: list[list[str]], weights: tuple[int, ...], data: Any
) -> None:
    part = st.integers(0, len(weights) - 1)
    assignment = data.draw(st.lists(part, min_size=len(texts), max_size=len(texts)))
    split = split_of(texts, assignment, weights)
    report, measures = split_report(split), split.measures
    listed = {kind: sum(kind in one.violations for one in report.violations) for kind in Violation}
    assert listed[Violation.ONE_PART] == measures.words_in_one_part
    assert listed[Violation.NOT_IN_DEVELOPMENT] == measures.words_not_in_development
    assert listed[Violation.OUTSIDE] == measures.words_outside_tolerance
    kinds = [list(Violation).index(one.violations[0]) for one in report.violations]
    assert kinds == sorted(kinds), "the worst come first"
    for one in report.violations:
        found = [set(" ".join(captions).split()) for captions in texts]
        counts = [
            sum(
                one.word in words for words, at in zip(found, assignment, strict=True) if at == part
            )
            for part in range(len(weights))
        ]
        assert one.counts == tuple(counts)
    totals = report.counts.sum(axis=0).tolist()
    assert totals == sorted(totals, reverse=True)
