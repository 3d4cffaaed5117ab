"""Reading labelled captions: what counts, and how mistakes are told."""

import json
from pathlib import Path

import pytest

from scoring.train.descriptors import DescriptorFault, read_lines, read_sets, without_source
from tests.scoring.descriptors.records import SMALL, by_word, lines, record

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
