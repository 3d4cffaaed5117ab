"""Prodigy's JSONL: out as it came in, and nothing taken that does not fit."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from annotation.formats import prodigy
from annotation.formats.prodigy import input_hash, task_hash
from annotation.formats.records import LONGEST_LINE, ExportRow, Record, SkippedLine
from annotation.spans import span_of
from tests.annotation.generated_captions import AT, work, works

DOG = "a dog barks"
TOKENS = [
    {"text": "a", "start": 0, "end": 1, "id": 0, "ws": True},
    {"text": "dog", "start": 2, "end": 5, "id": 1, "ws": True},
    {"text": "barks", "start": 6, "end": 11, "id": 2, "ws": False},
]


def read(*rows: Any) -> list[Record | SkippedLine]:
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    return list(prodigy.read(BytesIO(b"\n".join(lines))))


def record(row: Any) -> Record:
    (found,) = read(row)
    assert isinstance(found, Record), found
    return found


def skipped(row: Any) -> SkippedLine:
    (found,) = read(row)
    assert isinstance(found, SkippedLine), found
    return found


def again(read_record: Record, **changes: Any) -> ExportRow:
    """The work that an imported record becomes."""
    return ExportRow(
        number=0,
        text=read_record.text,
        tokens=read_record.tokens,
        spans=read_record.spans or [],
        annotator="ann",
        at=AT,
        meta=read_record.meta,
        line=read_record.source,
        carried=read_record.carried,
        **changes,
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # From records that Prodigy wrote and people published: the example in its
        # documentation, and annotations that stand in public code.
        ("Uber\u2019s Lesson: Silicon Valley\u2019s Start-Up Machine Needs Fixing", 1886699658),
        ("Have you used the new version of my model?", 1798863398),
        ("I'd like to work as an actor or model if possible.", 895552771),
        (". the email is the guy\u2019sname@adam\u2019soldcompany.", 176898049),
    ],
)
def test_the_input_hash_is_the_one_that_prodigy_writes(text: str, expected: int) -> None:
    assert input_hash(text) == expected


def test_the_task_hash_is_the_one_that_prodigy_writes_for_empty_spans() -> None:
    # A published demo of ner.correct: nothing was highlighted beforehand.
    text = "I'm seeing Ed Sheeran on Wednesday in Miami so if you wanna meet up or say hi hmu!"
    assert (input_hash(text), task_hash(input_hash(text))) == (885944384, -1665691389)


def test_a_record_of_our_own_has_prodigys_keys() -> None:
    # Keys of meta stand in order, whatever order a database gives them in.
    written = prodigy.write_line(
        work(DOG, (1, 1, "WHO"), meta={"b": 1, "a": {"d": 2, "c": 3}}), "sounds"
    )
    assert '"meta":{"a":{"c":3,"d":2},"b":1}' in written
    assert json.loads(written) == {
        "text": DOG,
        "meta": {"a": {"c": 3, "d": 2}, "b": 1},
        "_input_hash": input_hash(DOG),
        "_task_hash": task_hash(input_hash(DOG)),
        "tokens": TOKENS,
        "_view_id": "spans_manual",
        "spans": [{"start": 2, "end": 5, "token_start": 1, "token_end": 1, "label": "WHO"}],
        "answer": "accept",
        "_timestamp": 1772366400,
        "_annotator_id": "sounds-ann",
        "_session_id": "sounds-ann",
    }


@given(works())
def test_whatever_is_written_reads_as_it_was_and_writes_the_same_bytes(made: ExportRow) -> None:
    line = prodigy.write_line(made, "sounds")
    assert line.isascii()
    assert "\n" not in line
    found = record(line.encode())
    assert (found.text, found.tokens, found.spans) == (made.text, made.tokens, made.spans)
    assert (found.answer, found.person) == (made.answer, f"sounds-{made.annotator}")
    assert (found.flagged, found.comment, found.at) == (made.flagged, made.comment, made.at)
    assert found.meta == made.meta
    for span in found.spans or []:
        words = found.tokens[span["token_start"] : span["token_end"] + 1]
        assert found.text[span["start"] : span["end"]].startswith(words[0]["text"])
        assert found.text[span["start"] : span["end"]].endswith(words[-1]["text"])
    assert prodigy.write_line(again(found), "other") == line
    # Without tokens the words are the same, and spans by characters alone find theirs.
    row = json.loads(line)
    bare = record({key: value for key, value in row.items() if key != "tokens"})
    assert (bare.tokens, bare.spans) == (made.tokens, made.spans)
    for span in row["spans"]:
        del span["token_start"], span["token_end"]
    assert record(row).spans == made.spans


@pytest.mark.parametrize("name", ["aces_10_labels.jsonl", "aces_13_labels.jsonl"])
def test_a_changed_record_of_the_real_files_changes_where_it_was_changed(
    shared_data: Path, name: str
) -> None:
    lines = (shared_data / "descriptors" / name).read_text().splitlines()
    for line in lines[:100]:
        found = prodigy.read_line(line)
        kept = list(found.spans or [])[1:]
        new = span_of(0, 0, "OTHER", found.tokens)
        edited = replace(again(found, changed=True), spans=[new, *kept])
        before, after = json.loads(line), json.loads(prodigy.write_line(edited, "x"))
        assert [*after][: len(before)] == [*before]
        assert [[*span.items()] for span in after["spans"][1:]] == [
            [*span.items()] for span in before["spans"][1:]
        ]
        assert after["spans"][0] == new
        added = {"answer": "accept", "_timestamp": 1772366400}
        assert {**after, "spans": 0} == {**before, "spans": 0, **added}


def test_unknown_keys_and_foreign_hashes_stay_in_the_work_of_others() -> None:
    told = {"text": DOG, "_input_hash": -5, "_task_hash": 7, "priority": {"b": 1, "a": [None]}}
    found = record({**told, "spans": [], "_session_id": "x-ann"})
    other = work(DOG, annotator="bob", carried=found.carried)
    row = json.loads(prodigy.write_line(other, "sounds"))
    assert {key: row[key] for key in told} == told
    assert row["_session_id"] == "sounds-bob"


def test_a_text_alone_is_enough_and_what_a_plain_record_tells_besides_is_meta() -> None:
    found = record({"text": DOG, "file_name": "dog.wav", "year": 2020})
    assert found.tokens == TOKENS
    assert found.spans is None
    assert found.meta == {"file_name": "dog.wav", "year": 2020}
    assert record({"caption": DOG}).text == DOG


def test_what_a_file_says_of_tokens_never_breaks_what_reads_them() -> None:
    odd = [{**TOKENS[0], "ws": ["x"], "disabled": True}, {"start": 2, "end": 5, "ws": False}]
    found = record({"text": DOG, "tokens": odd}).tokens
    assert found[0] == {**TOKENS[0], "disabled": True}
    assert found[1] == {**TOKENS[1], "ws": False}
    assert "a wrong id" in skipped({"text": DOG, "tokens": [{**TOKENS[0], "id": False}]}).why


def test_people_are_told_apart_by_session() -> None:
    both = {"text": DOG, "spans": [], "_annotator_id": "2"}
    assert record({**both, "_session_id": "dev-elia"}).person == "dev-elia"
    assert record({**both, "_session_id": None}).person == "2"
    assert record({"text": DOG, "answer": "accept"}).person == ""


def test_lines_end_with_newline_alone_and_a_mark_at_the_begin_is_no_text() -> None:
    lines = b'\xef\xbb\xbf{"text": "one dog"}\r\n\n  \n{"text": "two\xe2\x80\xa8cats"}'
    found = list(prodigy.read(BytesIO(lines)))
    assert [(one.line, getattr(one, "text", None)) for one in found] == [
        (1, "one dog"),
        (4, "two\u2028cats"),
    ]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (b"{", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"text": ' + b"9" * 5000 + b"}", "not valid JSON"),
        ([1], "not a JSON object"),
        ({}, "no text"),
        ({"text": 5}, "no text"),
        ({"text": " \n"}, "empty"),
        ({"text": "\u200b \u200b" * 2000}, "at most 5,000"),
        ({"text": "a\x00b"}, "NUL"),
        (
            b'{"text": "a dog", "meta": ' + b'{"a":' * 300 + b"1" + b"}" * 301,
            "levels of nested lists",
        ),
        ({"text": DOG, "x": {"y": ["\x00"]}}, "NUL"),
        (b'{"text": "a \\ud83d dog"}', "surrogate"),
        (b'{"text": "a dog", "x": NaN}', "NaN"),
        (b'{"text": "\xff"}', "UTF-8"),
        (b'{"text": "' + b"a" * LONGEST_LINE + b'"}', "longer than 1 MB"),
        ({"text": DOG, "answer": "maybe"}, "no such answer"),
        ({"text": DOG, "answer": ["accept"]}, "no such answer"),
        ({"text": DOG, "tokens": {"a": 1}}, "tokens are not a list"),
        ({"text": DOG, "tokens": [5]}, "Token 0 is not an object"),
        ({"text": DOG, "tokens": [{"start": 0, "end": 99}]}, "outside the text"),
        ({"text": DOG, "tokens": [{"start": 0, "end": 0}]}, "outside the text"),
        ({"text": DOG, "tokens": [TOKENS[1], TOKENS[0]]}, "Token 0 has a wrong id"),
        ({"text": DOG, "tokens": [{"text": "a", "start": 0, "end": 2}]}, "differs from the text"),
        ({"text": DOG, "spans": "none"}, "spans are not a list"),
    ],
)
def test_what_cannot_be_taken_is_told_with_its_line_and_why(row: Any, why: str) -> None:
    found = skipped(row)
    assert found.line == 1
    assert why in found.why
    assert len(found.value) <= 80


@pytest.mark.parametrize(
    ("span", "why", "fix"),
    [
        (5, "Span 2 is not an object.", "Write start, end and label"),
        ({"start": 0, "end": 1, "label": None}, "Span 2 has no label.", "label it"),
        ({"start": 3, "end": 4}, "Span 2 does not begin and end at word", "whole words: 2 to 5."),
        ({"start": 1, "end": 2}, "Span 2 does not begin and end at word", "cover whole words."),
        ({}, "Span 2 does not say in whole numbers where", "Write start and end in characters"),
        ({"start": "2", "end": 5}, "Span 2 does not say in whole numbers where", "Write start"),
        ({"start": 5, "end": 2}, "Span 2 ends before it begins.", "end is the character after"),
        ({"token_start": 2, "token_end": 1}, "Span 2 ends before it begins.", "the last word."),
        ({"start": 2, "end": 99}, "Span 2 runs from character 2 to 98, but the last", "from 0"),
        ({"start": -1, "end": 1}, "Span 2 runs from character -1 to 0", "are counted from 0"),
        ({"token_start": 1, "token_end": 3}, "runs from word 1 to 3, but the last word is 2", "0"),
        # Counted in UTF-16, in which the first character is two.
        (
            {"start": 3, "end": 6, "token_start": 1, "token_end": 1},
            "The words and the characters of span 2 differ.",
            "Offsets count code points",
        ),
    ],
)
def test_a_span_that_does_not_fit_is_told_and_the_others_stay(
    span: Any, why: str, fix: str
) -> None:
    bad = {"label": "WHO", **span} if isinstance(span, dict) else span
    good = {"start": 2, "end": 5, "label": "WHAT"}
    found = record({"text": DOG, "spans": [good, bad]})
    assert [one["label"] for one in found.spans or ()] == ["WHAT"]
    (fault,) = found.left_out
    assert (fault.line, why in fault.why, fix in fault.fix) == (1, True, True), fault
    assert fault.value == json.dumps(bad)


def test_the_word_nul_in_escapes_is_no_nul() -> None:
    assert record({"text": r"a \u0000 dog"}).text == r"a \u0000 dog"
