"""Protect the mending of YAML that no reader takes: what is clear is read, what is not is told."""

import pytest

from leaderboard.packages.metadata import Metadata
from leaderboard.packages.metadata_files import metadata_read
from scoring.captions import Fault
from tests.leaderboard.packages.files import METADATA


def good() -> Metadata:
    found = metadata_read(METADATA.encode()).value
    assert found is not None
    return found


def mended(old: str, new: str) -> list[Fault]:
    """Read the good file with a line displaced; it must mean the same."""
    assert METADATA.count(old) == 1, old
    reading = metadata_read(METADATA.replace(old, new).encode())
    assert reading.value == good(), reading.faults
    return list(reading.warnings)


def test_a_line_one_column_off_is_read_with_its_siblings() -> None:
    faults = mended("\n    optimizer: AdamW", "\n     optimizer: AdamW")
    assert [(fault.line, fault.column) for fault in faults] == [
        (38, "system.description.optimizer")
    ]
    assert faults[0].message == "Indented by 5 spaces; read as if by 4."


def test_a_line_between_two_levels_goes_where_dcase_has_such_a_key() -> None:
    faults = mended("\n        location: Seoul", "\n       location: Seoul")
    assert [fault.message for fault in faults] == ["Indented by 7 spaces; read as if by 8."]
    faults = mended("\n  complexity:", "\n   complexity:")
    assert [fault.message for fault in faults] == ["Indented by 3 spaces; read as if by 2."]


def test_a_line_of_a_list_item_that_does_not_meet_its_dash_is_mended() -> None:
    faults = mended("\n      has_images: No", "\n     has_images: No")
    assert [fault.column for fault in faults] == ["system.external_datasets.has_images"]
    mended("\n      has_images: No", "\n       has_images: No")


def test_a_dash_that_does_not_meet_the_others_is_mended() -> None:
    faults = mended("\n    - lastname: Lee", "\n   - lastname: Lee")
    assert [fault.message for fault in faults if "Indented" in fault.message]


def test_a_line_that_may_belong_to_two_parts_is_refused_with_both_named() -> None:
    text = METADATA.replace("\n        location: Seoul, Korea", "\n       remark: Korea")
    reading = metadata_read(text.encode(), file="m.yaml")
    assert reading.value is None
    (fault,) = reading.errors
    assert fault.line == 17
    assert '"remark" is indented by 7 spaces' in fault.message
    assert 'neither the 6 of "affiliation" nor the 8 of "department"' in fault.message
    assert "(column 8)" in fault.message
    assert fault.value == "remark: Korea"


def test_tabs_are_read_as_spaces_where_their_width_does_not_matter() -> None:
    faults = mended("\n    optimizer: AdamW", "\n\toptimizer:\tAdamW")
    assert any("Tabs in 1 line" in fault.message for fault in faults)
    mended("corresponding: true", "corresponding: true\t\t# the one to write to")


def test_a_whole_file_indented_by_tabs_is_read() -> None:
    text = (
        "submission:\n\tlabel: Kim_SNU_task6_1\n\tname: X\n"
        "system:\n\tdescription:\n\t\toptimizer: Adam\n"
    )
    reading = metadata_read(text.encode())
    assert reading.value is not None
    assert reading.value.to_dict() == {
        "submission": {"label": "Kim_SNU_task6_1", "name": "X"},
        "system": {"description": {"optimizer": "Adam"}},
    }
    assert len(reading.warnings) == 1


def test_a_value_with_a_colon_is_read_as_one_text() -> None:
    text = METADATA.replace("name: Careful listener", "name: Careful: a listener  # new")
    reading = metadata_read(text.encode())
    assert reading.value is not None
    assert reading.value.submission.name == "Careful: a listener"
    assert [fault.column for fault in reading.warnings] == ["submission.name"]


def test_texts_over_several_lines_come_through_mending() -> None:
    text = METADATA.replace(
        "    optimizer: AdamW",
        "     optimizer: |\n       AdamW\n         twice: yes\n\n       and\n"
        "    comment: one\n      two",
    )
    reading = metadata_read(text.encode())
    assert reading.value is not None, reading.faults
    description = reading.value.system.description
    assert description.optimizer == "AdamW\n  twice: yes\n\nand"
    assert description.more == {"comment": "one two"}
    assert description.learning_rate == 0.0005


@pytest.mark.parametrize("line", ["@@@", "key", "]"])
def test_what_is_no_yaml_at_all_is_refused_with_its_line(line: str) -> None:
    text = METADATA.replace("# System information", line)
    reading = metadata_read(text.encode())
    assert reading.value is None
    assert reading.errors[0].line == 25
