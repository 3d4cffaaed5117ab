"""Scoring plain lists: the pipeline's numbers, again and again, in threads and in processes."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scoring
from scoring import pipeline
from scoring.captions import Candidates, References
from scoring.chosen_metrics import ParametersUnusable, UnknownDevice
from scoring.errors import ScoringError, UnknownMetric, UnusableParameter
from scoring.metrics.rouge_l.metric import RougeL
from scoring.scorer import Scorer, UnknownClip, score
from scoring.scores import NoScore
from scoring.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
REFERENCES = [
    ["A dog barks.", "A dog is barking."],
    ["Rain falls on a roof.", "It is raining."],
    ["People talk in a hall while music plays."],
]
SAID = ["a dog barks", "rain falls", "people talk and a"]
LEXICAL = ["bleu_1", "rouge_l", "cider_d", "vocab"]


def of_the_pipeline(metrics: list[str], **settings: Any) -> pipeline.CorpusScores:
    references = References.build((str(i), texts) for i, texts in enumerate(REFERENCES))
    workspace = Workspace(device="cpu", **settings)
    return pipeline.score(Candidates.single(SAID), references, metrics, workspace)


def test_scores_are_those_of_the_pipeline() -> None:
    expected = of_the_pipeline([*LEXICAL, "fense"])
    for found in (
        score(SAID, REFERENCES, [*LEXICAL, "fense"], device="cpu"),
        Scorer(REFERENCES, [*LEXICAL, "fense"], device="cpu").score(SAID),
    ):
        assert list(found.corpus) == list(expected.results)
        assert found.clips == ("0", "1", "2")
        for name, result in expected.results.items():
            assert found[name] == found.corpus[name] == result.value
            assert found.per_clip[name].tolist() == result.per_clip.tolist()
            assert found.signatures[name] == result.signature
            assert found.intervals[name] == result.interval
        assert found.details == {}


def test_the_package_offers_what_it_names() -> None:
    assert scoring.score is score
    assert scoring.Scorer is Scorer
    assert {name for name in scoring.__all__ if getattr(scoring, name) is None} == set()
    with pytest.raises(AttributeError, match="no attribute 'scor'"):
        _ = scoring.scor


def test_one_name_a_set_and_all_are_taken() -> None:
    assert list(score(SAID, REFERENCES, "bleu_1").corpus) == ["bleu_1"]
    several = [[said, "a cat meows"] for said in SAID]
    assert "spider_max" in score(several, REFERENCES, ["spider", "spider_max"]).corpus
    alone = score(SAID, REFERENCES, ["spider", "spider_max"])
    assert "several candidates" in alone.unavailable["spider_max"]


def test_all_asks_for_what_the_captions_allow() -> None:
    metrics = Scorer(REFERENCES)._metrics
    assert "spider_max" not in metrics.names(several=False)
    assert "spider_max" in metrics.names(several=True)


def test_details_are_given_on_request() -> None:
    scorer = Scorer(REFERENCES, "rouge_l")
    assert scorer.score(SAID).details == {}
    found = scorer.score(SAID, details=True).details["rouge_l"]
    assert found[1]["words"] == ["rain", "falls"]


def test_a_missing_model_is_told_and_the_others_stand() -> None:
    parameters = {"sbert": {"encoder": "no-such-model"}}
    for found in (
        score(SAID, REFERENCES, ["rouge_l", "sbert_sim"], parameters=parameters),
        Scorer(REFERENCES, ["rouge_l", "sbert_sim"], parameters=parameters).score(SAID),
    ):
        assert list(found.corpus) == ["rouge_l"]
        with pytest.raises(NoScore, match=r"sbert_sim is unavailable: .*hf download"):
            _ = found["sbert_sim"]
        with pytest.raises(NoScore, match=r"bleu_1 was not asked for\. There are .*rouge_l"):
            _ = found["bleu_1"]


REFUSED: list[tuple[dict[str, Any], type[ScoringError], str]] = [
    ({"captions": "a dog barks"}, ScoringError, "captions is one text"),
    ({"references": [["a"], [], ["b"]]}, ScoringError, r"references\[1\] is empty"),
    ({"captions": SAID[:2]}, pipeline.CorpusMismatch, "captions for 2 clips and references for 3"),
    ({"metrics": "blue_1"}, UnknownMetric, "Did you mean bleu_1"),
    ({"metrics": []}, ScoringError, "No metric is named"),
    ({"parameters": {"rouge": {}}}, pipeline.UnknownFamily, "no metric family 'rouge'"),
    ({"parameters": {"sbert": {}}}, ParametersUnusable, "Give parameters to: rouge_l"),
    ({"parameters": {"rouge_l": {"bta": 1}}}, ParametersUnusable, "'rouge_l' does not take .*bta"),
    ({"device": "gpu"}, UnknownDevice, "no device 'gpu'. Choose from: auto, cpu, cuda"),
    (
        {"metrics": "spice", "parameters": {"spice": {"parser": "mine"}}},
        UnusableParameter,
        "no 'mine' for parser of spice",
    ),
]


@pytest.mark.parametrize(("changed", "kind", "said"), REFUSED)
def test_what_is_wrong_is_refused_before_any_work(
    changed: dict[str, Any], kind: type[ScoringError], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("worked before it refused")

    monkeypatch.setattr(RougeL, "prepare", fail)
    monkeypatch.setattr(RougeL, "score", fail)
    given: dict[str, Any] = {"captions": SAID, "references": REFERENCES, "metrics": "rouge_l"}
    given |= changed
    with pytest.raises(kind, match=said):
        score(**given)
    captions = given.pop("captions")
    with pytest.raises(kind, match=said):
        Scorer(**given).score(captions)


def test_references_are_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = Scorer(REFERENCES, LEXICAL)
    prepared: list[int] = []
    real = RougeL.prepare

    def noted(self: RougeL, references: References, workspace: Workspace) -> object:
        prepared.append(len(references))
        return real(self, references, workspace)

    monkeypatch.setattr(RougeL, "prepare", noted)
    first = scorer.score(SAID)
    scorer.score(SAID[::-1])
    scorer.score_one("rain", 1)
    scorer.subset([2, 0]).score(["people", "dogs"])
    assert prepared == [3]
    assert scorer.score(SAID).corpus == first.corpus


def test_batches_have_the_scores_of_the_whole() -> None:
    scorer = Scorer(REFERENCES, [*LEXICAL, "fense"], device="cpu")
    whole = scorer.score(SAID).per_clip
    batch = scorer.score([SAID[2], SAID[0], SAID[2]], clips=[2, 0, 2])
    assert batch.clips == ("2", "0", "2")
    one = scorer.score_one(SAID[1], 1)
    part = scorer.subset([1, 2])
    assert len(part) == 2
    for name in whole:
        np.testing.assert_allclose(batch.per_clip[name], whole[name][[2, 0, 2]], rtol=0, atol=1e-5)
        np.testing.assert_allclose(one.per_clip[name], whole[name][[1]], rtol=0, atol=1e-5)
        again = part.score([SAID[1], SAID[2]]).per_clip[name]
        np.testing.assert_allclose(again, whole[name][[1, 2]], rtol=0, atol=1e-5)


def test_clips_are_found_by_place_and_by_name() -> None:
    named = References.build([("dog.wav", REFERENCES[0]), ("rain.wav", REFERENCES[1])])
    scorer = Scorer(named, "rouge_l")
    by_name = scorer.score_one("rain falls", "rain.wav")
    assert by_name.clips == ("rain.wav",)
    assert by_name.corpus == scorer.score_one("rain falls", np.int64(1)).corpus
    for clip in (2, -1, "cat.wav"):
        with pytest.raises(UnknownClip, match=r"no clip .* from 0 to 1, or the name"):
            scorer.score_one("a cat", clip)


def test_threads_have_the_same_scores() -> None:
    metrics = ["cider_d", "fense", "bert_score", "spice"]
    scorer = Scorer(REFERENCES, metrics, device="cpu")
    systems = [[f"{said} {word}" for said in SAID] for word in ("loudly", "twice", "and a", "now")]
    expected = [
        Scorer(REFERENCES, metrics, device="cpu").score(system).corpus for system in systems
    ]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda system: scorer.score(system).corpus, systems * 3))
    assert found == expected * 3


def _score_elsewhere(scorer: Scorer) -> dict[str, float]:
    return scorer.score(SAID).corpus


def test_processes_make_it_anew() -> None:
    scorer = Scorer(REFERENCES, LEXICAL, parameters={"rouge_l": {"beta": 1.0}})
    here = scorer.score(SAID)
    sent = pickle.dumps(scorer)
    assert len(sent) < 5_000  # references and names, nothing that was prepared
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(_score_elsewhere, (scorer,)) == here.corpus
    part = pickle.loads(pickle.dumps(scorer.subset([1])))
    np.testing.assert_array_equal(
        part.score(SAID[1:2]).per_clip["cider_d"], here.per_clip["cider_d"][1:2]
    )


def _is_data(one: object) -> bool:
    plain = (dict, list, tuple, str, np.ndarray)
    return isinstance(one, plain) or type(one).__module__.startswith("scoring.")
