"""First splits: iterative stratification of the words by a library.

Sechidis, Tsoumakas and Vlahavas, "On the stratification of multi-label data" (ECML PKDD 2011),
as the package iterative-stratification has it: the word with the fewest clips left is
distributed first. It knows units, not how many clips they have, and its sizes are not exact:
exchanges mend both.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scoring.datasets.splitting.words import Integers, Units

BLOCK = 3_000
"""Units that are stratified together; the library's time grows with the square of them."""


def stratified_split(units: Units, sizes: Sequence[int], *, seed: int) -> Integers:
    """A part for each unit, stratified by words; ``sizes`` are the parts' relative sizes.

    More than ``BLOCK`` units are stratified in blocks, drawn at random.
    """
    order = np.random.default_rng(seed).permutation(len(units))
    assignment = np.zeros(len(units), dtype=np.int64)
    blocks = np.array_split(order, -(-len(units) // BLOCK))
    for number, block in enumerate(blocks):
        labels = _labels(units, np.sort(block))
        assignment[np.sort(block)] = _stratified(labels, sizes, seed=seed + number)
    return assignment


def _labels(units: Units, block: Integers) -> NDArray[np.bool_]:
    """Which of the block's units have which words, (units, words)."""
    labels = np.zeros((len(block), units.words), dtype=bool)
    for row, unit in enumerate(block):
        columns = units.columns[units.starts[unit] : units.starts[unit + 1]]
        labels[row, columns[(columns > 0) & (columns <= units.words)] - 1] = True
    kept = labels[:, labels.sum(axis=0) > 1]
    # One column alone would be read as classes, not as labels.
    return np.pad(kept, ((0, 0), (0, max(0, 2 - kept.shape[1]))))


def _stratified(labels: NDArray[np.bool_], sizes: Sequence[int], *, seed: int) -> Integers:
    """Split off one part after the other, each stratified against all that is left."""
    from iterstrat.ml_stratifiers import MultilabelStratifiedShuffleSplit

    assignment = np.full(len(labels), len(sizes) - 1, dtype=np.int64)
    left = np.arange(len(labels))
    for part in range(len(sizes) - 1):
        rest = round(len(left) * sum(sizes[part + 1 :]) / sum(sizes[part:]))
        rest = min(rest, len(left) - 1)
        if rest < 1:
            break
        splitter = MultilabelStratifiedShuffleSplit(
            n_splits=1, test_size=rest, random_state=(seed + part) % 2**32
        )
        here, others = next(splitter.split(left, labels[left]))
        assignment[left[here]] = part
        left = left[others]
    return assignment
