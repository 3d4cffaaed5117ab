"""Two systems compared: the numbers, what is left out, what is refused, how it is shown."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earmark.cli.parser import main
from earmark.comparing import NO_MEAN, TOO_FEW, UNLIKE, NotComparable, compare, compare_scores
from earmark.errors import ScoringError
from earmark.metrics.rouge_l.metric import RougeL
from earmark.pipeline import CorpusMismatch
from earmark.scorer import score
from earmark.scores import NoScore, Scores
from earmark.statistics import WrongShape, paired_difference, resampled_means

METRICS = ["bleu_1", "rouge_l", "fer", "vocab", "sbert_sim"]
MISSING_MODEL = {"sbert": {"encoder": "no-such-model"}}
SOUNDS = np.random.default_rng(1).permutation(["dog", "cat", "bell", "door", "car", "bird"] * 10)
PAIRS = [(str(one), str(other)) for one, other in SOUNDS.reshape(30, 2)]
REFERENCES = [[f"A {one} is near a {other}.", f"A {one}, then a {other}."] for one, other in PAIRS]
A = [f"a {one} and then a {other}" for one, other in PAIRS]
B = [f"a {one} and a" if one < other else f"the {other} sounds" for one, other in PAIRS]
FOUND = compare(A, B, REFERENCES, METRICS, parameters=MISSING_MODEL)


def test_values_are_those_of_each_system_and_differences_those_of_the_paired_test() -> None:
    a, b = (score(said, REFERENCES, METRICS, parameters=MISSING_MODEL) for said in (A, B))
    assert (FOUND.a, FOUND.b) == (a, b)
    assert list(FOUND) == ["bleu_1", "rouge_l", "fer"]
    assert FOUND["ROUGE-L"] is FOUND["rouge_l"]
    for name, one in FOUND.items():
        assert (one.a, one.b, one.signature) == (a[name], b[name], a.signatures[name])
        values_a, values_b = (side.per_clip[name].astype(np.float64) for side in (a, b))
        gain = values_b - values_a if name == "fer" else values_a - values_b
        draws = resampled_means(gain[:, None], resamples=4000)[:, 0]
        assert one.difference == paired_difference(gain, draws, rate=name == "fer")
        assert one.counted == (name == "bleu_1")
    assert FOUND["rouge_l"].better == "a"
    assert compare_scores(a, a)["rouge_l"].better is None


def test_what_would_mislead_is_left_out_with_the_reason() -> None:
    assert FOUND.left_out["vocab"] == NO_MEAN
    assert "hf download" in FOUND.left_out["sbert_sim"]
    with pytest.raises(KeyError, match="no comparison by vocab: not a mean over clips"):
        _ = FOUND["vocab"]
    with pytest.raises(NoScore, match="spice: it was not asked for"):
        _ = FOUND["spice"]
    other = score(B, REFERENCES, "rouge_l", parameters={"rouge_l": {"beta": 2.0}})
    assert compare_scores(FOUND.a, other).left_out["rouge_l"] == UNLIKE
    result = other.results["rouge_l"]
    empty = np.full_like(result.per_clip, np.nan)
    empty[0] = 1
    few = Scores({"rouge_l": replace(result, per_clip=empty)}, {}, other.clips)
    assert compare_scores(few, other).left_out == {"rouge_l": TOO_FEW}


def test_what_cannot_be_compared_is_refused() -> None:
    parts = [score(A[:count], REFERENCES[:count], "rouge_l") for count in (3, 2, 1)]
    elsewhere = replace(parts[1], clips=("x", "y"))
    refused: list[ScoringError] = []
    for one, other in ((parts[0], parts[1]), (parts[1], elsewhere), (parts[2], parts[2])):
        with pytest.raises(NotComparable) as told:
            compare_scores(one, other)
        refused.append(told.value)
    assert "A has 3, B 2, and 2 names are in both" in str(refused[0])
    assert "and 0 names are in both" in str(refused[1])
    assert "There is 1 clip. Give at least two" in str(refused[2])
    with pytest.raises(NotComparable, match="1 clip"):
        compare(A[:1], B[:1], REFERENCES[:1], "rouge_l")
    with pytest.raises(CorpusMismatch):
        compare(A, B[:2], REFERENCES, "rouge_l")
    with pytest.raises(ScoringError, match=r"b\[1\] is None"):
        compare(A, ["a dog", None], REFERENCES, "rouge_l")  # type: ignore[list-item]
    for kind in (NotComparable, CorpusMismatch, WrongShape):
        assert issubclass(kind, ScoringError)
        assert issubclass(kind, ValueError)


def test_references_are_prepared_and_captions_scored_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done: Counter[str] = Counter()

    def counted(name: str) -> Any:
        real = getattr(RougeL, name)

        def call(*args: Any) -> Any:
            done[name] += 1
            return real(*args)

        return call

    for name in ("prepare", "score"):
        monkeypatch.setattr(RougeL, name, counted(name))
    compare(A, B, REFERENCES, "rouge_l")
    assert done == {"prepare": 1, "score": 2}


def test_a_comparison_is_shown_as_a_table() -> None:
    heading, *rows = repr(FOUND).split("\n")
    assert heading.split()[:3] == ["metric", "A", "B"]
    one = FOUND["rouge_l"]
    found, ends = one.difference, one.difference.interval
    assert rows[1].split() == [
        *("rouge_l", f"{one.a:.3f}", f"{one.b:.3f}", f"{found.value:.3f}"),
        *(f"{ends.low:.3f}", "to", f"{ends.high:.3f}", f"{found.p_value:.4f}"),
    ]
    assert rows[3].startswith("bleu_1: A and B are values of the corpus")
    assert rows[4] == "vocab is left out: not a mean over clips"
    assert f"<td>{one.a:.3f}</td>" in FOUND._repr_html_()
    assert f"rouge\\_l & {one.a:.3f} & {one.b:.3f} &" in FOUND.latex()


def test_a_comparison_as_a_frame() -> None:
    found = FOUND.to_frame()
    assert list(found.index) == list(FOUND)
    assert found.loc["fer", "difference"] == FOUND["fer"].difference.value


def test_the_command_gives_what_the_library_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    named = {f"{place}.wav": list(texts) for place, texts in enumerate(REFERENCES)}
    Path("refs.json").write_text(json.dumps(named))
    for path, said in (("a.json", A), ("b.json", B)):
        Path(path).write_text(json.dumps(dict(zip(named, said, strict=True))))
    arguments = ["compare", "-r", "refs.json", "-c", "a.json", "b.json", "--cache", "cache"]
    more = ["-m", "BLEU-1,rouge_l,vocab", "--json=found.json", "--latex=found.tex"]
    assert main([*arguments, *more]) == 0
    found = json.loads(Path("found.json").read_text())
    assert found["metrics"] == {name: FOUND[name].as_row() for name in ("bleu_1", "rouge_l")}
    assert (found["clips"], found["left_out"]) == (30, {"vocab": NO_MEAN})
    assert "rouge\\_l &" in Path("found.tex").read_text()
    assert capsys.readouterr().out.startswith("metric ")
    assert main([*arguments, "-m", "rouge_l,mace"]) == 3
    Path("b.json").write_text("{}")
    assert main([*arguments, "-m", "rouge_l"]) == 1
