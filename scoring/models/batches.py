"""Batches of one length, in which nothing depends on its company."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def batches(lengths: Sequence[int] | NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """Group rows of equal length, longest first so that memory runs out at once or never."""
    known = np.asarray(lengths, np.int64)
    for length in np.unique(known)[::-1]:
        rows = np.flatnonzero(known == length)
        yield from np.split(rows, np.arange(size, rows.size, size))
