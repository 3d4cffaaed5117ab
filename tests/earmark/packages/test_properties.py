"""Protect the reading of metadata against every text, and its writing against every value."""

import io
import json
import zipfile

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from earmark.packages.metadata_fields import FIELD_PLACES, characteristics_of
from earmark.packages.metadata_files import metadata_of, metadata_read, metadata_write
from earmark.packages.reading import File, package_read
from tests.earmark.packages.files import CSV, METADATA, package

KEYS = st.one_of(st.sampled_from(sorted(FIELD_PLACES)), st.text(max_size=12))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True),
    st.text(max_size=40),
    st.sampled_from(["98M", "No", "!!null", "null", "1,5", "4e-6", "0x1F", "12:30", "- a", "a: b"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=12,
)
LINES = METADATA.split("\n")


@st.composite
def bent_files(draw: st.DrawFn) -> str:
    """A good file with lines shifted, left out, doubled or changed."""
    lines = list(LINES)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(lines) - 1))
        how = draw(st.sampled_from(["left", "right", "tab", "out", "twice", "text"]))
        line = lines[at]
        if how == "left":
            lines[at] = line.removeprefix(" ")
        elif how == "right":
            lines[at] = " " * draw(st.integers(1, 3)) + line
        elif how == "tab":
            lines[at] = line.replace("  ", "\t", 1)
        elif how == "out":
            lines[at] = ""
        elif how == "twice":
            lines.insert(at, line)
        else:
            cut = draw(st.integers(0, len(line)))
            lines[at] = line[:cut] + draw(st.text(max_size=5)) + line[cut:]
    return "\n".join(lines)


def reads_back_equal(data: bytes) -> None:
    found = metadata_read(data).value
    if found is None:
        return
    again = metadata_read(metadata_write(found).encode())
    assert again.value == found, again.faults
    json.dumps(found.to_dict(), allow_nan=False)
    stored = metadata_of(found.to_dict()).value
    assert stored == found
    characteristics_of(found.to_dict())


@given(data=st.binary(max_size=300))
def test_no_bytes_make_reading_raise(data: bytes) -> None:
    reading = metadata_read(data)
    assert (reading.value is None) == bool(reading.errors)
    reads_back_equal(data)


@given(text=bent_files())
@settings(max_examples=60, deadline=None)
def test_a_bent_file_is_understood_or_refused_with_its_line(text: str) -> None:
    data = text.encode(errors="surrogatepass")
    reading = metadata_read(data)
    if reading.value is None:
        assert reading.errors[0].line is not None
    reads_back_equal(data)


@given(value=st.dictionaries(KEYS, VALUES, max_size=8))
@settings(max_examples=60, deadline=None)
def test_what_was_read_is_written_and_reads_back_equal(value: dict[str, object]) -> None:
    try:
        text = yaml.safe_dump(value, allow_unicode=True)
    except (yaml.YAMLError, UnicodeError):
        return
    reads_back_equal(text.encode(errors="surrogatepass"))


@given(value=st.dictionaries(KEYS, VALUES, max_size=8))
@example(value={"submission": [[{"acoustic_features": None}], None]})
@settings(deadline=None)
def test_stored_values_of_any_shape_are_read(value: dict[str, object]) -> None:
    found = metadata_of(value).value
    assert found is not None
    assert metadata_of(found.to_dict()).value == found
    characteristics_of(value)


@given(data=st.binary(max_size=200))
def test_no_bytes_make_an_archive_do_more_than_refuse(data: bytes) -> None:
    found = package_read(File("p.zip", b"PK\x03\x04" + data))
    assert found.captions is None
    assert found.errors


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@given(at=st.integers(0, 400), byte=st.integers(0, 255))
@settings(max_examples=100, deadline=None)
def test_an_archive_of_any_compression_is_refused_in_words(method: int, at: int, byte: int) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        made.writestr("captions.csv", CSV * 20)
    whole = bytearray(file.getvalue())
    whole[at % len(whole)] = byte
    found = package_read(File("p.zip", bytes(whole)))
    assert (found.captions is not None) or found.errors


@given(at=st.integers(0, len(package()) - 1), byte=st.integers(0, 255))
@settings(max_examples=100, deadline=None)
def test_a_damaged_package_is_read_or_refused(at: int, byte: int) -> None:
    whole = package()
    found = package_read(File("p.zip", whole[:at] + bytes([byte]) + whole[at + 1 :]))
    assert (found.captions is not None) or found.errors
