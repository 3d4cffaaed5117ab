"""The command line: what it prints, what it writes, and its exit codes."""

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from earmark import registry
from earmark.as_published import OriginalsMissing, presets
from earmark.chosen_metrics import options_of
from earmark.cli.metric_runs import model_parameters
from earmark.cli.parser import build_parser, main
from earmark.registry import METRICS

ROOT = Path(__file__).resolve().parents[2]
REFERENCES = (
    "file_name,caption_1,caption_2\na.wav,A dog barks.,A dog is barking.\nb.wav,It rains.,\n"
)
GOOD = "file_name,caption_predicted\nb.wav,it rains\na.wav,a dog barks\n"
BAD = "file_name,caption_predicted\nb.wav,\na.wave,a dog barks\n"
BAD_LINES = [
    (
        "line 2, column caption_predicted: The caption is empty. Every clip needs a caption with"
        " words."
    ),
    (
        'line 3, column file_name: No clip of the references has this name. Did you mean "a.wav"?'
        ' Found: "a.wave"'
    ),
    'column file_name: This clip has no row. Add a row with its caption. Found: "a.wav"',
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name, text in [("refs.csv", REFERENCES), ("good.csv", GOOD), ("bad.csv", BAD)]:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def validate(candidates: str, *more: str) -> int:
    return main(["validate", "--references", "refs.csv", "--candidates", candidates, *more])


def score(*more: str, candidates: str = "good.csv") -> int:
    return main(["score", "--references", "refs.csv", "--candidates", candidates, *more])


@pytest.mark.usefixtures("files")
def test_validate_passes_with_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert validate("good.csv") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("refs.csv: warning: line 3, column file_name: The clip has only one")
    assert lines[1:] == ["2 clips, 0 errors, 1 warning"]


@pytest.mark.usefixtures("files")
def test_validate_prints_one_fault_per_line_or_all_as_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert validate("bad.csv") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:-1] == [f"bad.csv: error: {line}" for line in BAD_LINES]
    assert lines[-1] == "2 clips, 3 errors, 1 warning"
    assert validate("bad.csv", "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["clips"]) == (False, 2)
    fault = found["faults"][2]
    assert [fault.pop(key) for key in ("file", "line", "column")] == ["bad.csv", 3, "file_name"]
    message = 'No clip of the references has this name. Did you mean "a.wav"?'
    assert fault == {"value": "a.wave", "message": message, "severity": "error"}


def test_validate_stops_at_unusable_references(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "refs.csv").write_text("file_name,caption_1\na.wav,\n")
    assert validate("good.csv") == 1
    out = capsys.readouterr().out
    assert "refs.csv: error: line 2" in out
    assert "good.csv: not checked, because the references have errors" in out


SCORE = ("score", "-r", "refs.csv", "-c", "good.csv")
MISUSE = [
    ([], "required"),
    (["validate", "--references", "refs.csv"], "--candidates"),
    (["validate", "-r", "refs.csv", "-c", "none.csv"], "Cannot read none.csv"),
    ([*SCORE, "-m", "bleu_9"], "no metric 'bleu_9'"),
    ([*SCORE, "-m", ","], "No metric is named"),
    ([*SCORE, "-m", "dcase2019"], "Did you mean dcase2021 or"),
    ([*SCORE, "--json", "no/x.json"], "Cannot write"),
    ([*SCORE, "--json", "."], "it is a folder"),
    ([*SCORE, "--per-clip", "good.csv"], "used twice"),
    ([*SCORE, "--json=-", "--details=-"], "used twice"),
    ([*SCORE, "--device", "tpu"], "no device 'tpu'"),
    ([*SCORE, "--encoder", "no/x"], "encoder 'no/x' is not"),
    ([*SCORE, "--detector", "x"], "no fluency detector at"),
    ([*SCORE, "--detector="], "--detector has no path"),
    ([*SCORE, "-m", "fer", "--encoder=all-MiniLM-L6-v2"], "uses the model of --encoder"),
    (["benchmark", "-j", "good.csv", "--encoder", "no/x"], "encoder 'no/x' is not"),
    *(
        ([*SCORE, "-m", metrics, "--set", text], told)
        for metrics, text, told in (
            ("rouge_l", "beta=2", "'beta=2' is not FAMILY.PARAMETER=VALUE, such as sbf.tag_thresh"),
            ("rouge_l", "rouge.beta=2", "no metric family 'rouge' to give parameters to. Choose"),
            ("rouge_l", "fense.penalty=1", "computed by. Give parameters to: rouge_l."),
            ("rouge_l", "rouge_l.gamma=2", "no parameter 'gamma'. Choose from: beta."),
            ("rouge_l", "rouge_l.beta=two", "no 'two' for beta of rouge_l. Give a number above 0"),
            ("fer", "fer.threshold=nan", "no 'nan' for threshold of fluency. Give a number from 0"),
            ("sbf", "sbf.tag_threshold=2", "no '2' for tag_threshold of sbf. Give a number from 0"),
            ("bert_score", "bert_score.layer=1.5", "no '1.5' for layer of bert_score. Give a"),
            ("cb_score", "cb.depth=-1", "for depth of cb. Give a whole number from 0"),
            ("cb_score", "cb.senses=0", "for senses of cb. Give a whole number from 1"),
            ("spice", "spice.parser=mine", "no 'mine' for parser of spice. Give \"general\" or"),
            ("composite", "composite.parts=1", "parts of composite is no single value"),
        )
    ),
]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("arguments", "words"), MISUSE)
def test_misuse_says_what_to_do(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


def test_what_a_value_is_not_worth_stands_below_the_table(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "refs.csv").write_text("file_name,caption_1\na.wav,A dog barks.\n")
    (files / "good.csv").write_text("file_name,caption_predicted\na.wav,a dog barks\n")
    assert score("--metrics", "cider_d", "--json", "x.json") == 0
    assert "cider_d: There is only one clip" in capsys.readouterr().out
    assert list(json.loads((files / "x.json").read_text())["notes"]) == ["cider_d"]


def test_score_prints_a_table_and_writes_both_files(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert score("--metrics", "rouge_l,vocab", "--json", "x.json", "--per-clip", "x.csv") == 0
    shown = capsys.readouterr()
    assert "rouge_l  1.000" in shown.out
    assert "rouge_l: 2 clips done" in shown.err
    found = json.loads((files / "x.json").read_text(encoding="utf-8"))
    assert (found["scorer"], found["clips"], found["unavailable"]) == ("0.1.0", 2, {})
    assert found["notes"] == {}
    # Each caption is word for word one of its references; "a dog barks it rains" has 5 words.
    assert found["metrics"]["rouge_l"]["value"] == 1.0
    assert found["metrics"]["rouge_l"]["coverage"] == 2
    assert "refs:1-2" in found["metrics"]["rouge_l"]["signature"]
    assert found["metrics"]["vocab"]["value"] == 5.0
    rows = list(csv.DictReader(io.StringIO((files / "x.csv").read_text(encoding="utf-8"))))
    assert [row["file_name"] for row in rows] == ["a.wav", "b.wav"]
    assert [np.float32(row["rouge_l"]) for row in rows] == [1.0, 1.0]
    assert sorted(path.name for path in files.iterdir()) == sorted(
        {"refs.csv", "good.csv", "bad.csv", "x.json", "x.csv"}
        | ({"cache"} if (files / "cache").exists() else set())
    )


def test_details_are_one_line_per_clip_in_the_order_of_the_references(files: Path) -> None:
    assert score("-m", "bleu_1,bleu_2,rouge_l,vocab", "--details", "x.jsonl") == 0
    lines = (files / "x.jsonl").read_text(encoding="utf-8").splitlines()
    first, second = map(json.loads, lines)
    assert (first["file_name"], second["file_name"]) == ("a.wav", "b.wav")
    assert first["caption"] == "a dog barks"
    assert first["references"] == ["A dog barks.", "A dog is barking."]
    # By hand: the caption is the first reference, word for word, and has three words.
    assert first["metrics"] == {"bleu_1": 1.0, "bleu_2": 1.0, "rouge_l": 1.0, "vocab": 3.0}
    assert list(first["details"]) == ["bleu", "rouge_l", "vocab"]  # once per family
    assert first["details"]["bleu"]["matched"][2] == [["a dog barks", 1]]
    assert second["details"]["rouge_l"]["words"] == ["it", "rains"]


def test_details_name_every_candidate_and_the_best_one(files: Path) -> None:
    header = "file_name,caption_predicted_1,caption_predicted_2"
    several = f"{header}\na.wav,wind,a dog is barking\nb.wav,it rains,\n"
    (files / "several.csv").write_text(several, encoding="utf-8")
    asked = ("-m", "spider,spider_max", "--details", "x.jsonl")
    assert score(*asked, candidates="several.csv") == 0
    lines = (files / "x.jsonl").read_text(encoding="utf-8").splitlines()
    first, second = (json.loads(line) for line in lines)
    assert (first["caption"], first["candidates"]) == ("wind", ["wind", "a dog is barking"])
    assert "candidates" not in second
    assert list(first["details"]) == ["spider"]
    assert first["details"]["spider"]["candidate"] == 1
    assert first["details"]["spider"]["best"]["candidate"] == 2
    assert first["metrics"]["spider"] == 0 < first["metrics"]["spider_max"]


@pytest.mark.parametrize("command", ["score", "benchmark"])
def test_models_are_handed_to_every_family_that_takes_them(command: str) -> None:
    shipped = ROOT / "earmark" / "resources" / "fluency"
    files = {"score": ["-r", "x", "-c", "x"], "benchmark": ["-j", "x"]}[command]
    parsed = build_parser().parse_args(
        [command, *files, "--encoder", "all-MiniLM-L6-v2", "--detector", str(shipped)]
    )
    found = model_parameters(parsed, ("bleu_1", "sbert_sim", "fer", "fense"))
    encoder, detector = {"encoder": "all-MiniLM-L6-v2"}, {"detector": str(shipped)}
    assert found == {"sbert": encoder, "fluency": detector, "fense": {**encoder, **detector}}


@pytest.mark.parametrize("command", ["score -r x -c x", "benchmark -j x", "tricks -r x -c x"])
def test_parameters_are_set_by_family_or_metric_and_by_whole_or_shortened_name(
    command: str,
) -> None:
    given = ("sbf.tag_t=0.45", "sbf_recall.sim_t=.5", "fer.threshold=0.8", "bert_score.layer=1")
    texts = (text for one in given for text in ("--set", one))
    parsed = build_parser().parse_args([*command.split(), *texts])
    assert model_parameters(parsed, ("sbf", "fer", "bert_score", "rouge_l")) == {
        "sbf": {"tag_threshold": 0.45, "similarity_threshold": 0.5},
        "fluency": {"threshold": 0.8},
        "bert_score": {"layer": 1},
    }


def test_as_published_names_the_papers_models_in_a_folder(tmp_path: Path) -> None:
    def asked(*more: str) -> Any:
        texts = ["score", "-r", "x", "-c", "x", "--as-published", str(tmp_path), *more]
        return model_parameters(
            build_parser().parse_args(texts), ("fense", "bert_score", "rouge_l", "sbf")
        )

    with pytest.raises(OriginalsMissing, match=r"echecker_clotho.*roberta-large \(hf download"):
        asked()
    detector = tmp_path / "echecker_clotho_audiocaps_base.ckpt"
    detector.touch()
    for model in ("paraphrase-TinyBERT-L6-v2", "roberta-large"):
        (tmp_path / model).mkdir()
    tiny = str(tmp_path / "paraphrase-TinyBERT-L6-v2")
    found = asked("--set", "fense.penalty=0.5")
    assert found == {
        "fense": {"encoder": tiny, "detector": str(detector), "penalty": 0.5},
        "bert_score": {"encoder": str(tmp_path / "roberta-large"), "layer": 17},
    }


@pytest.mark.parametrize("family", presets())
def test_what_papers_used_are_parameters_of_the_family(family: str) -> None:
    assert set(presets()[family]) <= set(options_of(family))


@pytest.mark.usefixtures("files")
def test_a_parameter_that_is_set_counts_and_stands_in_the_signature(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And where results go to standard output, nothing else does."""
    assert score("-m", "rouge_l", "--set", "rouge_l.beta=3", "--json", "-") == 0
    shown = capsys.readouterr()
    assert "|beta:3|" in json.loads(shown.out)["metrics"]["rouge_l"]["signature"]
    assert "rouge_l  1.000" in shown.err


@pytest.mark.usefixtures("files")
def test_score_refuses_a_faulty_file_like_validate(capsys: pytest.CaptureFixture[str]) -> None:
    assert score(candidates="bad.csv") == 1
    assert f"bad.csv: error: {BAD_LINES[0]}" in capsys.readouterr().out


@pytest.mark.usefixtures("files")
def test_an_unavailable_metric_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    absent = replace(registry.FAMILIES["vocab"], path="earmark.metrics.absent:Vocab")
    monkeypatch.setitem(registry.FAMILIES, "vocab", absent)
    assert score("-m", "rouge_l,vocab", "--json", "-") == 3
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert list(found["metrics"]) == ["rouge_l"]
    assert "earmark.metrics.absent" in found["unavailable"]["vocab"]
    assert "vocab is unavailable: " in shown.err


def test_what_is_not_a_number_is_empty_or_null() -> None:
    from earmark.captions import Candidates, References
    from earmark.cli.score import details_jsonl, per_clip_csv, scores_json
    from earmark.pipeline import CorpusScores
    from earmark.results import NO_INTERVAL, MetricScore

    per_clip = np.array([0.1, np.nan], np.float32)
    details = [{"words": ["x"], "recall": 0.5}, {"words": [], "recall": float("nan")}]
    result = MetricScore("rouge_l", float("nan"), NO_INTERVAL, per_clip, "s", details)
    scores = CorpusScores({"rouge_l": result}, {})
    references = References.build([("a, b.wav", ["x"]), ("c.wav", ["y"])])
    assert per_clip_csv(scores, references) == 'file_name,rouge_l\n"a, b.wav",0.1\nc.wav,\n'
    found = json.loads(scores_json(scores, references))["metrics"]["rouge_l"]
    assert found == {"value": None, "low": None, "high": None, "coverage": 1, "signature": "s"}
    lines = list(details_jsonl(scores, Candidates.single(["x", "z"]), references))
    assert [json.loads(line)["metrics"]["rouge_l"] for line in lines] == [0.1, None]
    assert json.loads(lines[1])["details"] == {"rouge_l": {"words": [], "recall": None}}


def test_metrics_lists_every_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(METRICS)
    assert all(row["source"] and row["direction"] in {"higher", "lower"} for row in rows)
    rouge = next(row for row in rows if row["name"] == "rouge_l")
    assert "|refs:?|r:1" in rouge["signature"]
    assert next(row for row in rows if row["name"] == "vocab")["high"] is None
    assert main(["metrics"]) == 0
    assert "rouge_l  ROUGE-L, 0 to 1, higher is better" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "code"), [("good.csv", 0), ("bad.csv", 1), ("none.csv", 2)])
def test_exit_codes_of_the_process(files: Path, name: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "earmark", "validate", "-r", "refs.csv", "-c", name],
        cwd=files,
        env={"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("given", "found"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_wait_asleep_unless_someone_said_otherwise(
    given: str | None, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Awake they took four times as long on a machine that others used as well."""
    monkeypatch.setenv("OMP_WAIT_POLICY", given or "")
    if given is None:
        monkeypatch.delenv("OMP_WAIT_POLICY")
    assert validate("good.csv") == 0
    assert os.environ["OMP_WAIT_POLICY"] == found


def test_validating_loads_no_model_library(files: Path) -> None:
    script = (
        "import sys, earmark; from earmark.cli.parser import main;"
        "main(['validate', '-r', 'refs.csv', '-c', 'good.csv']);"
        "sys.exit(bool({'torch', 'spacy', 'sentence_transformers', 'nltk'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=files, env={"PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == 0


_PROGRAM = """
import atexit, sys
from earmark.__main__ import program

def main():
    atexit.register(lambda: print("a library's own ending"))
    print("x" * 100_000)
    sys.stderr.write("warned")
    {ending}

program(main)
"""


@pytest.mark.parametrize(
    ("ending", "code", "told", "last"),
    [
        ("return 0", 0, "warned", "own ending\n"),
        ("return 3", 3, "warned", "own ending\n"),
        ("raise ValueError('unforeseen')", 1, "ValueError: unforeseen", "own ending\n"),
        ("sys.stdout.close(); return 0", 0, "warned", "x\n"),
    ],
)
def test_output_and_exit_code_are_whole(ending: str, code: int, told: str, last: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(ending=ending)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == code
    assert told in ended.stderr
    assert ended.stdout.startswith("x" * 100_000)
    assert ended.stdout.endswith(last)
