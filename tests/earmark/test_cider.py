"""CIDEr-D: the numbers of COCO's program, and parts that add up."""

import numpy as np
import pytest
from hypothesis import given
from pycocoevalcap.cider.cider import Cider as CocoCider

from earmark.pipeline import score_family
from earmark.scorer import Scorer, score
from tests.earmark.corpora import Sides, corpora, corpus


@given(corpora)
def test_agrees_with_pycocoevalcap(sides: Sides) -> None:
    candidates, references = sides
    if not any(text for texts in references for text in texts):
        references = [["a"], *references[1:]]  # COCO's program stops on references without words
    ours = score_family("cider_d", *corpus(candidates, references))["cider_d"]
    gts = dict(enumerate(references))
    res = {clip: [text] for clip, text in enumerate(candidates)}
    value, per_clip = CocoCider().compute_score(gts, res)
    assert ours.value == pytest.approx(value, abs=1e-9)
    assert ours.per_clip == pytest.approx(per_clip, abs=1e-6)


def test_perfect_captions_score_ten() -> None:
    texts = ["a dog barks twice loudly", "rain falls on the roof"]
    ours = score_family("cider_d", *corpus(texts, [[text] for text in texts]))["cider_d"]
    assert ours.per_clip == pytest.approx([10, 10])


def test_one_clip_scores_zero_because_every_idf_is_log_one_and_that_is_said() -> None:
    said, told, metrics = ["a dog"], [["a dog"]], ["rouge_l", "cider_d"]
    found = score(said, told, metrics)
    assert found["cider_d"] == 0
    assert np.isnan(found.intervals["cider_d"].low)
    assert list(found.notes) == ["cider_d"]
    assert "only one clip" in found.notes["cider_d"]
    counted_over_two = Scorer([*told, ["rain falls"]], metrics).score_one("a dog", clip=0)
    assert counted_over_two.notes == {}


def test_references_without_words_score_zero() -> None:
    ours = score_family("cider_d", *corpus(["a dog", ""], [[""], ["", ""]]))["cider_d"]
    assert ours.per_clip.tolist() == [0, 0]


def test_words_unknown_to_the_references_lower_the_score() -> None:
    references = [["a dog barks"], ["rain falls"]]
    with_it = score_family("cider_d", *corpus(["a dog barks", "rain"], references))["cider_d"]
    unknown = score_family("cider_d", *corpus(["a dog barks zzz", "rain"], references))["cider_d"]
    assert 0 < unknown.per_clip[0] < with_it.per_clip[0]


def test_parts_in_the_details_add_up_to_the_score() -> None:
    references = [["a dog barks", "the dog is barking"], ["rain falls"], ["a car"]]
    sides = corpus(["the dog barks", "rain", "a car"], references, details=True)
    ours = score_family("cider_d", *sides)["cider_d"]
    assert ours.details is not None
    parts = [sum(shared["part"] for shared in row["shared"]) for row in ours.details]
    assert parts == pytest.approx(ours.per_clip.tolist())
    # "dog barks" is in one reference of one of three clips: idf log 3
    found = {shared["ngram"]: shared for shared in ours.details[0]["shared"]}
    assert found["dog barks"]["idf"] == pytest.approx(np.log(3))
    assert found["dog"]["references"] == 2
