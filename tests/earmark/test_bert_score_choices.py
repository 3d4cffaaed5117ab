"""BERTScore's choices (layer, idf, rescaling) against the authors' package, and what is refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earmark.captions import Candidates, References
from earmark.captions.plain_lists import references_from
from earmark.errors import UnusableParameter
from earmark.kept_references import KeptReferences
from earmark.metrics.bert_score.baseline import BaselineMissing, BaselineUnusable
from earmark.metrics.bert_score.metric import BertScore, rarity_of
from earmark.pipeline import score_by
from earmark.results import MetricScore
from earmark.scorer import score
from earmark.workspace import Workspace
from tests.earmark.oracles.bert_score import BASELINE, CAPTIONS, ORACLE, REFERENCES

TOLD = references_from(REFERENCES)
SAID = Candidates.single(CAPTIONS)
# What the package, with 32-bit floats, and we, with vectors of 16 bits, are apart at most.
TOLERANCE = 2e-5


@pytest.fixture
def baseline(tmp_path: Path) -> str:
    path = tmp_path / "made-up.tsv"
    path.write_text(BASELINE)
    return str(path)


def run(family: BertScore, references: References = TOLD, **settings: Any) -> MetricScore:
    workspace = Workspace(device="cpu", **settings)
    said = Candidates(SAID.captions[: len(references)])
    return score_by(family, said, references, workspace)["bert_score"]


@pytest.mark.parametrize("row", json.loads(ORACLE.read_text()), ids=str)
def test_values_are_those_of_the_package(row: dict[str, Any], baseline: str) -> None:
    """Expected: bert_score 0.3.13 (oracles/bert_score.py)."""
    rescale = baseline if row["rescale"] else ""
    ours = run(BertScore(layer=row["layer"], idf=row["idf"], rescale=rescale))
    np.testing.assert_allclose(ours.per_clip, row["f"], rtol=0, atol=TOLERANCE)
    assert ours.value == pytest.approx(np.mean(row["f"]), abs=TOLERANCE)


def test_the_usual_signature_is_as_it_was_and_choices_are_named(baseline: str) -> None:
    model = "model:all-MiniLM-L6-v2@53aa5117"
    assert run(BertScore()).signature == f"bert_score|{model}|layer:last|idf:no|refs:1-3|r:1"
    chosen = BertScore(layer=4, idf="references", rescale=baseline)
    assert list(chosen.parameters.items())[1:] == [
        ("layer", 4),
        ("idf", "references"),
        ("rescale", "made-up@14c21707"),
    ]


def test_idf_survives_the_disk(tmp_path: Path) -> None:
    family = BertScore(idf="references")
    first = run(family, cache_dir=tmp_path, details=True)
    again = run(family, cache_dir=tmp_path, details=True)
    assert first.per_clip.tolist() == again.per_clip.tolist()
    assert first.details == again.details
    assert first.per_clip.tolist() != run(BertScore(), cache_dir=tmp_path).per_clip.tolist()


def test_idf_of_a_batch_is_that_of_all_references() -> None:
    family, whole = BertScore(idf="references"), run(BertScore(idf="references"))
    part = TOLD.chosen([0, 1])
    for kept in (None, KeptReferences()):
        found = run(family, part, kept=kept)
        np.testing.assert_allclose(found.per_clip, whole.per_clip[:2], rtol=0, atol=1e-7)
    alone = run(family, References(TOLD.clips[:2]))
    assert abs(alone.per_clip - whole.per_clip[:2]).max() > 1e-3


def test_rare_sub_words_weigh_more_and_what_all_have_nothing() -> None:
    rarity = rarity_of([("[CLS]", "a", "dog"), ("[CLS]", "a", "cat", "cat"), ("[CLS]", "rain")])
    weights = rarity.of(["[CLS]", "a", "cat", "whale"])
    assert weights.tolist() == pytest.approx([0, np.log(4 / 3), np.log(2), np.log(4)])


def test_a_clip_whose_words_weigh_nothing_has_no_value_and_the_reason() -> None:
    """The package gives 0 to a caption that is its reference."""
    idf = {"bert_score": {"idf": "references"}}
    found = score(["rain"], [["rain", "rain"]], "bert_score", parameters=idf, device="cpu")
    assert np.isnan(found["bert_score"])
    assert "no sub-word" in found.notes["bert_score"]
    # Where another reference weighs something, it is that which counts.
    said, told = ["rain falls", "rain"], [["rain", "rain falls"], ["rain"]]
    part = score(said, told, "bert_score", parameters=idf, device="cpu", details=True)
    assert part.per_clip["bert_score"].tolist() == pytest.approx([1.0, np.nan], nan_ok=True)
    assert part.details["bert_score"][0]["f"] == [None, pytest.approx(1.0)]
    assert score(said, told, "bert_score", device="cpu").notes == {}


def test_less_than_the_baseline_is_below_0(tmp_path: Path) -> None:
    path = tmp_path / "high.tsv"
    path.write_text("LAYER,P,R,F\n" + "".join(f"{layer},0.9,0.9,0.9\n" for layer in range(7)))
    found = run(BertScore(rescale=str(path)))
    assert found.value < 0
    assert found.interval.low < found.value < found.interval.high


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("LAYER,P,R\n0,1,1\n", "has no column 'F'"),
        ("LAYER,P,R,F\n1,0.1,0.1,0.1\n", "does not have the layers 0, 1, 2"),
        ("LAYER,P,R,F\n", "does not have the layers"),
        ("LAYER,P,R,F\n0,0.1,0.1,much\n", "cannot be read"),
        ("LAYER,P,R,F\n0,0.1,0.1,1.0\n", "no F below 1"),
        ("LAYER,P,R,F\n0,0.1,0.1,nan\n", "no F below 1"),
    ],
)
def test_a_baseline_that_is_wrong_is_refused_with_what_it_lacks(
    text: str, fault: str, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.tsv"
    path.write_text(text)
    with pytest.raises(BaselineUnusable, match=rf"{fault}.*LAYER,P,R,F"):
        BertScore(rescale=str(path))


def test_a_baseline_without_the_layer_or_without_a_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "short.tsv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n")
    with pytest.raises(BaselineUnusable, match="has no line for layer 6"):
        run(BertScore(rescale=str(path)))
    with pytest.raises(BaselineMissing, match=r"no baseline of bert_score at .*gone.*LAYER,P,R,F"):
        BertScore(rescale=str(tmp_path / "gone.tsv"))
    with pytest.raises(UnusableParameter, match='"no" or "references"'):
        BertScore(idf="yes")
