"""The texts of the demo's data files."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence

from leaderboard.demo.recipe.traits import TRAITS, captions_of
from leaderboard.demo.recordings import demo_clips


def data_files() -> dict[str, str]:
    """References, the systems' captions and the faulty file, by their names."""
    clips = list(demo_clips())
    names = [clip.file_name for clip in clips]
    known = {caption.lower().rstrip(".") for clip in clips for caption in clip.captions}
    header = ("file_name", *(f"caption_{number}" for number in range(1, 6)))
    files = {
        "references.csv": _csv([header, *((clip.file_name, *clip.captions) for clip in clips)])
    }
    for slug in TRAITS:
        rows = zip(names, captions_of(slug, clips, known), strict=True)
        files[f"systems/{slug}.csv"] = _csv([("file_name", "caption_predicted"), *rows])
    files["faulty.csv"] = "\n".join(faulty_lines(files["systems/plain.csv"].splitlines()))
    return files


def _csv(rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


_OTHER = "two cats are fighting in an alley"
_TOO_LONG = " and ".join(["people are talking"] * 100)
# The place of a clip that the file lacks.
_LEFT_OUT = 50
# Line of the file -> an additional line, from the header and the line before.
_INSERTED: dict[int, Callable[[str, str], str]] = {
    22: lambda _header, before: f"{before.partition(',')[0]},{_OTHER}",
    46: lambda header, _before: header,
    58: lambda _header, before: before,
}
# Line of the file -> what becomes of the name and caption in it.
_EDITS: dict[int, Callable[[str, str], str]] = {
    5: lambda name, caption: f"{name.replace('lua', 'lau')},{caption}",
    8: lambda name, caption: f"{name.capitalize().replace('.wav', '.WAV')},{caption}",
    12: lambda name, caption: f"{name.removesuffix('.wav')},{caption}",
    15: lambda name, caption: f"recordings/evaluation/{name},{caption}",
    18: lambda _name, caption: f",{caption}",
    25: lambda name, _caption: f"{name},",
    28: lambda name, _caption: f'{name},"   "',
    33: lambda name, _caption: f"{name},...",
    38: lambda name, caption: f"{name},{caption}, a cart rattles, and the hooves fade away",
    40: lambda name, _caption: name,
    41: lambda name, caption: f"{name};{caption}",
    48: lambda name, _caption: f"{name},{_TOO_LONG}",
    51: lambda name, caption: f"{name},{caption[:8]}\a{caption[8:]}",
    53: lambda name, _caption: f"{name},NaN",
    64: lambda name, caption: f"{name},{caption} near a <unk>",
    75: lambda name, caption: f'{name},"{caption}',
}


def faulty_lines(good: Sequence[str]) -> list[str]:
    """Lines of a file with twenty kinds of fault, to try what the reader says of each.

    They are made from those of a file with none; the last is empty.
    """
    header, *rows = good
    del rows[_LEFT_OUT]
    lines: list[str] = []
    for line in (header, *rows):
        number = len(lines) + 1
        if number in _INSERTED:
            lines.append(_INSERTED[number](header, lines[-1]))
            number += 1
        name, _, caption = line.partition(",")
        lines.append(_EDITS[number](name, caption) if number in _EDITS else line)
    return [*lines, ""]
