"""Labelled captions: read with every mistake told, and written by ``label``."""

import json
from pathlib import Path
from typing import Any

import pytest

from earmark.cli.parser import main
from earmark.models.descriptors import find_labeller
from earmark.train.descriptors import (
    DescriptorFault,
    jsonl_sets,
    read_lines,
    read_sets,
    without_source,
)
from tests.earmark.descriptors.records import SMALL, by_word, lines, record

META = {"source": "clotho_dev", "file_name": " a.wav"}


def test_last_span_wins_for_a_word_in_several() -> None:
    one = record("a loud car", [(1, 2, "WHAT"), (1, 1, "SOUND_PROPERTY")])
    other = record("a loud car", [(1, 1, "SOUND_PROPERTY"), (1, 2, "WHAT")])
    found = read_lines([json.dumps(one), json.dumps(other)])
    assert [caption.labels for caption in found] == [
        ("O", "SOUND_PROPERTY", "WHAT"),
        ("O", "WHAT", "WHAT"),
    ]


def test_spaces_slashes_and_the_source_are_kept_or_cleaned() -> None:
    given = record("Rain in the Kitchen ", [(3, 3, "WHAT/WHERE")], meta=META)
    found = read_lines(["", json.dumps(given), "  "])[0]
    assert found.words == ("rain", "in", "the", "kitchen")
    assert found.labels == ("O", "O", "O", "WHAT/WHERE")
    assert (found.source, found.clip) == ("clotho_dev", "a.wav")
    assert found.key == "rain in the kitchen"


def test_without_tokens_spans_are_found_by_characters() -> None:
    given = {"text": "A dog, far off", "spans": [{"start": 2, "end": 5, "label": "WHAT"}]}
    found = read_lines([json.dumps(given)])[0]
    assert found.words == ("a", "dog", "far", "off")
    assert found.labels == ("O", "WHAT", "O", "O")


def test_what_an_annotator_did_not_accept_is_left_out() -> None:
    given = [by_word("a dog barks", answer=answer) for answer in ("accept", "reject", "ignore")]
    assert len(read_lines(lines(given).splitlines())) == 1


@pytest.mark.parametrize(
    "line",
    [
        "no JSON",
        "[]",
        '{"spans": []}',
        json.dumps(record("a dog", [(1, 1, "WHAT")]) | {"tokens": [{"text": "a"}]}),
        "[" * 100_000,
        '{"text": "a dog", "spans": [{"start": 1e999, "end": 3, "label": "WHO"}]}',
    ],
)
def test_a_mistake_names_file_and_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(lines([by_word("a dog barks")]) + line + "\n", encoding="utf-8")
    with pytest.raises(
        DescriptorFault, match=r"labels\.jsonl, line 2: This is not a record"
    ) as told:
        read_sets([path])
    assert told.value.line == 2


def test_nothing_to_learn_from_is_told(tmp_path: Path) -> None:
    with pytest.raises(DescriptorFault, match=r"no \.jsonl file"):
        read_sets([tmp_path])
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(DescriptorFault, match="no labelled caption"):
        read_sets([tmp_path])
    with pytest.raises(DescriptorFault, match="Cannot be read"):
        read_sets([tmp_path / "absent.jsonl"])


def test_largest_inventory_comes_first_and_unknown_labels_make_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines([by_word("a dog barks")]))
    (tmp_path / "b.jsonl").write_text(SMALL)
    assert [part.name for part in read_sets([tmp_path])] == ["aces-13", "aces-10"]
    (tmp_path / "b.jsonl").write_text(lines([record("a dog barks", [(1, 1, "ANIMAL")])]))
    own = read_sets([tmp_path / "b.jsonl"])[0]
    assert own.labels == ("ANIMAL", "O")


def test_helpers_can_be_left_out_by_source(tmp_path: Path) -> None:
    held = {"meta": {"source": "clotho_eval"}}
    (tmp_path / "a.jsonl").write_text(
        lines([by_word("a dog barks", **held), by_word("a bird sings")])
    )
    (tmp_path / "b.jsonl").write_text(lines([by_word("a man talks in the room", **held)]))
    first, second = without_source(read_sets([tmp_path]), "clotho_eval")
    assert [len(first.captions), len(second.captions)] == [1, 1]
    assert second.captions[0].key == "a bird sings"


def training_data() -> list[str]:
    return [
        json.dumps({"set": "mine", "labels": ["HOW", "WHAT", "WHO", "WHERE", "WHAT/WHERE"]}),
        json.dumps(by_word("a dog barks", set="mine")),
        json.dumps({"set": "theirs", "labels": ["ANIMAL", "O", "MORE"]}),
        json.dumps(record("a dog barks", [(1, 1, "ANIMAL")], set="theirs")),
        "",
        json.dumps(by_word("a bird sings", set="mine")),
        json.dumps(record("a dog", [(0, 1, "ANIMAL")], set="theirs", answer="reject")),
        json.dumps({"set": "empty", "labels": ["X"]}),
    ]


def test_sets_written_one_after_the_other_are_read_in_their_order() -> None:
    first, second = jsonl_sets(training_data())
    assert (first.name, second.name) == ("mine", "theirs")
    assert first.labels == ("HOW", "WHAT", "WHO", "WHERE", "WHAT/WHERE", "O")
    assert second.labels == ("ANIMAL", "MORE", "O")
    assert [caption.key for caption in first.captions] == ["a dog barks", "a bird sings"]
    assert [caption.labels for caption in second.captions] == [("O", "ANIMAL", "O")]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 3: This is not JSON"),
        ("[1]", "line 3: This is not a JSON object"),
        ('{"text": "a dog"}', 'line 3: There is no "set" here'),
        ('{"set": "mine", "labels": ["A"]}', "line 3: The set 'mine' begins a second time"),
        ('{"set": "b", "text": "a dog"}', "line 3: The set 'b' has no labels yet"),
        ('{"set": "b", "labels": "WHAT"}', 'line 3: A set begins with its "labels"'),
        ('{"set": "b", "labels": ["O"]}', "line 3: There is no label besides O"),
        ('{"set": "mine", "text": 3}', "line 3: This is not a record"),
        (
            json.dumps(record("a dog", [(1, 1, "CAT")], set="mine")),
            "line 3: The label 'CAT' is not in this set's inventory: HOW",
        ),
    ],
)
def test_a_fault_in_training_data_is_told_with_its_line(line: str, told: str) -> None:
    with pytest.raises(DescriptorFault) as fault:
        jsonl_sets([*training_data()[:2], line], "data")
    assert told in str(fault.value)
    assert fault.value.line == 3


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


def test_tables_and_json_lines_are_read_and_empty_captions_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.csv").write_text("file_name,caption_predicted\nb.wav,\na.wav,a dog barks\n")
    (tmp_path / "c.jsonl").write_text('{"text": "a dog barks ", "meta": {"file_name": "a.wav"}}\n')
    assert main(["label", str(tmp_path / "c.csv"), "--device", "cpu"]) == 0
    told = capsys.readouterr()
    table = json.loads(told.out)
    assert table["meta"]["line"] == 3
    assert told.err.endswith("c.csv, line 2: no caption, left out\n")
    (line,) = labelled(tmp_path / "c.jsonl", capsys)
    assert table["spans"] == line["spans"]
    assert line["text"] == "a dog barks "
    assert (line["meta"]["file_name"], line["meta"]["line"]) == ("a.wav", 1)


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
