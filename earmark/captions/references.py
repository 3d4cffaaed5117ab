"""Reading and checking the references of a corpus."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from earmark.captions.caption_checks import check_caption
from earmark.captions.clip_names import name_key
from earmark.captions.corpus import Clip, References
from earmark.captions.csv_records import read_table
from earmark.captions.decoding import decode
from earmark.captions.faults import FaultLog, ReadResult, count_of, in_quotes, repeats_text
from earmark.captions.file_layout import (
    REFERENCE_LIMITS,
    REFERENCES,
    CaptionRecord,
    Limits,
)
from earmark.captions.json_records import detect_format, read_documents

MAX_SINGLE_LISTED = 20
_UNUSABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def read_references(
    data: bytes, *, file_name: str = "", limits: Limits = REFERENCE_LIMITS
) -> ReadResult[References]:
    """Read the references of a corpus and list everything that is wrong with them.

    CSV (comma or tab) with the header of Clotho (``file_name,caption_1..n`` or
    ``caption_reference_01..n``), Clotho in long form (``fname,raw_text``),
    AudioCaps (``youtube_id,...,caption``; the clip's name is the youtube_id),
    or JSON or JSONL; ``file_name`` helps to tell them apart. Clips keep the
    order in which they first appear, names and captions are kept as written.
    Any number of references from one up, not the same for every clip; one is
    a warning. No content makes this raise or takes more than linear time.
    """
    clips = _read(data, file_name, limits)
    return clips.faults.reading(References(clips.build()))


def read_reference_lines(
    data: bytes, *, file_name: str = "", limits: Limits = REFERENCE_LIMITS
) -> ReadResult[tuple[tuple[int, Clip], ...]]:
    """Read what ``read_references`` reads, each clip with the line on which it first stands."""
    clips = _read(data, file_name, limits)
    lines = (entry.first.line for entry in clips.entries.values())
    return clips.faults.reading(tuple(zip(lines, clips.build(), strict=True)))


@dataclass(frozen=True, slots=True)
class PlacedReferences:
    """References, and the line of the file on which each stands: ``lines[clip][reference]``."""

    references: References
    lines: tuple[tuple[int, ...], ...]


def read_placed_references(
    data: bytes, *, file_name: str = "", limits: Limits = REFERENCE_LIMITS
) -> ReadResult[PlacedReferences]:
    """Read what ``read_references`` reads, with lines; one reference a clip is no warning."""
    clips = _read(data, file_name, limits, warns_of_single=False)
    return clips.faults.reading(PlacedReferences(References(clips.build()), clips.lines()))


def _read(data: bytes, file_name: str, limits: Limits, *, warns_of_single: bool = True) -> "_Clips":
    faults = FaultLog()
    clips = _Clips(limits, faults, warns_of_single)
    with faults.listed():
        text = decode(data, faults, limits.max_bytes)
        if text is not None:
            _read_clips(text, file_name, limits, faults, clips)
    return clips


def _read_clips(
    text: str, file_name: str, limits: Limits, faults: FaultLog, clips: "_Clips"
) -> None:
    form = detect_format(text, file_name)
    if form == "csv":
        records = read_table(text, REFERENCES, limits, None, faults)
    else:
        records = read_documents(text, form, REFERENCES, limits, faults)
    for record in records.items:
        clips.add(record)
    clips.check()
    if records.complete and not records.items:
        faults.error("The file has no rows. Write one row per clip under the header.")


@dataclass
class _Entry:
    first: CaptionRecord
    texts: tuple[str, ...]
    captions: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    readable: bool = True


@dataclass
class _Clips:
    limits: Limits
    faults: FaultLog
    warns_of_single: bool = True
    entries: dict[str, _Entry] = field(default_factory=dict)
    repeats: list[CaptionRecord] = field(default_factory=list)

    def add(self, record: CaptionRecord) -> None:
        """Add a record to its clip."""
        if not self._check_name(record):
            return
        key = name_key(record.name)
        texts = tuple(text for cell in record.captions or () if (text := cell.text.strip()))
        entry = self.entries.get(key)
        if entry is None:
            entry = self.entries[key] = _Entry(record, texts)
        elif not (record.pooled and entry.first.pooled):
            self._again(entry, record, texts)
            return
        if record.captions is None:
            entry.readable = False
            return
        for cell in record.captions:
            if cell.text.strip():
                check_caption(cell.text, record.line, cell.column, self.limits, self.faults)
                entry.captions.append(cell.text)
                entry.lines.append(record.line)

    def _check_name(self, record: CaptionRecord) -> bool:
        if not name_key(record.name):
            self.faults.error("The file name is empty. Write the name of the clip.", *record.place)
            return False
        if _UNUSABLE.search(record.name):
            self.faults.error(
                "The file name holds a control character or a line break. Remove it.", *record.place
            )
        return True

    def _again(self, entry: _Entry, record: CaptionRecord, texts: tuple[str, ...]) -> None:
        first = entry.first
        readable = first.captions is not None and record.captions is not None
        if readable and entry.texts == texts:
            self.repeats.append(record)
            return
        self.faults.error(
            f"This clip is already in line {first.line} with other references (here:"
            f" {in_quotes(texts[0]) if texts else 'none'}, there:"
            f" {in_quotes(entry.texts[0]) if entry.texts else 'none'}). Keep one of the rows.",
            *record.place,
        )

    def check(self) -> None:
        """Report clips with too few or too many references, and repeated rows."""
        single = []
        for entry in self.entries.values():
            count = len(entry.captions)
            if count == 1:
                single.append(entry)
            elif count == 0 and entry.readable:
                self._report(entry, "The clip has no reference. Add at least two, or remove it.")
            elif count > self.limits.max_candidates:
                self._report(
                    entry,
                    f"The clip has {count:,} references and the limit is"
                    f" {self.limits.max_candidates}. Remove some.",
                )
        if self.warns_of_single:
            self._warn_single([entry for entry in single if entry.readable])
        if self.repeats:
            self.faults.warning(
                f"{repeats_text(len(self.repeats))}; this is the first. Each is read once.",
                self.repeats[0].line,
                value=self.repeats[0].name,
            )

    def _report(self, entry: _Entry, message: str) -> None:
        first = entry.first
        self.faults.error(message, *first.place)

    def _warn_single(self, entries: Sequence[_Entry]) -> None:
        for entry in entries[:MAX_SINGLE_LISTED]:
            first = entry.first
            self.faults.warning(
                "The clip has only one reference. Scores are steadier with two or more.",
                *first.place,
            )
        further = len(entries) - MAX_SINGLE_LISTED
        if further > 0:
            noun = count_of(further, "further clip")
            self.faults.warning(f"{noun} with only one reference.")

    def build(self) -> tuple[Clip, ...]:
        """Clips in the order in which they first appear."""
        return tuple(
            Clip(entry.first.name, tuple(entry.captions)) for entry in self.entries.values()
        )

    def lines(self) -> tuple[tuple[int, ...], ...]:
        """Lines of the captions of each clip."""
        return tuple(tuple(entry.lines) for entry in self.entries.values())
