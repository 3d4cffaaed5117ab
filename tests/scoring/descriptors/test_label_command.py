"""``label``: one JSON line per caption."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.parser import main
from scoring.models.descriptors import find_labeller
from scoring.train.descriptors.labelled_captions import read_lines


def labelled(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main(["label", str(path), "--device", "cpu"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_caption_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "captions.txt"
    path.write_text("A man talks, in the distance.\n\nwind\n", encoding="utf-8")
    first, second = labelled(path, capsys)
    assert first["text"] == "A man talks, in the distance."
    words = [token["text"] for token in first["tokens"]]
    assert words == ["A", "man", "talks", "in", "the", "distance"]
    assert first["tokens"][2] == {"text": "talks", "start": 6, "end": 11, "id": 2, "ws": False}
    shown = [(s["token_start"], s["token_end"], s["label"]) for s in first["spans"]]
    assert shown == [(1, 1, "WHO"), (2, 2, "HOW"), (3, 5, "WHERE")]
    assert [first["text"][s["start"] : s["end"]] for s in first["spans"]] == [
        "man",
        "talks",
        "in the distance",
    ]
    assert all(1 / 13 < span["confidence"] <= 1 for span in first["spans"])
    assert set(first["spans"][0]) == {
        *("token_start", "token_end", "start", "end", "label", "confidence")
    }
    labeller = find_labeller().identity
    assert (second["text"], second["meta"]) == ("wind", {"line": 3, "labeller": labeller})
    assert second["_session_id"] == second["_annotator_id"] == "labeller-earmark-desc-1-e07255e9"
    assert [token["id"] for token in second["tokens"]] == [0]


def test_tables_and_json_lines_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.csv").write_text("file_name,caption_predicted\nb.wav,\na.wav,a dog barks\n")
    (tmp_path / "c.jsonl").write_text('{"text": "a dog barks ", "meta": {"file_name": "a.wav"}}\n')
    (table,) = labelled(tmp_path / "c.csv", capsys)
    (line,) = labelled(tmp_path / "c.jsonl", capsys)
    assert table["spans"] == line["spans"]
    assert line["text"] == "a dog barks "
    assert (line["meta"]["file_name"], line["meta"]["line"]) == ("a.wav", 1)


def test_an_empty_caption_is_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.csv").write_text("file_name,caption_predicted\nb.wav,\na.wav,a dog barks\n")
    assert main(["label", str(tmp_path / "c.csv"), "--device", "cpu"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["meta"]["line"] == 3
    assert told.err.endswith("c.csv, line 2: no caption, left out\n")


def test_what_is_labelled_can_be_learned_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.txt").write_text("A man talks, in the distance.\n")
    assert main(["label", str(tmp_path / "c.txt"), "--device", "cpu"]) == 0
    (caption,) = read_lines(capsys.readouterr().out.split("\n"))
    assert caption.words == ("a", "man", "talks", "in", "the", "distance")
    assert caption.labels == ("O", "WHO", "HOW", "WHERE", "WHERE", "WHERE")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("c.jsonl", '{"caption": "a dog"}\n', 'line 1: There is no "text" here.'),
        ("c.jsonl", '{"text": 3}\n', '"text" is not a string. Found: 3'),
        ("c.jsonl", "\n", "There is no caption in"),
        ("c.txt", "\n", "There is no caption in"),
    ],
)
def test_what_cannot_be_read_is_told(
    tmp_path: Path, name: str, text: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text)
    assert main(["label", str(tmp_path / name)]) == 2
    assert told in capsys.readouterr().err


def test_an_absent_labeller_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.txt").write_text("a dog\n")
    assert main(["label", str(tmp_path / "c.txt"), "--labeller", str(tmp_path)]) == 2
    assert "There is no descriptor labeller at" in capsys.readouterr().err
