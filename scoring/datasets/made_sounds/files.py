"""A made data set as files in Clotho's layout."""

import csv
from collections.abc import Callable
from pathlib import Path

from scoring.datasets.made_sounds.captions import CAPTIONS
from scoring.datasets.made_sounds.clips import SPLITS, made_clips

_FEWEST_HELD_OUT = 72


def split_counts(clips: int) -> dict[str, int]:
    """Clips of each split by those for development: a sixth, at least 72, for each other one."""
    held_out = max(_FEWEST_HELD_OUT, clips // 6)
    return {split: clips if split == SPLITS[0] else held_out for split in SPLITS}


def write_data_set(
    folder: Path,
    counts: dict[str, int],
    *,
    seed: int,
    rate: int,
    on_clip: Callable[[int], None] = lambda made: None,
) -> None:
    """Write ``folder/SPLIT/*.wav`` and ``folder/captions_SPLIT.csv``; tells how many are made."""
    import soundfile

    made = 0
    for split, count in counts.items():
        (folder / split).mkdir(parents=True, exist_ok=True)
        rows = [("file_name", *(f"caption_{number + 1}" for number in range(CAPTIONS)))]
        for clip in made_clips(split, count, seed, rate):
            path = folder / split / clip.file_name
            soundfile.write(path, clip.samples, rate, subtype="PCM_16")
            rows.append((clip.file_name, *clip.captions))
            made += 1
            on_clip(made)
        with (folder / f"captions_{split}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
