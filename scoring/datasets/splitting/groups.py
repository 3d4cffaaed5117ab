"""Clips that stay together: groups joined from what each pair or set of clips shares."""

from collections.abc import Iterable, Sequence

import numpy as np

from scoring.datasets.splitting.words import Integers


def joined_groups(clips: int, together: Iterable[Sequence[int]]) -> Integers:
    """The group of each clip, numbered from 0 in the order of their first clips.

    Clips of one set of ``together`` are in one group, and so are sets with a clip in common.
    """
    parents = list(range(clips))

    def root(clip: int) -> int:
        while parents[clip] != clip:
            parents[clip] = parents[parents[clip]]
            clip = parents[clip]
        return clip

    for members in together:
        for clip in members[1:]:
            first, second = sorted((root(members[0]), root(clip)))
            parents[second] = first  # the root of a group is its first clip
    roots = [root(clip) for clip in range(clips)]
    numbers = {clip: number for number, clip in enumerate(dict.fromkeys(roots))}
    return np.array([numbers[clip] for clip in roots], dtype=np.int64)
