"""Files of a data set: tables, JSON lines, and a folder that Hugging Face's ``datasets`` loads.

The folder is one zip made while it is sent. ``data/PART.jsonl`` has the clips with their captions.
With recordings, ``audio/PART/`` has these and a ``metadata.jsonl`` with the same of the clips that
have one, as the library's AudioFolder asks for it. ``README.md`` is the card with the header that
says which file is which part: the library reads all of a folder in one way, so the header names the
recordings alone where there are any.
"""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

import yaml

from annotation.formats.zip_pipe import SentZip, pieces_of_file
from annotation.free_names import first_free
from annotation.models import DataSet, Sound
from annotation.selectors.data_sets.card import card_markdown, data_card
from annotation.selectors.data_sets.clips import CaptionedClip, captioned_clips, parts_of
from annotation.selectors.data_sets.stages import sounds_of
from annotation.selectors.formats import clotho_lines, pieces_of, text_download
from leaderboard.selectors.clips.audio import audio_path
from leaderboard.web.csv_cells import csv_line, csv_text
from leaderboard.web.file_responses import Download

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
        "In the format of Clotho: file_name, caption_1 and so on.",
        "captions.csv",
        CSV_TYPE,
        lambda clips: clotho_lines([(clip.file_name, clip.captions) for clip in clips]),
    ),
    "metadata": CaptionFile(
        "Metadata",
        "What is known about the clips: part, tags, licence and the rest.",
        "metadata.csv",
        CSV_TYPE,
        metadata_lines,
    ),
    "jsonl": CaptionFile(
        "JSON lines",
        "One clip per line, with captions, part and metadata, exactly as they are.",
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


# What the library calls a set that is not split, and a name that it keeps for all parts together.
WHOLE, RESERVED = "train", "all"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))


def hugging_face_download(data_set: DataSet, *, sounds: bool) -> Download:
    """The folder as a zip; the captions are read before anything is sent."""
    known = {name: name for name in parts_of(data_set)} or {WHOLE: ""}
    parts = {name: captioned_clips(data_set, part) for name, part in known.items()}
    recordings = sounds_of(data_set) if sounds else {}
    # A part without recordings would be a folder that is not there.
    heard = {part for part, clips in parts.items() if any(c.file_name in recordings for c in clips)}
    header = dataset_header(data_set, parts, heard)
    readme = f"---\n{header}---\n\n{card_markdown(data_card(data_set))}"
    pieces = pieces_of(_pieces(parts, recordings, readme))
    return Download(f"{data_set.slug}.hugging-face.zip", "application/zip", pieces)


def split_names(parts: Iterable[str]) -> dict[str, str]:
    """The name of each part that the library takes for a split: letters, digits and ``_``."""
    names: dict[str, str] = {}
    for part in parts:
        wanted = re.sub(r"\W", "_", part, flags=re.ASCII)
        taken = {RESERVED, *names.values()}
        names[part] = first_free(wanted, taken.__contains__, partial("{}_{}".format, wanted))
    return names


def dataset_header(
    data_set: DataSet, parts: Mapping[str, Sequence[CaptionedClip]], heard: Collection[str]
) -> str:
    """The header of README.md in YAML: what the library and its site read of a data set.

    ``heard`` are the parts with recordings, to which it leads where there are any.
    """
    clips = sum(map(len, parts.values()))
    names = split_names(parts)
    where = "audio/{}/**" if heard else "data/{}.jsonl"
    files = [
        {"split": name, "path": where.format(name)}
        for part, name in names.items()
        if part in heard or not heard
    ]
    header = {
        "pretty_name": data_set.name,
        "tags": ["audio-captioning"],
        "license": "other",
        "size_categories": [next((name for most, name in _SIZES if clips < most), "n>1M")],
        "configs": [{"config_name": "default", "data_files": files}],
    }
    text: str = yaml.safe_dump(header, sort_keys=False, allow_unicode=True)
    return text


def archive_names(names: Sequence[str]) -> dict[str, str]:
    """A name in the archive for each file's: its last part, harmless, each once."""
    safe_names: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        last = PurePosixPath(name.replace("\\", "/")).name
        safe = re.sub(r"[^\w. ()+,&'-]", "_", last).lstrip(". ") or "clip"
        stem, dot, ending = safe.rpartition(".")
        numbered = f"{stem}-{{}}.{ending}" if dot else f"{safe}-{{}}"
        safe_names[name] = first_free(safe, lambda one: one.casefold() in taken, numbered.format)
        taken.add(safe_names[name].casefold())
    return safe_names


def _pieces(
    parts: Mapping[str, Sequence[CaptionedClip]], sounds: Mapping[str, Sound], readme: str
) -> Iterator[bytes]:
    archive, names = SentZip(), split_names(parts)
    yield from archive.member("README.md", [readme.encode()])
    columns = meta_names([clip for clips in parts.values() for clip in clips])
    for part, clips in parts.items():
        lines = _lines(clips, {}, columns)
        yield from archive.member(f"data/{names[part]}.jsonl", lines)
        heard = [clip for clip in clips if clip.file_name in sounds]
        if heard:
            yield from _audio_folder(archive, f"audio/{names[part]}", heard, sounds, columns)
    yield archive.end()


def _audio_folder(
    archive: SentZip,
    folder: str,
    clips: Sequence[CaptionedClip],
    sounds: Mapping[str, Sound],
    columns: Sequence[str],
) -> Iterator[bytes]:
    names = archive_names([clip.file_name for clip in clips])
    table = _lines(clips, names, columns)
    yield from archive.member(f"{folder}/metadata.jsonl", table)
    for clip in clips:
        content = pieces_of_file(audio_path(sounds[clip.file_name].sha256))
        yield from archive.member(f"{folder}/{names[clip.file_name]}", content, packed=False)


def _lines(
    clips: Sequence[CaptionedClip], names: Mapping[str, str], columns: Sequence[str]
) -> Iterator[bytes]:
    """A clip a line, under its name in the archive where it has one.

    What is known of clips is text in the same columns for all of them: the library makes one type
    of a column, and refuses what is a number here and a word there.
    """
    for clip in clips:
        row: dict[str, object] = {
            "file_name": names.get(clip.file_name, clip.file_name),
            "captions": list(clip.captions),
            "part": clip.part,
        }
        if columns:
            row["meta"] = {name: said(clip.meta.get(name, "")) for name in columns}
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"
