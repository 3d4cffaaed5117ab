"""A tiny tuning from captions to a parser, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from scoring.cli.parser import main
from scoring.text.parse import TUNING, load_pipeline, new_pipeline, parse, parser_identity
from scoring.text.parser_tuning import TuningOfOtherModel, apply_tuning, current_weights
from scoring.workspace import Workspace
from tests.scoring.parser.test_examples import CAPTIONS

TRAIN = ("train", "parser", "--epochs", "1")


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    path = tmp_path / "captions.txt"
    things = ("train", "bus", "dog", "machine", "plane", "crowd")
    more = [caption.replace("train", thing) for thing in things for caption in CAPTIONS]
    path.write_text("\n".join(dict.fromkeys(more)), encoding="utf-8")
    return path


def test_trains_end_to_end_and_alike_twice(captions: Path, tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        assert main([*TRAIN, str(captions), "--out", str(folder)]) == 0
    one, other = (load_file(folder / "model.safetensors") for folder in folders)
    assert one.keys() == other.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert any(change.any() for change in one.values())
    report = json.loads((folders[0] / "report.json").read_text(encoding="utf-8"))
    assert report["held out"].keys() == {"as written", "in lower case"}
    assert report["recipe"]["epochs"] == 1


def test_excluded_captions_are_left_out(
    captions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*TRAIN, str(captions), "--out", str(tmp_path), "--exclude", str(captions)])
    assert code == 2
    assert "no caption" in capsys.readouterr().err.lower()


def test_no_epochs_are_refused(
    captions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["train", "parser", str(captions), "--out", str(tmp_path), "--epochs", "0"])
    assert code == 2
    assert "at least 1" in capsys.readouterr().err


def test_word_vectors_stay_and_the_rest_is_what_the_file_says() -> None:
    general, tuned = new_pipeline(), load_pipeline(parser="captions")
    changes = load_file(TUNING)
    before, after = current_weights(general), current_weights(tuned)
    assert before.keys() == after.keys() == changes.keys()
    for name, change in changes.items():
        assert np.array_equal(after[name], before[name] + change.astype(np.float32))
    tables = [
        [
            node.get_param("E")
            for node in made.get_pipe("tok2vec").model.walk()
            if node.has_param("E")
        ]
        for made in (general, tuned)
    ]
    assert all(np.array_equal(one, other) for one, other in zip(*tables, strict=True))


def test_a_tuning_of_another_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"a": np.zeros(1, np.float16)}, path, metadata={"base": "en_core_web_sm-3.7.0@0"})
    with pytest.raises(TuningOfOtherModel, match=r"en_core_web_sm-3\.7\.0@0.*train parser"):
        apply_tuning(path, new_pipeline(), parser_identity())


def test_the_general_parser_stays_as_it_is() -> None:
    general, tuned = (
        parse(["glass shatters"], Workspace(), parser=parser)[0]
        for parser in ("general", "captions")
    )
    assert general[1].tag == "NNS"
    assert (tuned[1].tag, tuned[0].dep) == ("VBZ", "nsubj")
    assert parser_identity("captions").startswith("earmark-parse-1@")
