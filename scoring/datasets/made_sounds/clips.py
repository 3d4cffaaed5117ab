"""Made clips of a split, one after the other."""

from collections.abc import Iterator

import numpy as np

from scoring.datasets.made_sounds.captions import five_captions
from scoring.datasets.made_sounds.made_clip import MadeClip
from scoring.datasets.made_sounds.rendering import (
    DEFAULT_RATE,
    HIGHEST_RATE,
    LOWEST_RATE,
    rendered,
)
from scoring.datasets.made_sounds.scene_plan import planned_scene

SPLITS = ("development", "validation", "evaluation")


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
