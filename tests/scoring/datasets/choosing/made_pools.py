"""Small pools of clips, drawn at random or by hypothesis."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from scoring.datasets.choosing import ClipPool, PoolClip

# Tags of each clip; few tags, so that clips share them.
tag_sets = st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=5), min_size=2, max_size=9).map(
    lambda clips: [sorted(tags) for tags in clips]
)


def pool_of(
    clips: Sequence[Sequence[int]],
    seconds: Sequence[float] | None = None,
    groups: Sequence[str] | None = None,
) -> ClipPool:
    """A pool with clips a, b, c ... whose tags are numbers."""
    return ClipPool(
        tuple(
            PoolClip(
                number + 2,
                f"clip-{number:05}.wav",
                tuple(f"tag {tag}" for tag in tags),
                None if seconds is None else seconds[number],
                "" if groups is None else groups[number],
            )
            for number, tags in enumerate(clips)
        ),
        "" if seconds is None else "duration",
        "" if groups is None else "uploader",
    )


def made_tags(clips: int, tags: int, generator: np.random.Generator) -> list[list[int]]:
    """Tags of clips, some far more frequent than others (Zipf's law)."""
    weights = 1 / np.arange(1, tags + 1)
    sizes = np.minimum(generator.geometric(0.3, clips), tags)
    chances = weights / weights.sum()
    return [
        sorted(generator.choice(tags, size, replace=False, p=chances).tolist()) for size in sizes
    ]
