"""Parting captions into folds, so that nothing is both learned from and judged."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from scoring.train.descriptors.groups import groups_of
from scoring.train.descriptors.reading import Annotated, LabelSet


def folds_of(sets: Sequence[LabelSet], count: int, seed: int) -> dict[str, int]:
    """Give each caption (by its text, over all sets) a fold, 0..count-1.

    Captions that belong together (``groups_of``: same or nearly the same text,
    or the same clip) have one fold. Stratified by the rarest label of a group
    in the first set that has captions of it: such groups go to the fold that
    has fewest of them.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret
    groups = groups_of(list(chain.from_iterable(part.captions for part in sets)))
    groups.sort(key=lambda group: min(caption.key for caption in group))
    rng.shuffle(groups)
    found: dict[str, int] = {}
    for part in sets:
        counts = Counter(label for caption in part.captions for label in caption.labels)
        inside = {id(caption) for caption in part.captions}
        strata = [
            (_rarest([one for one in group if id(one) in inside], counts), group)
            for group in groups
            if group[0].key not in found and any(id(one) in inside for one in group)
        ]
        strata.sort(key=lambda row: row[0])  # groups of one label stay in the order of the seed
        _place(strata, count, found)
    return found


def _place(
    strata: Sequence[tuple[tuple[int, str], Sequence[Annotated]]],
    count: int,
    found: dict[str, int],
) -> None:
    """Give each group the fold with fewest groups of its label, then with fewest captions."""
    sizes: Counter[int] = Counter()
    alike: Counter[tuple[tuple[int, str], int]] = Counter()
    for label, group in strata:
        fold = min(range(count), key=lambda place: (alike[label, place], sizes[place], place))
        alike[label, fold] += 1
        sizes[fold] += len(group)
        found.update((caption.key, fold) for caption in group)


def _rarest(captions: Sequence[Annotated], counts: Counter[str]) -> tuple[int, str]:
    return min((counts[label], label) for caption in captions for label in caption.labels)
