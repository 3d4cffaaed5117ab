"""Protect reading of metadata damaged or hostile: meant, or refused in words."""

import codecs

import pytest

from earmark.packages.metadata_files import MAX_BYTES, metadata_of, metadata_read
from tests.earmark.packages.files import METADATA
from tests.earmark.packages.metadata_reading import GOOD, bent, read, understood


@pytest.mark.parametrize(
    "encoded",
    [
        METADATA.encode("utf-8-sig"),
        codecs.BOM_UTF16_LE + METADATA.encode("utf-16-le"),
        METADATA.replace("\n", "\r\n").encode(),
        METADATA.replace("\n", "\r").encode(),
    ],
)
def test_byte_order_marks_encodings_and_line_ends_do_not_matter(encoded: bytes) -> None:
    assert understood(encoded)[0] == GOOD


def test_western_letters_are_read_and_told() -> None:
    metadata, faults = understood(METADATA.replace("Kim\n", "Müller\n").encode("cp1252"))
    assert metadata.submission.authors[0].lastname == "Müller"
    assert faults[0].line == 9
    assert "Windows-1252" in faults[0].message


def test_what_no_database_stores_is_taken_out() -> None:
    metadata, faults = bent("name: Careful listener", 'name: "Careful \\0\\ud800listener"')
    assert metadata.submission.name == "Careful listener"
    assert "left out" in faults[0].message
    metadata, faults = understood(METADATA.replace("Careful l", "Careful \x00\x1bl"))
    assert metadata == GOOD
    assert "2 characters" in faults[0].message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "The file is empty."),
        (b"# only a comment\n", "The file is empty."),
        (b"- a\n- b\n", "The file is a list, but names and values are expected."),
        (b"just words\n", "The file is a text, but names and values are expected."),
        (b"PK\x03\x04abc", "This is a zip archive and not YAML."),
        (b"a: 1\n---\nb: 2\n", "A second document begins here; keep only one."),
        (b"a: *b\n", "*b is not defined before this line."),
        (b"x" * (MAX_BYTES + 1), "and the limit is 100,000."),
        (b"a: {b: [c\n", "not closed here."),
        (b"a: 'b\n", "not closed."),
    ],
)
def test_what_cannot_be_understood_is_an_error_that_says_why(data: bytes, message: str) -> None:
    reading = read(data)
    assert reading.value is None
    (fault,) = reading.errors
    assert fault.file == "m.yaml"
    assert message in fault.message
    assert "Correct the file, or leave it out." in fault.message


@pytest.mark.parametrize(
    "bomb",
    [
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(
            f"{new}: &{new} [{','.join(f'*{old}' for _ in range(9))}]\n"
            for old, new in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "a: &a [*a]\n",
        "a: " + "[" * 50_000,
        "a: " + "{b: " * 5_000,
        "\n".join(" " * depth + "k:" for depth in range(300)),
        "[" * 90_000,
        "- " * 40_000,
        "a: [" + "x," * 40_000 + "]",
        "!!python/object/apply:os.system [echo]\n",
    ],
)
def test_bombs_are_refused_quickly_and_nothing_is_run(bomb: str) -> None:
    assert read(bomb).value is None


def test_objects_of_other_languages_are_only_text() -> None:
    metadata, _ = understood("submission:\n  name: !!python/name:os.system x\n")
    assert metadata.submission.name == "x"


def test_plain_values_are_read_like_files_but_may_stand_anywhere() -> None:
    reading = metadata_of(
        {"audio_modelling": "CNN14", "total_parameters": "98M", "external_datasets": "A, B"}
    )
    assert reading.value is not None
    assert reading.value.to_dict() == {
        "system": {
            "description": {"audio_modelling": "CNN14"},
            "complexity": {"total_parameters": 98_000_000},
            "external_datasets": [{"name": "A"}, {"name": "B"}],
        }
    }
    assert [fault.message for fault in reading.faults] == ["Read as 98000000."]


def test_tabs_before_values_and_comments_are_read_as_spaces() -> None:
    for old, new in (
        ("\n    optimizer: AdamW", "\n    optimizer:\tAdamW"),
        ("corresponding: true", "corresponding: true\t\t# the one to write to"),
        ("    # Second author", "\t\t# Second author\t"),
    ):
        metadata, faults = bent(old, new)
        assert metadata == GOOD
        assert "Tabs in 1 line" in faults[0].message


INDENT = "This line lines up with none above it. Indent it like the lines of its part."
# A line as it stands in the good file, as people write it, and why that cannot be read.
UNREADABLE = [
    ("optimizer: AdamW", "\toptimizer: AdamW", "YAML does not allow tabs for indentation."),
    ("name: Careful listener", "name: Careful: a listener", "(column 16): This value needs quotes"),
    ("optimizer: AdamW", "optimizer: @dam", "(column 16): This value needs quotes"),
    # Lines out of place: inside a part, of an item of a list, and a dash.
    ("optimizer: AdamW", " optimizer: AdamW", INDENT),
    ("complexity:", " complexity:", INDENT),
    ("location: Seoul, Korea", " location: Seoul, Korea", INDENT),
    ("- lastname: Lee", " - lastname: Lee", INDENT),
]


@pytest.mark.parametrize(("old", "new", "why"), UNREADABLE)
def test_a_line_that_yaml_does_not_allow_is_refused_with_value_and_fix(
    old: str, new: str, why: str
) -> None:
    text = METADATA.replace(old, new)
    reading = metadata_read(text.encode(), file="m.yaml")
    assert reading.value is None
    (fault,) = reading.errors
    assert fault.line == METADATA[: METADATA.index(old)].count("\n") + 1
    assert fault.value == new.strip()
    assert why in fault.message


@pytest.mark.parametrize("line", ["@@@", "key", "]"])
def test_what_is_no_yaml_at_all_is_refused_with_its_line(line: str) -> None:
    text = METADATA.replace("# System information", line)
    reading = metadata_read(text.encode())
    assert reading.value is None
    assert reading.errors[0].line == 25
