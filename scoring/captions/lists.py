"""Captions alone, without references: the columns of a table or the lines of a text."""

import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path

from scoring.errors import ScoringError

_TABLES = (".csv", ".tsv")


class NoCaptions(ScoringError):
    """A file in which no caption is found."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no caption in {path}. Give a CSV file with a column caption_predicted, "
            "caption, raw_text or caption_1..n, or a text file with a caption a line."
        )
        self.path = path


class Unreadable(ScoringError):
    """A file that cannot be read."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"Cannot read {path}: {reason}. Check the path and the encoding.")
        self.path = path


def read_captions(path: Path) -> list[str]:
    """Read the captions of a table (raw_text, or every caption column) or of a text file.

    A table has commas or tabs and one of the suffixes .csv and .tsv; ``.gz``
    is unpacked. Empty cells and lines are left out. Raises ``NoCaptions`` or
    ``Unreadable``.
    """
    text = read_text(path)
    found = _of_columns(text) if is_table(path) else iter(text.splitlines())
    captions = [caption.strip() for caption in found if caption.strip()]
    if not captions:
        raise NoCaptions(path)
    return captions


def is_table(path: Path) -> bool:
    """Say whether a file is read as a table, by its name."""
    return any(suffix.lower() in _TABLES for suffix in path.suffixes[-2:])


def read_text(path: Path) -> str:
    """Read a file in UTF-8, unpacked where it ends in .gz, or raise ``Unreadable``."""
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except OSError as error:
        raise Unreadable(path, error.strerror or str(error)) from error
    except (UnicodeDecodeError, EOFError) as error:
        raise Unreadable(path, str(error)) from error


def _of_columns(text: str) -> Iterator[str]:
    header = text.partition("\n")[0]
    delimiter = "\t" if header.count("\t") > header.count(",") else ","
    for row in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter):
        if "raw_text" in row:
            yield row["raw_text"] or ""
        else:
            yield from (
                cell
                for name, cell in row.items()
                if isinstance(name, str) and name.startswith("caption") and isinstance(cell, str)
            )
