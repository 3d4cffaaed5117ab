"""Lines of a file of any size, one after another."""

from collections.abc import Iterator
from typing import IO

from annotation.formats.records import RecordFault, Skipped

LONGEST_LINE = 1_000_000
_BOM = "\ufeff"


def numbered_lines(file: IO[bytes]) -> Iterator[tuple[int, str] | Skipped]:
    r"""Give line numbers from 1 and lines without their ``\n``; empty ones are left out.

    Only ``\n`` ends a line: captions may hold other line ends. A line that is not
    UTF-8 or longer than ``LONGEST_LINE`` bytes is skipped.
    """
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            while line and not line.endswith(b"\n"):
                line = file.readline(LONGEST_LINE)
            yield Skipped(number, "", "The line is longer than 1 MB.", "Split the record.")
            continue
        try:
            text = line.removesuffix(b"\n").decode()
        except UnicodeDecodeError:
            fault = RecordFault(
                "The line is not UTF-8.", value=line[:80], fix="Save the file as UTF-8."
            )
            yield Skipped.because(number, fault)
            continue
        text = text.removeprefix(_BOM) if number == 1 else text
        if text.strip():
            yield number, text
