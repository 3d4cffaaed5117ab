"""Parting captions into folds, so that no caption is both learned from and judged."""

import random
from collections import Counter
from collections.abc import Sequence

from scoring.train.descriptors.reading import Annotated, LabelSet


def folds_of(sets: Sequence[LabelSet], count: int, seed: int) -> dict[str, int]:
    """Give each caption (by its text, over all sets) a fold, 0..count-1.

    Stratified by the rarest label of a caption in the first set that has it:
    captions with the same rarest label go to the folds in turn. A text that
    recurs in another set has one fold.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret
    found: dict[str, int] = {}
    for part in sets:
        counts = Counter(label for caption in part.captions for label in caption.labels)
        new = {caption.key: caption for caption in part.captions if caption.key not in found}
        order = sorted(new)
        rng.shuffle(order)
        order.sort(key=lambda key: _rarest(new[key], counts))
        found.update((key, place % count) for place, key in enumerate(order))
    return found


def without_fold(part: LabelSet, folds: dict[str, int], fold: int) -> LabelSet:
    """Give the captions that are learned from while a fold is judged."""
    kept = tuple(caption for caption in part.captions if folds[caption.key] != fold)
    return LabelSet(part.name, part.labels, kept)


def _rarest(caption: Annotated, counts: Counter[str]) -> tuple[int, str]:
    return min((counts[label], label) for label in caption.labels)
