"""Units of a split, clips that stay together, and the columns that are counted in each part."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.datasets.splitting.words import ClipWords, Integers


@dataclass(frozen=True)
class Units:
    """Units, and how many clips of each have what a column stands for.

    Column 0 is "a clip", which every clip is; then come the words of two clips or more, and
    then the names that several clips have. Of unit i, ``columns[starts[i]:starts[i + 1]]`` are
    those that its clips have, rising, and ``clips`` beside them says how many clips.
    """

    starts: Integers
    columns: Integers
    clips: Integers
    words: int
    names: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def totals(self) -> Integers:
        """Clips with each column."""
        width = 1 + self.words + self.names
        return np.bincount(self.columns, self.clips, minlength=width).astype(np.int64)

    def counts(self, assignment: Integers, parts: int) -> Integers:
        """Clips with each column in each part, (parts, columns), of an assignment of units."""
        width = 1 + self.words + self.names
        owners = np.repeat(assignment, np.diff(self.starts))
        keys = owners * width + self.columns
        return (
            np.bincount(keys, self.clips, minlength=parts * width)
            .reshape(parts, width)
            .astype(np.int64)
        )


def units_of(words: ClipWords, groups: Integers, namesakes: Sequence[Sequence[int]]) -> Units:
    """Units of clips by the group of each clip; ``namesakes`` are clips that must not meet."""
    repeated = np.flatnonzero(words.frequencies > 1)
    column_of = np.full(len(words.words), -1, dtype=np.int64)
    column_of[repeated] = 1 + np.arange(len(repeated))
    columns = column_of[words.entries]
    kept = columns > 0
    width = 1 + len(repeated) + len(namesakes)
    named = [(clip, 1 + len(repeated) + at) for at, same in enumerate(namesakes) for clip in same]
    extra = np.array(named, dtype=np.int64).reshape(-1, 2)
    owners = np.concatenate([groups, groups[words.owners[kept]], groups[extra[:, 0]]])
    places = np.concatenate([np.zeros_like(groups), columns[kept], extra[:, 1]])
    keys, clips = np.unique(owners * width + places, return_counts=True)
    starts = np.searchsorted(keys, width * np.arange(groups.max() + 2))
    return Units(starts, keys % width, clips, len(repeated), len(namesakes))
