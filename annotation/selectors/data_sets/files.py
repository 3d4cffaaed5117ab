"""Files of a data set: tables, JSON lines, and a folder in the layout of Hugging Face."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotation.models import DataSet
from annotation.selectors.data_sets.clips import CaptionedClip, captioned_clips
from annotation.selectors.formats import Download, clotho_lines, text_download
from leaderboard.web.csv_cells import csv_line, csv_text

CSV_TYPE, JSONL_TYPE = "text/csv; charset=utf-8", "application/jsonl"


def metadata_lines(clips: Sequence[CaptionedClip]) -> Iterator[str]:
    """A table of what is known of the clips: part, tags, licence, whatever else there is."""
    names = meta_names(clips)
    yield csv_line(["file_name", "part", *map(csv_text, names)])
    for clip in clips:
        values = [said(clip.meta.get(name, "")) for name in names]
        yield csv_line(map(csv_text, [clip.file_name, clip.part, *values]))


def meta_names(clips: Sequence[CaptionedClip]) -> list[str]:
    """The names of what is known of any of the clips."""
    return sorted({name for clip in clips for name in clip.meta} - {"file_name", "part"})


def said(value: object) -> str:
    """What is known of a clip as the text of a cell."""
    if isinstance(value, list | tuple):
        return ";".join(map(str, value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def json_line(clip: CaptionedClip) -> str:
    """A clip with its captions as a line of JSON."""
    row = {"file_name": clip.file_name, "captions": list(clip.captions)}
    return json.dumps(row, ensure_ascii=False) + "\n"


def json_lines(clips: Sequence[CaptionedClip]) -> Iterator[str]:
    """A clip a line: file_name, captions, part, meta."""
    for clip in clips:
        known = {"part": clip.part, "meta": dict(clip.meta)}
        row = {"file_name": clip.file_name, "captions": list(clip.captions), **known}
        yield json.dumps(row, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class CaptionFile:
    """A file that a data set, or a part of it, can be had as."""

    title: str
    about: str
    name: str
    content_type: str
    lines: Callable[[Sequence[CaptionedClip]], Iterator[str]]


CAPTION_FILES: Mapping[str, CaptionFile] = {
    "csv": CaptionFile(
        "CSV",
        "As Clotho's: file_name, caption_1 and so on.",
        "captions.csv",
        CSV_TYPE,
        lambda clips: clotho_lines([(clip.file_name, clip.captions) for clip in clips]),
    ),
    "metadata": CaptionFile(
        "Metadata",
        "What is known of the clips: part, tags, licence and the rest.",
        "metadata.csv",
        CSV_TYPE,
        metadata_lines,
    ),
    "jsonl": CaptionFile(
        "JSON lines",
        "A clip a line, with captions, part and metadata, exactly as they are.",
        "captions.jsonl",
        JSONL_TYPE,
        json_lines,
    ),
}


def caption_file(data_set: DataSet, name: str, part: str = "") -> Download:
    """A file by its name in ``CAPTION_FILES``, of a part ("": all), made while it is sent."""
    chosen = CAPTION_FILES[name]
    start = f"{data_set.slug}-{part}" if part else data_set.slug
    lines = chosen.lines(captioned_clips(data_set, part))
    return text_download(f"{start}-{chosen.name}", chosen.content_type, lines)
