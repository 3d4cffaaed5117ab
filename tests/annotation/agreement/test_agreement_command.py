"""Two files compared: what counts as the same caption, and labels with several equivalents."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from sklearn.metrics import cohen_kappa_score

from annotation.agreement.label_sets import (
    AmbiguousLabels,
    LabelledRecord,
    agreement_between,
    ambiguous_words,
    matched_captions,
)
from annotation.selectors.schemes import label_mapping

MAPPING = {"BOTH": ("WHO", "WHAT"), "SLOWLY": ("HOW",)}


def labelled(number: int, labels: list[str], person: str = "ann") -> LabelledRecord:
    spans = [
        {"token_start": at, "token_end": at, "label": label}
        for at, label in enumerate(labels)
        if label != "O"
    ]
    words = tuple(f"word{at}" for at in range(len(labels)))
    return LabelledRecord((str(number),), words, tuple(spans), person)


@pytest.mark.parametrize(
    ("ambiguous", "agreeing", "words", "spans"),
    [
        # BOTH stays what it is, which nobody else says; only the fourth word agrees.
        (AmbiguousLabels.NEVER, 1, 4, 1),
        # BOTH agrees with WHO and with WHAT, and not with HOW.
        (AmbiguousLabels.EITHER, 3, 4, 3),
        (AmbiguousLabels.LEFT_OUT, 1, 1, 1),
    ],
)
def test_a_label_with_several_equivalents(
    ambiguous: AmbiguousLabels, agreeing: int, words: int, spans: int
) -> None:
    found = matched_captions(
        [labelled(1, ["BOTH", "BOTH", "BOTH", "SLOWLY"])],
        [labelled(1, ["WHO", "WHAT", "HOW", "HOW"])],
    )
    assert ambiguous_words(found, MAPPING) == {"BOTH": 3}
    told = agreement_between(found, (), mapping=MAPPING, ambiguous=ambiguous)
    assert told.measures["observed"].value == pytest.approx(agreeing / words)
    assert told.measures["observed"].n == words
    value = told.measures["span_f1"].value
    assert value == pytest.approx(2 * spans / told.measures["span_f1"].n)


def test_captions_match_by_text_source_and_number_and_by_the_same_words() -> None:
    first = [labelled(1, ["WHO"]), labelled(2, ["WHO", "O"], "bob"), labelled(3, ["WHO"])]
    second = [labelled(1, ["WHO"], "bob"), labelled(2, ["WHO", "O"], "bob"), labelled(4, ["WHO"])]
    found = matched_captions(first, [*second, labelled(3, ["WHO", "O"])])
    assert [one.key for one, _ in found.pairs] == [("1",), ("2",)]
    assert found.split_otherwise == 1
    assert [one.key for one, _ in found.by_same_person(same=True).pairs] == [("2",)]
    assert list(found.of_people()) == [("ann", "bob"), ("bob", "bob")]


def _records(path: Path) -> dict[tuple[str, ...], dict[str, Any]]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {(row["text"], row["meta"]["source"], row["meta"]["index"]): row for row in rows}


def _labels(row: dict[str, Any]) -> list[str]:
    """Label words as the files mean it: of several spans the last one wins."""
    labels = ["O"] * len(row["tokens"])
    for span in row["spans"]:
        for at in range(span["token_start"], span["token_end"] + 1):
            labels[at] = span["label"]
    return labels


def test_the_published_files_by_scikit_learn_and_by_the_command(shared_data: Path) -> None:
    """docs/reference/agreement.md has these numbers; here the words are counted in another way.

    Words in spans that overlap get their label by the files' own order of spans here;
    by ours 3 of the 9,056 words get another one.
    """
    folder = shared_data / "descriptors"
    paths = folder / "aces_13_labels.jsonl", folder / "aces_10_labels.jsonl"
    thirteen, ten = (_records(path) for path in paths)
    mapping = label_mapping("aces-13", "aces-10")
    ours, theirs = [], []
    for key in thirteen.keys() & ten.keys():
        for a, b in zip(_labels(thirteen[key]), _labels(ten[key]), strict=True):
            names = mapping.get(a, (a,))
            ours.append(b if b in names else names[0])
            theirs.append(b)
    expected = cohen_kappa_score(ours, theirs)
    out = StringIO()
    call_command("agreement", *paths, map="aces-13:aces-10", stdout=out)
    said = out.getvalue()
    assert "400 common captions with 4,528 words." in said
    either = said.split("agrees with either")[1]
    first = next(line for line in either.splitlines() if line.startswith("Cohen's kappa "))
    assert float(first.split()[2]) == pytest.approx(expected, abs=0.001)
    assert first.split()[2] == "0.888"
    assert "labelled by two people" in said


def test_files_without_a_common_caption_and_unknown_inventories_are_refused(tmp_path: Path) -> None:
    for name, text in (("a.jsonl", "a dog"), ("b.jsonl", "a cat")):
        row = {"text": text, "spans": [], "answer": "accept"}
        (tmp_path / name).write_text(json.dumps(row) + "\n")
    paths = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    with pytest.raises(CommandError, match="no caption in common"):
        call_command("agreement", *paths)
    with pytest.raises(CommandError, match="not known which labels"):
        call_command("agreement", *paths, map="aces-13:aces-99")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("agreement", paths[0], tmp_path / "none.jsonl")


def test_of_files_with_one_inventory_it_tells_one_table(tmp_path: Path) -> None:
    row = {"text": "a dog barks", "answer": "accept", "_session_id": "set-ann"}
    spans = [{"token_start": 1, "token_end": 1, "start": 2, "end": 5, "label": "WHO"}]
    (tmp_path / "a.jsonl").write_text(json.dumps({**row, "spans": spans}) + "\n{broken\n")
    rejected = {**row, "spans": [], "answer": "reject"}
    lines = [json.dumps({**row, "spans": spans, "_session_id": "set-bob"}), json.dumps(rejected)]
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    out, errors = StringIO(), StringIO()
    call_command("agreement", tmp_path / "a.jsonl", tmp_path / "b.jsonl", stdout=out, stderr=errors)
    assert "1 common captions with 3 words." in out.getvalue()
    assert "set-ann and set-bob" in out.getvalue()
    assert "several equivalents" not in out.getvalue()
    assert "a.jsonl: Line 2" in errors.getvalue()
