"""Texts that are read as a whole, within limits; and captions in a plain text, one a line."""

import io
from collections.abc import Iterator
from typing import IO

from annotation.formats.offsets import read_tokens
from annotation.formats.records import Record, RecordFault, SkippedLine, require_text
from earmark.captions.decoding import MAX_LISTED, decode, whole_refusal
from earmark.captions.faults import FaultLog

LARGEST = 100_000_000
"""Bytes of a file that is read as a whole."""


def decoded(file: IO[bytes], faults: FaultLog) -> tuple[str, frozenset[int]]:
    """A file's text and the numbers of the lines that cannot be taken; "" where none can.

    None of it is taken where characters are guessed in more lines than are told.
    """
    data = file.read(LARGEST + 1)
    text = decode(data, faults, LARGEST)
    bad = frozenset(fault.line or 1 for fault in faults.each)
    guessed = whole_refusal(data) is not None or len(bad) >= MAX_LISTED
    return "" if guessed else text or "", bad


def skipped_of(faults: FaultLog) -> Iterator[SkippedLine]:
    """The faults of a text as lines that are left out; those of the whole file are of line 1."""
    for fault in faults.each:
        yield SkippedLine(fault.line or 1, fault.value, fault.message)


def read(file: IO[bytes]) -> Iterator[Record | SkippedLine]:
    """Read a caption from each line; empty lines are left out.

    Lines end as they do anywhere, and spaces at either end stay.
    """
    faults = FaultLog()
    with faults.listed():
        text, bad = decoded(file, faults)
        for number, line in enumerate(io.StringIO(text, newline=None), 1):
            caption = line.removesuffix("\n")
            if number in bad or not caption.strip():
                continue
            try:
                yield Record(number, require_text(caption), read_tokens(None, caption))
            except RecordFault as fault:
                yield SkippedLine.because(number, fault)
    yield from skipped_of(faults)
