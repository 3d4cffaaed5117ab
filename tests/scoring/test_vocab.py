"""Vocabulary: counted over the corpus, not averaged."""

import pytest

from scoring.pipeline import score_family
from scoring.statistics import Z95
from tests.scoring.corpora import corpus


def test_counts_a_word_once_however_many_captions_have_it() -> None:
    ours = score_family("vocab", *corpus(["a dog a dog", "a cat", ""], [["x"]] * 3))["vocab"]
    assert ours.value == 3
    assert ours.per_clip.tolist() == [2, 2, 0]


def test_details_name_the_words_that_no_other_caption_has() -> None:
    sides = corpus(["a dog barks dog", "a cat"], [["x"]] * 2, details=True)
    ours = score_family("vocab", *sides)["vocab"]
    assert ours.details == [{"only_here": ["dog", "barks"]}, {"only_here": ["cat"]}]


def test_interval_recounts_without_each_clip() -> None:
    ours = score_family("vocab", *corpus(["a dog barks", "a cat", "a"], [["x"]] * 3))["vocab"]
    # 4 words; without each clip 2, 3 and 4: standard error sqrt(2/3 x (1 + 0 + 1))
    assert ours.interval.high - ours.value == pytest.approx(Z95 * (4 / 3) ** 0.5)


def test_depends_on_no_reference() -> None:
    one = score_family("vocab", *corpus(["a dog"], [["a dog"]]))["vocab"]
    other = score_family("vocab", *corpus(["a dog"], [["rain falls"]]))["vocab"]
    assert (one.value, one.signature) == (other.value, "vocab|tok:ptb-3.4.1|refs:1|r:1")
