"""Layout of caption files: columns or JSON keys, limits, and the records read from them."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from earmark.captions.faults import FaultLog, in_quotes


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper limits for one file.

    ``max_candidates`` is the number of captions per clip: candidates in a
    predictions file, references in a references file.
    """

    max_bytes: int = 20_000_000
    max_rows: int = 100_000
    max_caption_chars: int = 1_000
    max_candidates: int = 20


CANDIDATE_LIMITS = Limits()
REFERENCE_LIMITS = Limits(
    max_bytes=100_000_000, max_rows=1_000_000, max_caption_chars=2_000, max_candidates=100
)


@dataclass(frozen=True, slots=True)
class CaptionCell:
    """One caption as written, and the column or key where it stands."""

    column: str
    text: str


@dataclass(frozen=True, slots=True)
class CaptionRecord:
    """One row or JSON item.

    ``captions`` is None where they could not be read (already reported).
    ``pooled`` says that the format spreads a clip's references over several
    records.
    """

    line: int
    name: str
    name_column: str
    captions: tuple[CaptionCell, ...] | None
    pooled: bool = False

    @property
    def place(self) -> tuple[int, str, str]:
        """Line, column and value of a fault in the clip's name."""
        return self.line, self.name_column, self.name


@dataclass(frozen=True, slots=True)
class CaptionRecords:
    """All records, and whether the file was read to its end."""

    items: tuple[CaptionRecord, ...]
    complete: bool = True


@dataclass(frozen=True)
class Layout:
    """Names of the columns of one kind of file.

    ``single`` names the column of a file with one caption per row, ``numbered``
    matches those of a file with several; ``listed`` the JSON keys that hold a
    list. ``ignored`` columns belong to known formats and are not read;
    ``strict`` refuses any other column.
    """

    what: str
    header: str
    names: tuple[str, ...]
    single: tuple[str, ...]
    numbered: re.Pattern[str]
    listed: tuple[str, ...]
    example: str
    ignored: frozenset[str] = frozenset()
    strict: bool = False

    def number(self, column: str) -> int | None:
        """Number at the end of a numbered caption column, or None."""
        match = self.numbered.fullmatch(column)
        return int(match.group(1)) if match else None


PREDICTIONS = Layout(
    what="predictions",
    header="file_name,caption_predicted",
    names=("file_name",),
    single=("caption_predicted",),
    numbered=re.compile(r"caption_predicted_([0-9]{1,4})"),
    listed=("caption_predicted", "captions_predicted"),
    example='{"file_name": "dog.wav", "caption_predicted": "a dog barks"}',
    strict=True,
)

REFERENCES = Layout(
    what="references",
    header="file_name,caption_1,caption_2,caption_3,caption_4,caption_5",
    names=("file_name", "fname", "youtube_id"),
    single=("raw_text", "caption"),
    numbered=re.compile(r"caption_(?:reference_)?([0-9]{1,4})"),
    listed=("captions", "references"),
    example='{"file_name": "dog.wav", "captions": ["A dog barks.", "A dog is barking."]}',
    ignored=frozenset({"text", "audiocap_id", "start_time"}),
)


@dataclass(frozen=True, slots=True)
class Roles:
    """Which columns hold what, as positions; captions in the order of their numbers."""

    name: int | None
    captions: tuple[int, ...]
    numbers: tuple[int, ...]
    extra: tuple[int, ...]

    @property
    def complete(self) -> bool:
        """Whether there is a name and at least one caption."""
        return self.name is not None and bool(self.captions)


def assign_roles(columns: Sequence[str], layout: Layout) -> Roles:
    """Role of each column; ``numbers`` is empty for a single caption column."""
    name = _first_of(columns, layout.names)
    numbered = sorted(
        (number, index)
        for index, column in enumerate(columns)
        if (number := layout.number(column)) is not None
    )
    single = _first_of(columns, layout.single)
    if layout.strict and numbered and single is not None:
        numbered = sorted([(1, single), *numbered])
    if numbered:
        captions = tuple(index for _, index in numbered)
    else:
        captions = () if single is None else (single,)
    used = {name, *captions}
    extra = tuple(
        index
        for index, column in enumerate(columns)
        if index not in used and column not in layout.ignored
    )
    return Roles(name, captions, tuple(number for number, _ in numbered), extra)


def _first_of(columns: Sequence[str], wanted: Sequence[str]) -> int | None:
    return next((columns.index(name) for name in wanted if name in columns), None)


def check_numbers(
    numbers: Sequence[int], columns: Sequence[str], line: int, layout: Layout, faults: FaultLog
) -> None:
    """Report numbered caption columns that do not run 1, 2, 3 and so on."""
    if not numbers or list(numbers) == list(range(1, len(numbers) + 1)):
        return
    counts = Counter(numbers)
    expected = next(want for want in range(1, len(numbers) + 2) if want not in counts)
    repeated = next((number for number, count in counts.items() if count > 1), None)
    note = faults.error if layout.strict else faults.warning
    if repeated is not None:
        problem = f"Two caption columns have the number {repeated}."
    else:
        problem = f"There is no caption column with the number {expected}."
    fix = f"Number the caption columns 1 to {len(numbers)} without gaps."
    note(f"{problem} {fix}", line, columns[0], ", ".join(columns[:20]))


def column_names_text(columns: Sequence[str]) -> str:
    """List column names for a message."""
    return ", ".join(in_quotes(column) for column in columns)
