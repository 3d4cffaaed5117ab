"""Broken JSON, and files made to cost much: refused with the line and a fix, and read no further.

What each costs as a multiple of a good file: ``python -m tests.bench.bench_hostile_files``.
"""

from collections.abc import Sequence

import pytest

from earmark.captions import Limits, References, csv_records
from earmark.captions.candidates import read_candidates
from earmark.captions.csv_rows import MAX_QUOTED_FIELDS
from earmark.captions.faults import MAX_FAULTS
from earmark.captions.file_layout import Layout, Roles, assign_roles
from earmark.captions.references import read_references
from tests.earmark.predictions import GOOD, HEADER, faults

# JSON, the line of the first fault, its column and words of its message.
DOCUMENTS = [
    ('{"dog.wav": "x",\n "dog.wav": 5}', 2, "caption_predicted", "This is a number"),
    ('{"dog.wav": "x",\n "dog.wav": "y"}', 2, "file_name", '"x" in line 1 and "y" in line 2'),
    ('[{"file_name": "dog.wav"}]', 1, "caption_predicted", 'has no "caption_predicted"'),
    ('[\n{"caption_predicted": "x"}]', 2, "file_name", 'has no "file_name"'),
    ('[\n\n{"file_name": 7, "caption_predicted": "x"}]', 3, "file_name", "This is a number"),
    ('[{"file_name": "dog.wav", "caption_predicted": null}]', 1, "caption_predicted", "is empty"),
    ('[{"file_name": "dog.wav", "caption_predicted": [1]}]', 1, "caption_predicted", "a number"),
    ('[{"file_name": "dog.wav", "caption_predicted": {}}]', 1, "caption_predicted", "an object"),
    (
        '[{"file_name": "dog.wav", "caption_predicted": "\\ud800 x"}]',
        1,
        "caption_predicted",
        "lone",
    ),
    ('[{"file_name": "dog.wav", "file_name": "b", "caption_predicted": "x"}]', 1, None, "once"),
    ("[\n1,\n2]", 2, None, "Write an object"),
    ('[\n{"file_name": "dog.wav"\n "x": 1}]', 3, None, "broken at character 2 of this line"),
    ('["a"', 1, None, "Write an object"),
    ("[" * 100_000, 1, None, "nested too deeply"),
    ("[" + "9" * 5000 + "]", 1, None, "too many digits"),
    ('[{"file_name": "dog.wav", "caption_predicted": "x"}] x', 1, None, "text after the end"),
    (
        '{"file_name": "dog.wav", "caption_predicted": "x"}\n{"file_name": }\n',
        2,
        None,
        "This line was not read.",
    ),
]


@pytest.mark.parametrize(("text", "line", "column", "words"), DOCUMENTS)
def test_json_faults_have_lines_too(text: str, line: int, column: str | None, words: str) -> None:
    first = faults(text)[0]
    assert (first.line, first.column) == (line, column)
    assert words in first.message


def test_every_broken_jsonl_line_is_listed() -> None:
    found = faults("{]\n\n{}\nnull\n", file_name="x.jsonl")
    assert [fault.line for fault in found[:3]] == [1, 3, 4]


@pytest.mark.parametrize(
    "row",
    ['x,"\n', 'a","b\n', '"",', '"', "\0\n", ",", "a;", "\r"],
)
def test_hostile_files_take_linear_time(row: str) -> None:
    # Any quadratic step would need hours for these; the suite's time limit is the judge.
    text = HEADER + row * (300_000 // len(row))
    assert faults(text)


@pytest.mark.parametrize("line", ["{", '{"a', "nonsense"])
def test_a_file_of_broken_json_lines_has_a_limit_of_rows(line: str) -> None:
    # Without it 20 MB of "{" were 10,000,000 faults, a minute and five gigabytes.
    found = faults(f"{line}\n" * 50, limits=Limits(max_rows=10), file_name="x.jsonl")
    assert len([fault for fault in found if "JSON is broken" in fault.message]) == 11
    assert "more than 10 items" in "".join(fault.message for fault in found)


@pytest.mark.parametrize("row", ['"\n"\n', ",\n", '" ",""\n'])
def test_a_file_of_blank_rows_is_not_read_to_its_end(row: str) -> None:
    found = faults(HEADER + "\n" + row * 100_001 + "a,b,c,d\n")
    assert "more than 100,000 blank rows" in "".join(fault.message for fault in found)
    assert not [fault for fault in found if "4 fields" in fault.message]
    assert not [fault for fault in faults(GOOD + row * 10) if fault.severity == "error"]


REFERENCES = References.build([("dog.wav", ["a dog barks"])])


@pytest.mark.parametrize("mark", [",", "\t", ";", "|"])
def test_no_more_columns_are_looked_at_than_a_header_may_have(
    mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []

    def assign(columns: Sequence[str], layout: Layout) -> Roles:
        looked_at.append(len(columns))
        return assign_roles(columns, layout)

    monkeypatch.setattr(csv_records, "assign_roles", assign)
    found = read_candidates((f"a{mark}" * 100_000).encode(), REFERENCES)
    assert found.value is None
    assert max(looked_at) <= csv_records.MAX_COLUMNS
    if mark == ",":
        assert "The header has 100,000 columns and the limit is 200." in found.errors[0].message


def test_empty_columns_at_the_end_are_still_none() -> None:
    """Spreadsheets leave them behind by the thousand."""
    end = b"," * 16_000
    file = HEADER.strip().encode() + end + b"\ndog.wav,a dog barks" + end + b"\n"
    found = read_candidates(file, REFERENCES)
    assert found.value is not None
    assert list(found.value.first) == ["a dog barks"]


@pytest.mark.parametrize("row", [b"unknown.wav,b\n", b'"a"b\n', b'"a\n', b"a\n"])
def test_a_file_of_faults_is_read_up_to_a_number_of_them(row: bytes) -> None:
    found = read_candidates(HEADER.encode() + row * (2 * MAX_FAULTS), REFERENCES)
    assert found.value is None
    assert len(found.faults) <= MAX_FAULTS + 1
    assert "There are more than 5,000 errors" in found.faults[-1].message


def test_so_are_references() -> None:
    found = read_references(b"file_name,caption_1\n" + b'"a"b\n' * (2 * MAX_FAULTS))
    assert found.value is None
    assert "There are more than 5,000 errors" in found.faults[-1].message


def test_a_row_of_quoted_fields_has_an_end() -> None:
    found = read_candidates(HEADER.encode() + b'"",' * (3 * MAX_QUOTED_FIELDS) + b"\n", REFERENCES)
    assert found.value is None
    assert "The row has more than 20,000 fields." in found.errors[0].message
