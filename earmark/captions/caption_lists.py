"""Reading captions alone, without references: columns of a table or lines of a text."""

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from earmark.errors import ScoringError

_TABLES = (".csv", ".tsv")


class NoCaptions(ScoringError):
    """A file in which no caption is found."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no caption in {path}. Use a CSV file with a column caption_predicted, "
            "caption, raw_text or caption_1..n, or a text file with one caption per line."
        )
        self.path = path


class UnreadableFile(ScoringError):
    """A file that cannot be read."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"Cannot read {path}: {reason}. Check the path and the encoding.")
        self.path = path


@dataclass(frozen=True, slots=True)
class NumberedCaption:
    """Caption with the line of the file on which it ends, from 1; the text may be empty."""

    line: int
    text: str


def read_captions(path: Path) -> list[str]:
    """Read the captions of a table (raw_text, or every caption column) or of a text file.

    A table has commas or tabs and one of the suffixes .csv and .tsv; ``.gz``
    is unpacked. Empty cells and lines are left out. Raises ``NoCaptions`` or
    ``UnreadableFile``.
    """
    return [caption.text for caption in read_numbered_captions(path) if caption.text]


def read_numbered_captions(path: Path) -> list[NumberedCaption]:
    """Read what ``read_captions`` reads with its lines, the empty ones among them."""
    text = read_text(path)
    numbered = _table_captions(text) if is_table(path) else enumerate(text.splitlines(), 1)
    try:
        captions = [NumberedCaption(line, caption.strip()) for line, caption in numbered]
    except csv.Error as error:  # a cell of more than 131,072 characters
        raise UnreadableFile(path, str(error)) from error
    if not any(caption.text for caption in captions):
        raise NoCaptions(path)
    return captions


def is_table(path: Path) -> bool:
    """Whether a file is read as a table, by its name."""
    return any(suffix.lower() in _TABLES for suffix in path.suffixes[-2:])


def read_text(path: Path) -> str:
    """Read a file in UTF-8, unpacked where it ends in .gz, or raise ``UnreadableFile``."""
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8-sig")
    except OSError as error:
        raise UnreadableFile(path, error.strerror or str(error)) from error
    except (UnicodeDecodeError, EOFError, zlib.error) as error:
        raise UnreadableFile(path, str(error)) from error


def _table_captions(text: str) -> Iterator[tuple[int, str]]:
    header = text.partition("\n")[0]
    delimiter = "\t" if header.count("\t") > header.count(",") else ","
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    for row in rows:
        if "raw_text" in row:
            yield rows.line_num, row["raw_text"] or ""
        else:
            yield from (
                (rows.line_num, cell)
                for name, cell in row.items()
                if isinstance(name, str) and name.startswith("caption") and isinstance(cell, str)
            )
