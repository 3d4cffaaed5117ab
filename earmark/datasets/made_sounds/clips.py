"""Made clips of a split, one after the other, and as files in Clotho's layout."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from earmark.captions.csv_rows import csv_text
from earmark.datasets.made_sounds.captions import CAPTIONS, five_captions
from earmark.datasets.made_sounds.made_clip import MadeClip
from earmark.datasets.made_sounds.rendering import (
    DEFAULT_RATE,
    HIGHEST_RATE,
    LOWEST_RATE,
    rendered,
)
from earmark.datasets.made_sounds.scene_plan import planned_scene

SPLITS = ("development", "validation", "evaluation")
_FEWEST_HELD_OUT = 72


def made_clips(
    split: str, count: int, seed: int = 0, rate: int = DEFAULT_RATE
) -> Iterator[MadeClip]:
    """Make the first ``count`` clips of a split, each when it is asked for.

    A clip depends on split, number and seed, not on how many are made; its captions and content
    do not depend on the rate. Raises ValueError for arguments that cannot be used.
    """
    if split not in SPLITS:
        raise ValueError(f'There is no split "{split}". Choose from {", ".join(SPLITS)}.')
    if count < 0 or seed < 0:
        raise ValueError(f"Count and seed must be 0 or more, not {count} and {seed}.")
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise ValueError(
            f"The rate {rate} Hz cannot be used. Give one from {LOWEST_RATE} to {HIGHEST_RATE}."
        )
    return (_made_clip(split, number, seed, rate) for number in range(count))


def _made_clip(split: str, number: int, seed: int, rate: int) -> MadeClip:
    """Plan, words and samples have a generator each: none depends on what another draws."""
    plan, words, sound = (
        np.random.default_rng((seed, SPLITS.index(split), number, part)) for part in range(3)
    )
    scene = planned_scene(plan)
    return MadeClip(
        file_name=f"{split}_{number + 1:04}.wav",
        samples=rendered(sound, scene, rate),
        rate=rate,
        captions=five_captions(words, scene),
        content=scene.events,
        arrangement=scene.arrangement,
        place=scene.place,
    )


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
        for name, rows in (("captions", captions), ("clips", known)):
            table = folder / f"{name}_{split}.csv"
            table.write_text(csv_text(rows), encoding="utf-8", newline="")
