"""Scoring plain lists, at once, in batches, in threads and in processes; and what is refused."""

import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from earmark import pipeline
from earmark.accumulator import NamedTwice, ScoreAccumulator
from earmark.captions import Candidates, References
from earmark.chosen_metrics import ParametersUnusable
from earmark.comparing import compare
from earmark.errors import (
    ResourceMissing,
    ScoringError,
    UnknownMetric,
    UnusableInput,
    UnusableParameter,
)
from earmark.metrics.rouge_l.metric import RougeL
from earmark.pipeline import CorpusMismatch
from earmark.registry import METRICS
from earmark.runtime import UnknownDevice, compute_device
from earmark.scorer import Scorer, UnknownClip, score
from earmark.scores import NoScore
from earmark.tables import FiguresTable
from earmark.workspace import Workspace

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
        assert list(found) == list(expected.results)
        assert found.clips == ("0", "1", "2")
        for name, result in expected.results.items():
            assert found[name] == found[METRICS[name].label.upper()] == result.value
            assert found.per_clip[name].tolist() == result.per_clip.tolist()
            assert found.signatures[name] == result.signature
            assert found.intervals[name] == result.interval
        assert found.details == {}


def test_one_name_a_set_and_all_are_taken() -> None:
    assert list(score(SAID, REFERENCES, "bleu_1")) == ["bleu_1"]
    several = [[said, "a cat meows"] for said in SAID]
    assert "spider_max" in score(several, REFERENCES, ["spider", "spider_max"])
    alone = score(SAID, REFERENCES, ["spider", "spider_max"])
    assert "several candidates" in alone.unavailable["spider_max"]


def test_a_missing_model_is_told_and_the_others_stand() -> None:
    parameters = {"sbert": {"encoder": "no-such-model"}}
    for found in (
        score(SAID, REFERENCES, ["rouge_l", "sbert_sim"], parameters=parameters),
        Scorer(REFERENCES, ["rouge_l", "sbert_sim"], parameters=parameters).score(SAID),
    ):
        assert list(found) == ["rouge_l"]
        with pytest.raises(NoScore, match=r"sbert_sim is unavailable: .*hf download"):
            _ = found["sbert_sim"]
        with pytest.raises(NoScore, match=r"bleu_1 was not asked for\. There are .*rouge_l"):
            _ = found["bleu_1"]


REFUSED: list[tuple[dict[str, Any], type[ScoringError], str]] = [
    ({"captions": "a dog barks"}, ScoringError, "captions is one text"),
    ({"references": [["a"], [], ["b"]]}, ScoringError, r"references\[1\] is empty"),
    ({"captions": SAID[:2]}, pipeline.CorpusMismatch, "captions for 2 clips and references for 3"),
    (
        {"references": [SAID, SAID]},
        pipeline.CorpusMismatch,
        r"Each of the 2 lists of references has 3 texts: .* Give list\(zip\(\*references\)\)",
    ),
    (
        {"captions": dict(zip("abc", SAID, strict=True))},
        UnusableInput,
        "captions lacks '0', '1', '2', and the references lack 'a', 'b', 'c'",
    ),
    ({"metrics": "blue_1"}, UnknownMetric, "Did you mean bleu_1"),
    ({"metrics": []}, ScoringError, "No metric is named"),
    ({"parameters": {"rouge": {}}}, pipeline.UnknownFamily, "no metric family 'rouge'"),
    ({"parameters": {"sbert": {}}}, ParametersUnusable, "Give parameters to: rouge_l"),
    ({"parameters": {"rouge_l": {"bta": 1}}}, ParametersUnusable, "'rouge_l' does not take .*bta"),
    ({"device": "gpu"}, UnknownDevice, "no device 'gpu'. Choose from: auto, cpu, cuda"),
    ({"device": "cuda:one"}, UnknownDevice, "no device 'cuda:one'"),
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
    assert scorer.score(SAID) == first


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
    assert by_name == scorer.score_one("rain falls", np.int64(1))
    for clip in (2, -1, "cat.wav"):
        with pytest.raises(UnknownClip, match=r"no clip .* from 0 to 1, or the name"):
            scorer.score_one("a cat", clip)


def test_threads_have_the_same_scores() -> None:
    metrics = ["cider_d", "fense", "bert_score", "spice"]
    scorer = Scorer(REFERENCES, metrics, device="cpu")
    systems = [[f"{said} {word}" for said in SAID] for word in ("loudly", "twice", "and a", "now")]
    expected = [Scorer(REFERENCES, metrics, device="cpu").score(system) for system in systems]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(scorer.score, systems * 3))
    assert found == expected * 3


def test_processes_make_it_anew() -> None:
    scorer = Scorer(REFERENCES, LEXICAL, parameters={"rouge_l": {"beta": 1.0}})
    here = scorer.score(SAID)
    sent = pickle.dumps(scorer)
    assert len(sent) < 5_000  # references and names, nothing that was prepared
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(Scorer.score, (scorer, SAID)) == here
    part = pickle.loads(pickle.dumps(scorer.subset([1])))
    np.testing.assert_array_equal(
        part.score(SAID[1:2]).per_clip["cider_d"], here.per_clip["cider_d"][1:2]
    )


COLLECTED = ["bleu_4", "rouge_l", "cider_d", "vocab"]
AT_ONCE = score(SAID, REFERENCES, COLLECTED)


def test_collected_batches_have_the_scores_of_the_whole() -> None:
    accumulator = ScoreAccumulator(COLLECTED)
    accumulator.update(SAID[:1], REFERENCES[:1])
    accumulator.update(SAID[1:], REFERENCES[1:])
    found = accumulator.compute()
    assert found == AT_ONCE
    assert found.per_clip["cider_d"].tolist() == AT_ONCE.per_clip["cider_d"].tolist()
    assert accumulator.compute() == AT_ONCE
    assert len(accumulator) == 3


def test_the_next_epoch_prepares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    accumulator = ScoreAccumulator("rouge_l")
    accumulator.update(SAID, REFERENCES)
    first = accumulator.compute()

    def fail(*_: object) -> None:
        raise AssertionError("prepared again")

    monkeypatch.setattr(RougeL, "prepare", fail)
    accumulator.reset()
    accumulator.update(SAID, REFERENCES)
    assert accumulator.compute() == first


def test_a_clip_that_fills_up_a_batch_counts_once() -> None:
    accumulator = ScoreAccumulator(COLLECTED)
    names = ["dog.wav", "rain.wav", "hall.wav"]
    accumulator.update(SAID, REFERENCES, names)
    accumulator.update(SAID[:1], REFERENCES[:1], names[:1])
    found = accumulator.compute()
    assert found.clips == tuple(names)
    assert found == AT_ONCE
    # Without names nothing says that it is the same clip.
    unnamed = ScoreAccumulator(COLLECTED)
    unnamed.update([*SAID, SAID[0]], [*REFERENCES, REFERENCES[0]])
    assert len(unnamed.compute().clips) == 4


def test_one_name_with_two_captions_is_refused() -> None:
    accumulator = ScoreAccumulator(COLLECTED)
    accumulator.update(SAID[:1], REFERENCES[:1], ["dog.wav"])
    accumulator.update(["a cat"], REFERENCES[:1], ["dog.wav"])
    with pytest.raises(NamedTwice, match=r"'dog\.wav' was given twice"):
        accumulator.compute()


def test_a_batch_that_is_refused_adds_nothing() -> None:
    accumulator = ScoreAccumulator(COLLECTED)
    with pytest.raises(CorpusMismatch):
        accumulator.update(SAID, REFERENCES[:1])
    with pytest.raises(UnusableInput, match="2 names for 3 clips"):
        accumulator.update(SAID, REFERENCES, ["a", "b"])
    with pytest.raises(UnusableInput, match="captions is one text"):
        accumulator.update("a dog", REFERENCES)
    assert len(accumulator) == 0


def test_ranks_have_the_scores_of_all_captions(tmp_path: Path) -> None:
    """Two real processes of torch.distributed, of which one has no captions of its own left."""
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.earmark.accumulating_rank", str(tmp_path), str(rank)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    printed = [run.communicate()[0].split("\n") for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    shown = f"{dict(AT_ONCE)} {[len(SAID), AT_ONCE.per_clip['cider_d'].tolist()]}"
    assert [lines[0] for lines in printed] == [shown, shown]
    assert [lines[1] for lines in printed] == ["own 2", "own 1"]
    first = f"{dict(score(SAID[:1], REFERENCES[:1], COLLECTED))}"
    assert [lines[2] for lines in printed] == [first, first]
    assert [lines[3] for lines in printed] == [f"{AT_ONCE['cider_d']:.6f} True"] * 2
    alone = score(SAID[:1], REFERENCES[:1], "cider_d")["cider_d"]
    assert [lines[4] for lines in printed] == [f"{alone:.6f}"] * 2


# evaluate is no requirement of ours: "pip install evaluate" (0.4.6 was tried), or its folder in
# PYTHONPATH, has this tested.
CODE = f"""
import json, evaluate
from earmark.hugging_face import MODULE
captions, references = {SAID!r}, {REFERENCES!r}
whole = evaluate.load(MODULE, "rouge_l").compute(predictions=captions, references=references)
batches = evaluate.load(MODULE)
for caption, texts in zip(captions, references):
    batches.add(prediction=caption, reference=texts)
parameters = {{"sbert": {{"encoder": "no"}}}}
given = batches.compute(metrics=["bleu_1", "sbert_sim"], parameters=parameters)
print(json.dumps([whole, given]))
"""


@pytest.mark.skipif(find_spec("evaluate") is None, reason="evaluate is not installed")
def test_the_module_for_hugging_face_gives_what_the_library_gives(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", CODE],
        cwd=ROOT,
        env={**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    whole, given = json.loads(run.stdout.splitlines()[-1])
    expected = score(SAID, REFERENCES, ["bleu_1", "rouge_l"])
    assert whole["rouge_l"] == expected["rouge_l"]
    assert whole["signatures"] == {"rouge_l": expected.signatures["rouge_l"]}
    assert whole["unavailable"] == {}
    assert given["bleu_1"] == expected["bleu_1"]
    assert "hf download" in given["unavailable"]["sbert_sim"]


NAMES = ["dog.wav", "rain.wav", "hall.wav"]


@given(st.permutations(range(3)))
def test_captions_by_name_are_scored_in_any_order(order: list[int]) -> None:
    named = dict(zip(NAMES, REFERENCES, strict=True))
    said = {NAMES[place]: SAID[place] for place in order}
    found = score(said, named, COLLECTED)
    assert (found, found.clips) == (AT_ONCE, tuple(NAMES))
    assert score(SAID, named, COLLECTED) == AT_ONCE
    accumulator = ScoreAccumulator(COLLECTED)
    accumulator.update(said, named)
    assert accumulator.compute().clips == tuple(NAMES)


def test_devices_may_be_numbered_and_those_that_are_missing_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = score(SAID, REFERENCES, "sbert_sim", device=torch.device("cpu"))
    assert found == score(SAID, REFERENCES, "sbert_sim", device="cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert (compute_device("auto"), compute_device("cuda:1")) == ("cuda", "cuda:1")
    with pytest.raises(ResourceMissing, match="no device cuda:2 on this machine"):
        compute_device("cuda:2")
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    found = score(SAID, REFERENCES, "sbert_sim", device="mps")
    assert "no device mps" in found.unavailable["sbert_sim"]


def test_scores_are_a_mapping_that_can_be_read() -> None:
    found = score(SAID, REFERENCES, "rouge_l, SBERT_sim", parameters={"sbert": {"encoder": "no"}})
    assert dict(found) == {"rouge_l": found["rouge_l"]} == found
    assert "sbert_sim" not in found
    assert found.get("sbert_sim") is None
    with pytest.raises(KeyError) as refused:
        _ = found["sbert_sim"]
    assert str(refused.value).startswith("sbert_sim is unavailable: ")
    heading, row, note = repr(found).split("\n")
    assert heading.split()[:2] == ["metric", "value"]
    low, high = found.intervals["rouge_l"].low, found.intervals["rouge_l"].high
    shown = f"rouge_l {found['rouge_l']:.3f} {low:.3f} to {high:.3f} 3 higher"
    assert " ".join(row.split()) == shown
    assert note == str(refused.value)
    assert f"<td>{found['rouge_l']:.3f}</td>" in found._repr_html_()
    assert "<b>" not in FiguresTable(("<b>",), (("<b>",),), ("<b>",)).html()


def test_frames_need_pandas_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ResourceMissing, match="pip install pandas"):
        AT_ONCE.to_frame()


def test_scores_as_frames() -> None:
    clips, metrics = AT_ONCE.to_frame(), AT_ONCE.to_frame("metrics")
    assert list(clips.index) == list(AT_ONCE.clips)
    assert list(clips.columns) == list(AT_ONCE)
    assert clips["cider_d"].tolist() == AT_ONCE.per_clip["cider_d"].tolist()
    assert dict(metrics["value"]) == AT_ONCE
    assert metrics.loc["rouge_l", "high"] == AT_ONCE.intervals["rouge_l"].high
    assert dict(metrics["signature"]) == AT_ONCE.signatures


def test_strict_makes_an_unavailable_metric_an_error() -> None:
    how: Any = {"parameters": {"sbert": {"encoder": "no-such-model"}}, "strict": True}
    accumulator = ScoreAccumulator("sbert_sim", **how)
    accumulator.update(SAID, REFERENCES)
    with pytest.raises(NoScore, match=r"sbert_sim is unavailable: .*hf download"):
        score(SAID, REFERENCES, ["rouge_l", "sbert_sim"], **how)
    with pytest.raises(NoScore, match="sbert_sim is unavailable"):
        Scorer(REFERENCES, "sbert_sim", **how).score(SAID)
    with pytest.raises(NoScore, match="sbert_sim is unavailable"):
        accumulator.compute()
    with pytest.raises(NoScore, match="sbert_sim is unavailable"):
        compare(SAID, SAID, REFERENCES, "sbert_sim", **how)


def test_progress_is_a_line_for_each_family_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    score(SAID, REFERENCES, "rouge_l", progress=True)
    assert capsys.readouterr().err == "rouge_l: 3 clips done\n"
