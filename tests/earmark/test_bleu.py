"""BLEU: the numbers of COCO's program, and an interval that recounts."""

import numpy as np
import pytest
from hypothesis import given
from pycocoevalcap.bleu.bleu import Bleu as CocoBleu

from earmark.pipeline import score_family
from tests.earmark.corpora import Sides, corpora, corpus

NAMES = ("bleu_1", "bleu_2", "bleu_3", "bleu_4")


@given(corpora)
def test_agrees_with_pycocoevalcap(sides: Sides) -> None:
    candidates, references = sides
    ours = score_family("bleu", *corpus(candidates, references))
    gts = dict(enumerate(references))
    res = {clip: [text] for clip, text in enumerate(candidates)}
    values, per_clip = CocoBleu(4).compute_score(gts, res, verbose=0)
    for n, name in enumerate(NAMES):
        assert ours[name].value == pytest.approx(values[n], rel=1e-12)
        assert ours[name].per_clip == pytest.approx(per_clip[n], rel=1e-6, abs=1e-12)


def test_takes_the_shorter_of_two_equally_close_references() -> None:
    # Three words against references of two and four: no brevity penalty, 3 of 3 words match.
    ours = score_family("bleu", *corpus(["a b c"], [["a b c d", "a b"]]))
    assert ours["bleu_1"].value == pytest.approx(1.0)


def test_short_caption_pays_the_brevity_penalty() -> None:
    # exp(1 - 4/2), Papineni et al., section 2.3
    ours = score_family("bleu", *corpus(["a b"], [["a b c d"]]))
    assert ours["bleu_1"].value == pytest.approx(np.exp(-1.0))


def test_clips_a_repeated_word_to_the_most_in_one_reference() -> None:
    # "the the the the the the the": 2 of 7, Papineni et al., example 2
    references = ["the cat is on the mat", "there is a cat on the mat"]
    ours = score_family("bleu", *corpus(["the the the the the the the"], [references]))
    assert ours["bleu_1"].value == pytest.approx(2 / 7)


def test_empty_caption_scores_zero() -> None:
    ours = score_family("bleu", *corpus(["", "a b"], [["a b"], ["a b"]]))
    assert [result.per_clip[0] for result in ours.values()] == [0, 0, 0, 0]


def test_interval_recounts_without_each_clip() -> None:
    candidates = ["a b c d e", "a b x", "c d e f a b"]
    references = [["a b c d e f"], ["a b c d"], ["c d e a b"]]
    ours = score_family("bleu", *corpus(candidates, references))["bleu_2"]
    without = [
        score_family(
            "bleu",
            *corpus(candidates[:i] + candidates[i + 1 :], references[:i] + references[i + 1 :]),
        )["bleu_2"].value
        for i in range(3)
    ]
    # Efron and Tibshirani 1993, equation 11.5
    error = np.sqrt(2 / 3 * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert ours.interval.high - ours.value == pytest.approx(1.959963984540054 * error)


def test_details_list_what_matched() -> None:
    sides = corpus(["a dog barks"], [["a dog is barking", "the dog barks"]], details=True)
    details = score_family("bleu", *sides)["bleu_4"].details
    assert details is not None
    assert details[0] == {
        "matched": [[["a", 1], ["dog", 1], ["barks", 1]], [["a dog", 1], ["dog barks", 1]], [], []],
        "correct": [3, 2, 0, 0],
        "total": [3, 2, 1, 0],
        "length": 3,
        "reference_length": 3,
    }
