"""Files made to cost much are read no further than they are worth.

What each costs as a multiple of a good file: ``python -m tests.bench.bench_hostile_files``.
"""

from collections.abc import Sequence

import pytest

from scoring.captions import References, csv_records
from scoring.captions.candidates import read_candidates
from scoring.captions.csv_rows import MAX_QUOTED_FIELDS
from scoring.captions.faults import MAX_FAULTS
from scoring.captions.file_layout import Layout, Roles, assign_roles
from scoring.captions.references import read_references

REFERENCES = References.build([("dog.wav", ["a dog barks"])])
HEADER = b"file_name,caption_predicted\n"


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
    file = HEADER.strip() + end + b"\ndog.wav,a dog barks" + end + b"\n"
    found = read_candidates(file, REFERENCES)
    assert found.value is not None
    assert list(found.value.first) == ["a dog barks"]


@pytest.mark.parametrize("row", [b"unknown.wav,b\n", b'"a"b\n', b'"a\n', b"a\n"])
def test_a_file_of_faults_is_read_up_to_a_number_of_them(row: bytes) -> None:
    found = read_candidates(HEADER + row * (2 * MAX_FAULTS), REFERENCES)
    assert found.value is None
    assert len(found.faults) <= MAX_FAULTS + 1
    assert "There are more than 5,000 errors" in found.faults[-1].message


def test_so_are_references() -> None:
    found = read_references(b"file_name,caption_1\n" + b'"a"b\n' * (2 * MAX_FAULTS))
    assert found.value is None
    assert "There are more than 5,000 errors" in found.faults[-1].message


def test_a_row_of_quoted_fields_has_an_end() -> None:
    found = read_candidates(HEADER + b'"",' * (3 * MAX_QUOTED_FIELDS) + b"\n", REFERENCES)
    assert found.value is None
    assert "The row has more than 20,000 fields." in found.errors[0].message
