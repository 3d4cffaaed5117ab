"""Words of clips, constraints on them and the measures of a split, by hand and by counting."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.datasets.splitting import split_measures
from scoring.datasets.splitting.constraints import ideals, tolerances
from scoring.datasets.splitting.words import ClipWords, caption_words
from tests.scoring.datasets.splitting.random_clips import clips

SHARES = (Fraction(3, 5), Fraction(1, 5), Fraction(1, 5))


def test_a_word_is_lower_case_without_punctuation() -> None:
    said = caption_words('  A Dog\'s "walkie-talkie" — crackles...\tOnce; twice!  ')
    assert said == ["a", "dogs", "walkietalkie", "crackles", "once", "twice"]


def test_a_clip_has_a_word_once() -> None:
    words = ClipWords.of([["A dog, a DOG", "dog."], ["a cat"]])
    assert words.words == ("a", "cat", "dog")
    assert words.frequencies.tolist() == [2, 1, 1]
    assert words.counts(np.array([1, 0]), 2).tolist() == [[1, 1, 0], [1, 0, 1]]


@given(clips, st.integers(1, 4), st.randoms(use_true_random=False))
def test_counts_are_those_of_sets(texts: list[list[str]], parts: int, random: object) -> None:
    rng = np.random.default_rng(len(texts))
    assignment = rng.integers(parts, size=len(texts))
    words = ClipWords.of(texts)
    expected = Counter(
        (int(part), word)
        for part, captions in zip(assignment, texts, strict=True)
        for word in {word for text in captions for word in text.split()}
    )
    counts = words.counts(assignment, parts)
    found = {
        (part, word): int(counts[part, place])
        for part in range(parts)
        for place, word in enumerate(words.words)
        if counts[part, place]
    }
    assert found == dict(expected)


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
