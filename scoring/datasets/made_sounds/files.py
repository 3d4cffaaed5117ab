"""A made data set as files in Clotho's layout."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from scoring.datasets.made_sounds.captions import CAPTIONS
from scoring.datasets.made_sounds.clips import SPLITS, made_clips
from scoring.datasets.made_sounds.made_clip import MadeClip

_FEWEST_HELD_OUT = 72


def split_counts(clips: int) -> dict[str, int]:
    """Clips of each split by those for development: a sixth, at least 72, for each other one."""
    held_out = max(_FEWEST_HELD_OUT, clips // 6)
    return {split: clips if split == SPLITS[0] else held_out for split in SPLITS}


def wav_bytes(clip: MadeClip) -> bytes:
    """A clip as a WAV file: one channel, 16 bits."""
    import soundfile

    out = io.BytesIO()
    soundfile.write(out, clip.samples, clip.rate, format="WAV", subtype="PCM_16")
    return out.getvalue()


def write_data_set(
    folder: Path,
    counts: dict[str, int],
    *,
    seed: int,
    rate: int,
    on_clip: Callable[[int], None] = lambda made: None,
) -> None:
    """Write ``folder/SPLIT/*.wav`` and two tables of each split; tells how many are made.

    ``captions_SPLIT.csv`` is in Clotho's layout, ``clips_SPLIT.csv`` has tags and durations.
    """
    made = 0
    for split, count in counts.items():
        (folder / split).mkdir(parents=True, exist_ok=True)
        captions = [("file_name", *(f"caption_{number + 1}" for number in range(CAPTIONS)))]
        known = [("file_name", "tags", "duration")]
        for clip in made_clips(split, count, seed, rate):
            (folder / split / clip.file_name).write_bytes(wav_bytes(clip))
            captions.append((clip.file_name, *clip.captions))
            tags = ";".join(event.kind for event in clip.content)
            known.append((clip.file_name, tags, f"{clip.seconds:.3f}"))
            made += 1
            on_clip(made)
        _write_table(folder / f"captions_{split}.csv", captions)
        _write_table(folder / f"clips_{split}.csv", known)


def _write_table(path: Path, rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
