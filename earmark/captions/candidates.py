"""Reading and checking a system's captions against the clips of the references."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from earmark.captions.caption_checks import check_caption
from earmark.captions.clip_names import ClipNames, name_key
from earmark.captions.corpus import Candidates, References
from earmark.captions.csv_records import read_table
from earmark.captions.decoding import decode
from earmark.captions.faults import FaultLog, ReadResult, count_of, in_quotes, repeats_text
from earmark.captions.file_layout import (
    CANDIDATE_LIMITS,
    PREDICTIONS,
    CaptionCell,
    CaptionRecord,
    CaptionRecords,
    Limits,
)
from earmark.captions.json_records import detect_format, read_documents

MAX_MISSING_LISTED = 20


def read_candidates(
    data: bytes, references: References, *, file_name: str = "", limits: Limits = CANDIDATE_LIMITS
) -> ReadResult[Candidates]:
    """Read a predictions file and list everything that is wrong with it.

    CSV (comma or tab), JSON or JSONL; ``file_name`` helps to tell them apart.
    The captions come back in the order of the references, as written. No
    content makes this raise, and no content takes more than linear time.
    """
    faults = FaultLog()
    captions: dict[int, tuple[str, ...]] = {}
    with faults.listed():
        text = decode(data, faults, limits.max_bytes)
        if text is not None:
            captions = _captions(text, file_name, references, limits, faults)
    return faults.reading(_in_order(captions, len(references)))


def _captions(
    text: str, file_name: str, references: References, limits: Limits, faults: FaultLog
) -> dict[int, tuple[str, ...]]:
    """The captions of each clip, by its place in the references."""
    names = ClipNames(references.file_names)
    form = detect_format(text, file_name)
    if form == "csv":
        records = read_table(text, PREDICTIONS, limits, names, faults)
    else:
        records = read_documents(text, form, PREDICTIONS, limits, faults)
    matching = _Matching(names, limits, faults)
    captions = matching.run(records)
    matching.check_coverage(records, references.file_names)
    return captions


def _in_order(captions: dict[int, tuple[str, ...]], clips: int) -> Candidates | None:
    if len(captions) < clips:
        return None
    return Candidates(tuple(captions[index] for index in range(clips)))


@dataclass(frozen=True, slots=True)
class _FirstRow:
    """The first row of a clip, and its captions as they are compared (None: unreadable)."""

    line: int
    texts: tuple[str, ...] | None


@dataclass
class _Matching:
    names: ClipNames
    limits: Limits
    faults: FaultLog
    first_rows: dict[int, _FirstRow] = field(default_factory=dict)
    captions: dict[int, tuple[str, ...]] = field(default_factory=dict)
    repeats: list[CaptionRecord] = field(default_factory=list)
    unknown: int = 0

    def run(self, records: CaptionRecords) -> dict[int, tuple[str, ...]]:
        for record in records.items:
            self._add(record)
        if self.repeats:
            self.faults.warning(
                f"{repeats_text(len(self.repeats))}; this is the first. Each clip is scored once.",
                self.repeats[0].line,
                value=self.repeats[0].name,
            )
        return self.captions

    def _add(self, record: CaptionRecord) -> None:
        if not record.name.strip():
            self.faults.error("The file name is empty. Write the name of the clip.", *record.place)
            return
        index = self.names.find(record.name)
        if index is None:
            index = self._unknown(record)
            if index is None or index in self.first_rows:
                return
        first = self.first_rows.get(index)
        texts = None if record.captions is None else _texts(record.captions)
        if first is not None:
            self._again(first, record, texts)
            return
        self.first_rows[index] = _FirstRow(record.line, texts)
        if record.captions is not None:
            captions = self._checked(record.line, record.captions)
            if captions:
                self.captions[index] = captions

    def _unknown(self, record: CaptionRecord) -> int | None:
        """Note a name that no clip has; the clip that it is of, where that is certain."""
        if record.name.strip() == record.name_column:
            self.unknown += 1
            self.faults.error("This repeats the header. Remove it.", record.line, value=record.name)
            return None
        nearest = self.names.nearest(record.name)
        cause = _cause(record.name, nearest) if nearest else ""
        fix = f"Did you mean {in_quotes(nearest)}?" if nearest else "Remove the row."
        message = f"No clip of the references has this name. {fix}"
        self.faults.error(message, *record.place, cause=cause)
        if nearest and cause:
            return self.names.find(nearest)
        self.unknown += 1
        return None

    def _again(
        self, first: _FirstRow, record: CaptionRecord, texts: tuple[str, ...] | None
    ) -> None:
        if first.texts is None or texts is None:
            self.faults.error(
                f"This clip is already in line {first.line}. Keep one of the two rows.",
                *record.place,
            )
            return
        if first.texts == texts:
            self.repeats.append(record)
            return
        self.faults.error(
            f"This clip has different captions: {_listing(first.texts)} in line {first.line} and"
            f" {_listing(texts)} in line {record.line}. Keep one of the two rows.",
            *record.place,
        )

    def _checked(self, line: int, cells: Sequence[CaptionCell]) -> tuple[str, ...]:
        """Check one clip's candidates; blank ones are allowed after the last."""
        count = len(cells)
        while count and not cells[count - 1].text.strip():
            count -= 1
        if count == 0:
            column = cells[0].column if cells else PREDICTIONS.single[0]
            self.faults.error(
                "The caption is empty. Every clip needs a caption with words.", line, column
            )
            return ()
        if count > self.limits.max_candidates:
            self.faults.error(
                f"The clip has {count} candidates and the limit is {self.limits.max_candidates}."
                " Keep the best ones.",
                line,
            )
            # What is over the limit is not worth a fault of its own, nor the time.
            count = self.limits.max_candidates
        for number, cell in enumerate(cells[:count], start=1):
            if cell.text.strip():
                check_caption(cell.text, line, cell.column, self.limits, self.faults)
                self._look_for_rows(line, cell)
            else:
                self.faults.error(
                    f"Candidate {number} is empty, but a later one is not. Move the later ones up.",
                    line,
                    cell.column,
                )
        return tuple(cell.text for cell in cells[:count])

    def _look_for_rows(self, line: int, cell: CaptionCell) -> None:
        """Notice a caption that swallowed the rows after it."""
        _, *further = cell.text.splitlines()
        swallowed = sum(1 for text in further if self._starts_row(text))
        if swallowed:
            self.faults.error(
                f"This caption holds {count_of(swallowed, 'row')} of the file. A closing quote is"
                f" missing in line {line}, or one is too many further down.",
                line,
                cell.column,
                cell.text,
            )

    def _starts_row(self, text: str) -> bool:
        return any(
            self.names.find(text.partition(mark)[0].strip('"')) is not None
            for mark in (",", "\t")
            if mark in text
        )

    def check_coverage(self, records: CaptionRecords, file_names: Sequence[str]) -> None:
        """Report the clips without a row, and a file that belongs to other clips."""
        if records.items and self.unknown == len(records.items):
            self.faults.error(
                "None of the file names belongs to the references. Check that this is the right"
                " split."
            )
        if not records.complete:
            return
        if not records.items:
            self.faults.error("The file has no rows. Write one row per clip under the header.")
            return
        missing = [name for index, name in enumerate(file_names) if index not in self.first_rows]
        listed = missing if len(missing) <= MAX_MISSING_LISTED else missing[:MAX_MISSING_LISTED]
        for name in listed:
            self.faults.error(
                "This clip has no row. Add a row with its caption.", column="file_name", value=name
            )
        if len(missing) > len(listed):
            self.faults.error(
                f"{count_of(len(missing) - len(listed), 'further clip')} without a row. Add a row"
                " for each.",
                column="file_name",
            )


def _cause(name: str, meant: str) -> str:
    """Why a name is not that of its clip, where all names of a file may be so; else nothing."""
    name, meant = name_key(name), name_key(meant)
    ending = meant.removeprefix(name)
    if ending != meant and ending.startswith("."):
        return f"The file names lack {in_quotes(ending)}. Add it to each of them."
    folder = name.removesuffix(meant)
    if folder != name and folder.endswith(("/", "\\")):
        return f"The file names have the folder {in_quotes(folder)} in front. Leave it out."
    return ""


def _texts(cells: Sequence[CaptionCell]) -> tuple[str, ...]:
    """Captions for comparison: without outer white space and blank ends."""
    texts = [cell.text.strip() for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return tuple(texts)


def _listing(captions: Sequence[str]) -> str:
    return " / ".join(in_quotes(caption) for caption in captions[:3]) or "none"
