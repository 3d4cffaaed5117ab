"""A tiny training from captions to probabilities, and what is kept out of it."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from earmark.captions.caption_lists import NoCaptions, UnreadableFile, read_captions
from earmark.cli.parser import main
from earmark.models.fluency import detect, find_detector
from earmark.train.fluency.examples import (
    ExampleMaker,
    ExampleShares,
    distinct_captions,
    read_sentences,
    tag_captions,
)
from earmark.train.fluency.synthetic_errors import ErrorStyle

THINGS = ("a dog barks", "rain falls", "a man speaks quietly", "cars pass", "the wind is blowing")
LINKS = ("and", "while", "as")
CAPTIONS = [f"{a} {link} {b}." for a in THINGS for b in THINGS for link in LINKS if a != b][:50]

TRAIN = ("train", "fluency", "--epochs", "1")
TINY = ("--seed", "7", "--name", "tiny")


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    path = tmp_path / "captions.txt"
    path.write_text("\n".join(CAPTIONS))
    return path


def test_trains_end_to_end_and_alike_twice(captions: Path, tmp_path: Path) -> None:
    unseen = tmp_path / "unseen.txt"
    unseen.write_text("\n".join(CAPTIONS[:5]))
    for folder in ("one", "two"):
        out = ["--out", str(tmp_path / folder), "--calibrate", str(unseen)]
        assert main([*TRAIN, str(captions), *TINY, *out]) == 0
    detectors = [find_detector(str(tmp_path / folder)) for folder in ("one", "two")]
    assert detectors[0].identity == detectors[1].identity
    assert detectors[0].identity.startswith("tiny@")
    found = detect(detectors[0], CAPTIONS, device="cpu")
    assert np.isfinite(found).all()


def test_excluded_texts_are_kept_out(
    captions: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "refs.csv"
    table.write_text(f"file_name,caption_1\na.wav,{CAPTIONS[0].upper()}\n")
    nested = tmp_path / "items.json"
    nested.write_text(json.dumps([{"HC": [CAPTIONS[1], None, 3]}]))
    lines = tmp_path / "lines.txt"
    lines.write_text(f"{CAPTIONS[2]}\n")
    excluded = set().union(*(read_sentences(path) for path in (table, nested, lines)))
    kept = distinct_captions(CAPTIONS, excluded)
    assert kept == CAPTIONS[3:]
    code = main(
        [*TRAIN, str(captions), "--out", str(tmp_path / "out"), "--exclude"]
        + [str(path) for path in (table, nested, lines)]
    )
    assert code == 0
    assert "47 distinct captions" in capsys.readouterr().err


def test_altered_captions_go_in_clean_too_and_captions_are_no_errors() -> None:
    pairs = list(tag_captions(CAPTIONS))
    maker = ExampleMaker(pairs, style=ErrorStyle(), shares=ExampleShares(fragments=0), seed=1)
    made = maker.examples(0)
    wrong = {text for text, row in zip(made.texts, made.labels, strict=True) if row[-1]}
    right = {text for text, row in zip(made.texts, made.labels, strict=True) if not row.any()}
    assert {written.text for written, _ in pairs} <= right <= maker.clean
    assert not wrong & maker.clean
    assert (made.labels[:, -1] >= made.labels[:, :-1].max(axis=1)).all()
    assert maker.examples(0).texts == made.texts
    assert maker.examples(1).texts != made.texts


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", "file_name,caption_predicted\na.wav,a dog\nb.wav,\n", ["a dog"]),
        ("a.csv", "file_name,caption_1,caption_2\na.wav,one,two\n", ["one", "two"]),
        ("a.csv", "fname,raw_text,text\na.wav,A dog.,a dog\n", ["A dog."]),
        ("a.tsv", "file_name\tcaption_predicted\na.wav\ta dog, far\n", ["a dog, far"]),
        ("a.txt", "a dog\n\n rain \n", ["a dog", "rain"]),
    ],
)
def test_captions_are_read(tmp_path: Path, name: str, content: str, expected: list[str]) -> None:
    (tmp_path / name).write_text(content)
    assert read_captions(tmp_path / name) == expected


def test_files_without_captions_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text("file_name\na.wav\n")
    with pytest.raises(NoCaptions, match="no caption in"):
        read_captions(empty)
    with pytest.raises(UnreadableFile, match="No such file"):
        read_captions(tmp_path / "none.txt")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableFile):
        read_captions(tmp_path / "bytes.txt")
    (tmp_path / "long.csv").write_text(f"raw_text\n{'x' * 200_000}\n")
    with pytest.raises(UnreadableFile, match="field larger"):
        read_captions(tmp_path / "long.csv")
    packed = bytearray(gzip.compress(b"raw_text\na dog\n"))
    packed[10] = 0xFF
    (tmp_path / "a.csv.gz").write_bytes(packed)
    with pytest.raises(UnreadableFile, match="decompressing"):
        read_captions(tmp_path / "a.csv.gz")


@pytest.mark.parametrize("epochs", ["0", "-1"])
def test_no_epochs_are_refused(captions: Path, tmp_path: Path, epochs: str) -> None:
    code = main(
        ["train", "fluency", str(captions), "--out", str(tmp_path / "out"), "--epochs", epochs]
    )
    assert code == 2
