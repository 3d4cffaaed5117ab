"""ROUGE-L: the numbers of COCO's program, and the words that explain them; and vocabulary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocoevalcap.rouge.rouge import Rouge as CocoRouge
from pycocoevalcap.rouge.rouge import my_lcs

from earmark.metrics.rouge_l.metric import common_lengths, common_words
from earmark.pipeline import score_family
from earmark.statistics import Z95
from tests.earmark.corpora import Sides, captions, corpora, corpus

words = st.lists(st.sampled_from("abcd"), max_size=12)


@given(corpora)
def test_agrees_with_pycocoevalcap(sides: Sides) -> None:
    candidates, references = sides
    ours = score_family("rouge_l", *corpus(candidates, references))["rouge_l"]
    gts = dict(enumerate(references))
    res = {clip: [text] for clip, text in enumerate(candidates)}
    value, per_clip = CocoRouge().compute_score(gts, res)
    assert ours.value == pytest.approx(value, rel=1e-12)
    assert ours.per_clip == pytest.approx(per_clip, rel=1e-6)


@given(captions, st.lists(captions, max_size=3))
def test_caption_equal_to_a_reference_scores_one(caption: str, others: list[str]) -> None:
    ours = score_family("rouge_l", *corpus([caption], [[*others, caption]]))["rouge_l"]
    assert ours.value == 1.0


@given(words, words)
def test_common_length_and_common_words_agree(one: list[str], other: list[str]) -> None:
    common = common_words(one, other)
    assert len(common) == my_lcs(one, other)
    if one and other:
        assert common_lengths(one, [other]) == [len(common)]
    for sequence in (one, other):
        rest = iter(sequence)
        assert all(word in rest for word in common)  # a subsequence, in order


def test_long_captions_have_no_limit_of_machine_words() -> None:
    one = [str(n) for n in range(300)]
    assert common_lengths(one, [one[::2], one[::-1]]) == [150, 1]


def test_precision_and_recall_may_come_from_different_references() -> None:
    # LCS 2 of 3 words with the first (recall 2/6), 1 with the second (recall 1/1):
    # P 2/3, R 1, F = 2.44 x 2/3 / (1 + 1.44 x 2/3)
    sides = corpus(["a b c"], [["a b x y z w", "c"]], details=True)
    ours = score_family("rouge_l", *sides)["rouge_l"]
    assert ours.value == pytest.approx(2.44 * 2 / 3 / (1 + 1.44 * 2 / 3))
    assert ours.details == [
        {
            "words": ["a", "b"],
            "reference": 0,
            "precision": pytest.approx(2 / 3),
            "recall": 1.0,
            "recall_reference": 1,
        }
    ]


def test_beta_is_a_parameter_and_in_the_signature() -> None:
    ours = score_family("rouge_l", *corpus(["a b"], [["a b c d"]]), beta=1)["rouge_l"]
    assert ours.value == pytest.approx(2 / 3)  # harmonic mean of 1 and 1/2
    assert ours.signature == "rouge_l|tok:ptb-3.4.1|beta:1|refs:1|r:1"


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
