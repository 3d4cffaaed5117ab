"""Files of a split: a table for each part with the captions as they came, and the report."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from earmark.captions import Fault
from earmark.captions.csv_rows import csv_text
from earmark.captions.file_layout import REFERENCES
from earmark.datasets.splitting.parts import Part
from earmark.datasets.splitting.pooling import PooledClip
from earmark.datasets.splitting.split import ClipSplit

_OF_PART = ("clips", "clips_asked", "words", "words_outside_tolerance")


def part_path(folder: Path, part: Part) -> Path:
    """File of a part."""
    return folder / f"{part.name}.csv"


def existing_faults(folder: Path, parts: Sequence[Part]) -> list[Fault]:
    """A fault for each part whose file is there already."""
    message = "This file already exists. Give another folder, or overwrite it with --replace."
    return [
        Fault(None, None, path.name, message, file="--out")
        for path in (part_path(folder, part) for part in parts)
        if path.exists()
    ]


def write_parts(folder: Path, split: ClipSplit, clips: Sequence[PooledClip]) -> None:
    """Write DIR/PART.csv for each part, all of them or none; raises ``OSError``.

    The columns are file_name, caption_1 and so on; names, captions and the order of the clips
    are those of the files that were read. Cells after a clip's last caption are empty.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for number, part in enumerate(split.parts):
        places = np.flatnonzero(split.assignment == number).tolist()
        chosen = [clips[place] for place in places]
        target = part_path(folder, part)
        beside = target.with_name(f"{target.name}.part")
        beside.write_text(_table(chosen), encoding="utf-8", newline="")
        written.append((beside, target))
    for beside, target in written:
        beside.replace(target)


def _table(clips: Sequence[PooledClip]) -> str:
    width = max((len(clip.captions) for clip in clips), default=1)
    header = [REFERENCES.names[0], *(f"caption_{number}" for number in range(1, width + 1))]
    rows = [[clip.name, *clip.captions, *[""] * (width - len(clip.captions))] for clip in clips]
    return csv_text([header, *rows])


def split_json(split: ClipSplit) -> dict[str, Any]:
    """The report of a split for JSON.

    ``words`` of all clips and of each part are different words, those of a single clip among
    them; the other counts are of words of two clips or more, as ``SplitMeasures`` says.
    """
    measures = split.measures
    return {
        "clips": len(split.assignment),
        "words": len(split.words.words),
        "words_in_one_part": measures.words_in_one_part,
        "words_not_in_development": measures.words_not_in_development,
        "words_outside_tolerance": measures.words_outside_tolerance,
        "distance": measures.distance,
        "distance_as_printed": measures.distance_as_printed,
        "share_distance": measures.share_distance,
        "parts": {
            part.name: dict(zip(_OF_PART, of_part, strict=True))
            for part, *of_part in zip(
                split.parts,
                split.clip_counts,
                split.sizes,
                split.word_counts,
                measures.outside_by_part,
                strict=True,
            )
        },
    }


def write_report(path: Path, split: ClipSplit) -> None:
    """Write the report as JSON, in one step; raises ``OSError``."""
    beside = path.with_name(f"{path.name}.part")
    text = json.dumps(split_json(split), ensure_ascii=False, indent=2)
    beside.write_text(f"{text}\n", encoding="utf-8")
    beside.replace(path)
