"""A pool of clips to choose from: a table of their names, tags, durations and groups."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from earmark.captions.csv_rows import CsvRow, read_rows
from earmark.captions.decoding import decode
from earmark.captions.faults import Fault, FaultLog, count_of, in_quotes

MAX_BYTES = 500_000_000
DELIMITERS = ",\t;"
NAMES = ("file_name", "fname", "filename", "youtube_id", "ytid")
TAGS = ("tags", "keywords", "labels", "positive_labels")
DURATIONS = ("duration", "duration_seconds", "seconds")
# What the command calls what can be set; a page has other names for it.
OPTIONS: Mapping[str, str] = {
    "count": "--count",
    "seed": "--seed",
    "restarts": "--restarts",
    "shortest": "--shortest",
    "longest": "--longest",
    "durations": "--shortest, --longest and --duration-shares",
    "duration_shares": "--duration-shares",
    "duration_column": "or name it with --duration-column",
    "group_column": "--group-column",
    "most_per_group": "--most-per-group",
    "fewest_clips": "--min-tag-clips",
    "least_share": "--min-tag-share",
    "excluded_tags": "--exclude-tags",
    "skip_untagged": "--skip-untagged",
}
# AudioSet's lists of segments have two, and the header as a third.
_COMMENTS = 10
_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class PoolClip:
    """One clip: its line in the file, its name, its tags (each once), seconds and group.

    ``seconds`` is None where the file says nothing, and NaN where it says no duration.
    """

    line: int
    name: str
    tags: tuple[str, ...]
    seconds: float | None = None
    group: str = ""


@dataclass(frozen=True)
class ClipPool:
    """All clips in the order of the file, and the columns that durations and groups are from."""

    clips: tuple[PoolClip, ...]
    duration_column: str = ""
    group_column: str = ""

    def __len__(self) -> int:
        return len(self.clips)


@dataclass(frozen=True, slots=True)
class PoolReading:
    """What a file gave: as much of the pool as could be read, and its faults by line.

    With a fault the pool is not to be chosen from; it serves to find what else is wrong.
    """

    pool: ClipPool | None
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class PoolColumns:
    """Which columns hold what, and what is between the tags of a cell.

    An empty name means the first of the usual names (``NAMES``, ``TAGS``, ``DURATIONS``) that
    the header has, in whatever case; groups are only read where their column is named.
    ``names`` is what whoever sends the table knows these by.
    """

    name: str = ""
    tags: str = ""
    duration: str = ""
    group: str = ""
    separator: str = ";"
    skip_untagged: bool = False
    names: Mapping[str, str] = field(default_factory=lambda: OPTIONS, compare=False)


@dataclass(frozen=True, slots=True)
class _Places:
    labels: tuple[str, ...]
    name: int
    tags: int
    duration: int | None
    group: int | None


def read_pool(data: bytes, columns: PoolColumns) -> PoolReading:
    """Read a table with commas, tabs or semicolons, in UTF-8, or list all its faults.

    Tags are compared without regard to case and to the width of spaces. A clip without tags
    is a fault unless ``skip_untagged`` leaves it out.
    """
    faults = FaultLog()
    pool = None
    with faults.listed():
        text = decode(data, faults, MAX_BYTES)
        if text is not None:
            pool = _pool(text, columns, faults)
    return PoolReading(pool, faults.reading(None).faults)


def _pool(text: str, columns: PoolColumns, faults: FaultLog) -> ClipPool | None:
    rows = read_rows(text, _delimiter(text), faults)
    places = _header(rows, columns, faults)
    if places is None:
        return None
    clips = tuple(_clips(rows, places, columns, faults))
    if not clips and not faults.failed:
        faults.error("The pool has no clips. Write one row per clip.")
    _check_names(clips, places.labels[places.name], faults)
    labels = (
        "" if place is None else places.labels[place] for place in (places.duration, places.group)
    )
    return ClipPool(clips, *labels)


def _delimiter(text: str) -> str:
    """What separates the fields of the header, or of the first row where comments hold it."""
    lines = text.lstrip().split("\n", _COMMENTS)
    header = next((line for line in lines[:_COMMENTS] if not line.startswith("#")), lines[0])
    return max(DELIMITERS, key=header.count)


def _header(rows: Iterator[CsvRow], columns: PoolColumns, faults: FaultLog) -> _Places | None:
    """Find the columns in the first row that has them; comments before it are passed over."""
    first: CsvRow | None = None
    for row in rows:
        labels = tuple(field.strip().lstrip("# ") for field in row.fields)
        first = first or row
        if _place(labels, columns.name, NAMES) is not None or not row.fields[0].startswith("#"):
            return _places(labels, row.line, columns, faults)
    faults.error(
        f"There is no header. The first line names the columns: {NAMES[0]},{TAGS[0]}",
        first.line if first else 1,
    )
    return None


def _places(
    labels: tuple[str, ...], line: int, columns: PoolColumns, faults: FaultLog
) -> _Places | None:
    wanted = (
        *((columns.name, NAMES, NAMES[0]), (columns.tags, TAGS, TAGS[0])),
        *((columns.duration, DURATIONS, ""), (columns.group, (), "")),
    )
    places = [_place(labels, asked, usual) for asked, usual, _ in wanted]
    for place, (asked, _, needed) in zip(places, wanted, strict=True):
        if place is None and (asked or needed):
            faults.error(
                f"The header has no column {in_quotes(asked or needed)}. Rename the column, or"
                " name the right one.",
                line,
                asked or needed,
                ",".join(labels),
            )
    name, tags, duration, group = places
    if name is None or tags is None or faults.failed:
        return None
    return _Places(labels, name, tags, duration, group)


def _place(labels: Sequence[str], wanted: str, usual: Sequence[str]) -> int | None:
    if wanted:
        return labels.index(wanted) if wanted in labels else None
    lower = [label.lower() for label in labels]
    return next((lower.index(name) for name in usual if name in lower), None)


def _clips(
    rows: Iterator[CsvRow], places: _Places, columns: PoolColumns, faults: FaultLog
) -> Iterator[PoolClip]:
    width = len(places.labels)
    for row in rows:
        if row.broken:
            continue
        if len(row.fields) != width:
            faults.error(
                f"The row has {count_of(len(row.fields), 'field')} and the header has {width}. "
                "Put cells that contain the separator in double quotes.",
                row.line,
                value=",".join(row.fields[:10]),
            )
            continue
        clip = _clip(row, places, columns, faults)
        if clip.tags or not columns.skip_untagged:
            yield clip


def _clip(row: CsvRow, places: _Places, columns: PoolColumns, faults: FaultLog) -> PoolClip:
    name = row.fields[places.name].strip()
    tags = split_tags(row.fields[places.tags], columns.separator)
    if not name:
        faults.error(
            "The clip has no name. Write the name of its file, or remove the row.",
            row.line,
            places.labels[places.name],
        )
    if not tags and not columns.skip_untagged:
        faults.error(
            "The clip has no tags. Write them, or leave clips without tags out"
            f" ({columns.names['skip_untagged']}).",
            row.line,
            places.labels[places.tags],
            row.fields[places.tags],
        )
    seconds = None if places.duration is None else _seconds(row, places, places.duration, faults)
    group = "" if places.group is None else row.fields[places.group].strip()
    return PoolClip(row.line, name, tags, seconds, group)


def split_tags(cell: str, separator: str) -> tuple[str, ...]:
    """Tags of a cell as they are compared, each once."""
    tags = (_SPACE.sub(" ", tag).strip().casefold() for tag in cell.split(separator))
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def _seconds(row: CsvRow, places: _Places, place: int, faults: FaultLog) -> float | None:
    written = row.fields[place].strip()
    if not written:
        return None
    seconds = float(written) if _NUMBER.fullmatch(written) else math.nan
    if math.isfinite(seconds) and seconds > 0:
        return seconds
    faults.error(
        "The duration is not a number of seconds above 0. Write it in seconds with a decimal "
        "point, such as 22.5, or leave the cell empty.",
        row.line,
        places.labels[place],
        written,
    )
    return math.nan


def _check_names(clips: Sequence[PoolClip], column: str, faults: FaultLog) -> None:
    lines: dict[str, int] = {}
    for clip in clips:
        first = lines.setdefault(clip.name, clip.line)
        if clip.name and first != clip.line:
            faults.error(
                f"The clip is already in line {first}. Remove one of the rows.",
                clip.line,
                column,
                clip.name,
            )
