"""A data set as a folder that Hugging Face's ``datasets`` loads, in one zip made while it is sent.

``data/PART.jsonl`` has the clips with their captions. With recordings, ``audio/PART/`` has these
and a ``metadata.csv`` that names them, as the library's AudioFolder asks for it. ``README.md`` is
the card with the header that says which file is which part.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

import yaml

from annotation.formats.zip_pipe import ZipPipe
from annotation.models import DataSet, Sound
from annotation.selectors.data_sets.card import data_card
from annotation.selectors.data_sets.card_markdown import card_markdown
from annotation.selectors.data_sets.clips import CaptionedClip, captioned_clips, parts_of
from annotation.selectors.data_sets.files import json_lines
from annotation.selectors.data_sets.stages import sounds_of
from annotation.selectors.formats import Download, pieces_of
from leaderboard.selectors.clips.audio import audio_path
from leaderboard.web.csv_cells import csv_line, csv_text

WHOLE = "all"
_EPOCH = (1980, 1, 1, 0, 0, 0)
_PIECE = 1 << 18
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))


def hugging_face_download(data_set: DataSet, *, sounds: bool) -> Download:
    """The folder as a zip; the captions are read before anything is sent."""
    parts = {
        name: captioned_clips(data_set, name if name != WHOLE else "")
        for name in parts_of(data_set) or (WHOLE,)
    }
    recordings = sounds_of(data_set) if sounds else {}
    header = dataset_header(data_set, parts, sounds=bool(recordings))
    readme = f"---\n{header}---\n\n{card_markdown(data_card(data_set))}"
    pieces = pieces_of(_pieces(parts, recordings, readme))
    return Download(f"{data_set.slug}.hugging-face.zip", "application/zip", pieces)


def split_names(parts: Iterable[str]) -> dict[str, str]:
    """The name of each part that the library takes for a split: letters, digits and ``_``."""
    found: dict[str, str] = {}
    for part in parts:
        name = wanted = re.sub(r"\W", "_", part, flags=re.ASCII)
        number = 1
        while name in found.values():
            number += 1
            name = f"{wanted}_{number}"
        found[part] = name
    return found


def dataset_header(
    data_set: DataSet, parts: Mapping[str, Sequence[CaptionedClip]], *, sounds: bool
) -> str:
    """The header of README.md in YAML: what the library and its site read of a data set."""
    clips = sum(map(len, parts.values()))
    names = split_names(parts)
    configs = [_config("captions", {name: f"data/{name}.jsonl" for name in names.values()})]
    if sounds:
        configs.insert(0, _config("audio", {name: f"audio/{name}/**" for name in names.values()}))
    configs[0]["default"] = True
    header = {
        "pretty_name": data_set.name,
        "tags": ["audio-captioning"],
        "license": "other",
        "size_categories": [next((name for most, name in _SIZES if clips < most), "n>1M")],
        "configs": configs,
    }
    text: str = yaml.safe_dump(header, sort_keys=False, allow_unicode=True)
    return text


def _config(name: str, files: Mapping[str, str]) -> dict[str, object]:
    rows = [{"split": split, "path": path} for split, path in files.items()]
    return {"config_name": name, "data_files": rows}


def archive_names(names: Sequence[str]) -> dict[str, str]:
    """A name in the archive for each file's: its last part, harmless, each once."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        last = PurePosixPath(name.replace("\\", "/")).name
        safe = re.sub(r"[^\w. ()+,&'-]", "_", last).lstrip(". ") or "clip"
        stem, dot, ending = safe.rpartition(".")
        wanted, number = safe, 1
        while wanted.casefold() in taken:
            number += 1
            wanted = f"{stem}-{number}.{ending}" if dot else f"{safe}-{number}"
        taken.add(wanted.casefold())
        found[name] = wanted
    return found


def _pieces(
    parts: Mapping[str, Sequence[CaptionedClip]], sounds: Mapping[str, Sound], readme: str
) -> Iterator[bytes]:
    pipe, names = ZipPipe(), split_names(parts)
    archive = zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED)
    yield from _member(archive, pipe, "README.md", [readme.encode()])
    for part, clips in parts.items():
        lines = (line.encode() for line in json_lines(clips))
        yield from _member(archive, pipe, f"data/{names[part]}.jsonl", lines)
        heard = [clip for clip in clips if clip.file_name in sounds]
        if heard:
            yield from _audio_folder(archive, pipe, f"audio/{names[part]}", heard, sounds)
    archive.close()
    yield pipe.taken()


def _audio_folder(
    archive: zipfile.ZipFile,
    pipe: ZipPipe,
    folder: str,
    clips: Sequence[CaptionedClip],
    sounds: Mapping[str, Sound],
) -> Iterator[bytes]:
    names = archive_names([clip.file_name for clip in clips])
    table = (line.encode() for line in _metadata_lines(clips, names))
    yield from _member(archive, pipe, f"{folder}/metadata.csv", table)
    for clip in clips:
        content = _content(sounds[clip.file_name].sha256)
        yield from _member(
            archive, pipe, f"{folder}/{names[clip.file_name]}", content, zipfile.ZIP_STORED
        )


def _metadata_lines(clips: Sequence[CaptionedClip], names: Mapping[str, str]) -> Iterator[str]:
    """The AudioFolder's table: the file in the folder, and the captions of the clip."""
    most = max((len(clip.captions) for clip in clips), default=0)
    yield csv_line(["file_name", *(f"caption_{number}" for number in range(1, most + 1))])
    for clip in clips:
        empty = [""] * (most - len(clip.captions))
        captions = map(csv_text, clip.captions)
        # The name is a path within the archive, which the library opens: nothing is put before it.
        yield csv_line([names[clip.file_name], *captions, *empty])


def _content(sha256: str) -> Iterator[bytes]:
    with audio_path(sha256).open("rb") as source:
        while piece := source.read(_PIECE):
            yield piece


def _member(
    archive: zipfile.ZipFile,
    pipe: ZipPipe,
    name: str,
    content: Iterable[bytes],
    compression: int = zipfile.ZIP_DEFLATED,
) -> Iterator[bytes]:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = compression
    with archive.open(info, "w", force_zip64=True) as file:
        for piece in content:
            file.write(piece)
            yield pipe.taken()
    yield pipe.taken()
