"""What every format is read into before it is checked against the clips."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One caption as written, and the column or key where it stands."""

    column: str
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """One row or JSON item.

    ``captions`` is None where they could not be read (already reported).
    ``pooled`` says that the format spreads a clip's references over several
    records.
    """

    line: int
    name: str
    name_column: str
    captions: tuple[Cell, ...] | None
    pooled: bool = False


@dataclass(frozen=True, slots=True)
class Records:
    """All records, and whether the file was read to its end."""

    items: tuple[Record, ...]
    complete: bool = True
