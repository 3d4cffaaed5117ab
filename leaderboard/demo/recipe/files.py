"""The texts of the demo's data files."""

import csv
import io
from collections.abc import Iterable, Sequence

from leaderboard.demo.recipe.faulty import faulty_lines
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
