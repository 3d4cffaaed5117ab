"""Reading a file of captions, with the line of the file on which each stands."""

import gzip
import zlib
from dataclasses import replace
from pathlib import Path

from earmark.captions.caption_lists import UnreadableFile
from earmark.captions.faults import ReadResult
from earmark.captions.file_layout import REFERENCE_LIMITS
from earmark.captions.references import read_placed_references
from earmark.datasets.findings.checked_captions import PlacedCaption

# That a caption is too long is a finding, not a fault of the file. Beyond this a row is broken.
LIMITS = replace(REFERENCE_LIMITS, max_caption_chars=100_000)


def read_captions_file(path: Path) -> ReadResult[dict[PlacedCaption, int]]:
    """Captions of a CSV, JSON or JSONL file (also with .gz) in the forms of references.

    They are in the file's order of clips, each with its line. That a clip has one caption only is
    no fault here. Raises ``UnreadableFile``.
    """
    name = path.name.removesuffix(".gz")
    reading = read_placed_references(_content(path), file_name=name, limits=LIMITS)
    placed = reading.value
    if placed is None:
        return ReadResult(None, reading.faults)
    lines = {
        PlacedCaption(clip.file_name, number, text): line
        for clip, of_clip in zip(placed.references.clips, placed.lines, strict=True)
        for number, (text, line) in enumerate(zip(clip.references, of_clip, strict=True), 1)
    }
    return ReadResult(lines, reading.faults)


def _content(path: Path) -> bytes:
    try:
        if path.suffix != ".gz":
            return path.read_bytes()
        with gzip.open(path) as file:
            return file.read(LIMITS.max_bytes + 1)
    except OSError as error:
        raise UnreadableFile(path, error.strerror or str(error)) from error
    except (EOFError, zlib.error) as error:
        raise UnreadableFile(path, str(error)) from error
