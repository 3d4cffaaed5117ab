"""Read metadata that must be understood, and bend the good file in one place."""

from earmark.captions import Fault, ReadResult
from earmark.packages.metadata import Metadata
from earmark.packages.metadata_files import metadata_read
from tests.earmark.packages.files import METADATA


def read(text: str | bytes) -> ReadResult[Metadata]:
    return metadata_read(text.encode() if isinstance(text, str) else text, file="m.yaml")


def understood(text: str | bytes) -> tuple[Metadata, list[Fault]]:
    """Read what must be understood."""
    reading = read(text)
    assert reading.value is not None, reading.faults
    return reading.value, list(reading.warnings)


def bent(old: str, new: str) -> tuple[Metadata, list[Fault]]:
    """Read the good file with one place bent."""
    assert METADATA.count(old) == 1, old
    return understood(METADATA.replace(old, new))


def told(faults: list[Fault]) -> list[tuple[str | None, str, str]]:
    return [(fault.column, fault.value, fault.message) for fault in faults]


GOOD = understood(METADATA)[0]
