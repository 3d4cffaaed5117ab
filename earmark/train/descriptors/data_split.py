"""Splitting captions into those learned from and those judged, so that no caption is both."""

import hashlib
import json
import random
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from earmark.datasets.splitting.kept_together import joined_groups, near_equal_sets
from earmark.errors import ScoringError
from earmark.train.descriptors.labelled_captions import AnnotatedCaption, LabelSet

QUARTERS = (25, 50, 75)  # per cent of the captions, in the learning curve before all of them


class TooFewGroups(ScoringError):
    """Captions of which too many belong together to be parted."""

    def __init__(self, parts: int, groups: int) -> None:
        super().__init__(
            f"The captions cannot be parted into {parts} parts: captions of one clip or of nearly"
            f" one text stay together, and there are {groups} such groups. Give more captions, or"
            " hold fewer out."
        )


@dataclass(frozen=True, slots=True)
class DataSplit:
    """Captions that are learned from, and those that are judged, by set in the same order."""

    learned: list[LabelSet]
    judged: list[LabelSet]


def held_out_split(sets: Sequence[LabelSet], share: float, seed: int) -> DataSplit:
    """Split that holds out the nearest 1/k of the captions; none where ``share`` is 0.

    Captions that belong together are never parted; stratified and seeded as
    ``assigned_folds``. Raises ``TooFewGroups``.
    """
    if not share:
        return DataSplit(list(sets), [])
    count = round(1 / share)
    # The last fold has the fewest of each label: what is rare is learned from first.
    return fold_split(sets, fold_numbers(sets, count, seed), count - 1)


def fold_split(sets: Sequence[LabelSet], places: dict[str, int], fold: int) -> DataSplit:
    """Split in which one fold is judged and all others are learned from."""
    others = set(places.values()) - {fold}
    learned = _in_folds(sets, places, others)
    return data_split([part for part in learned if part.captions], _in_folds(sets, places, {fold}))


def data_split(learned: Sequence[LabelSet], judged: Sequence[LabelSet]) -> DataSplit:
    """Pair captions learned from with those judged, less the sets that are not learned from."""
    known = {part.name for part in learned}
    judged_sets = [
        part if part.name in known else LabelSet(part.name, part.labels, ()) for part in judged
    ]
    return DataSplit(list(learned), judged_sets)


def learning_curve_sets(sets: Sequence[LabelSet], seed: int) -> list[list[LabelSet]]:
    """A quarter, a half and three quarters of the captions; each holds the one before it."""
    places = fold_numbers(sets, 4, seed)
    shares = (_in_folds(sets, places, range(most)) for most in (1, 2, 3))
    return [[part for part in share if part.captions] for share in shares]


def data_hash(sets: Sequence[LabelSet]) -> str:
    """Sha256 of the captions' content: inventories, words, labels, source and clip."""
    content = [
        [
            part.name,
            part.labels,
            [
                [caption.words, caption.labels, caption.source, caption.clip]
                for caption in part.captions
            ],
        ]
        for part in sets
    ]
    text = json.dumps(content, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def fold_numbers(sets: Sequence[LabelSet], count: int, seed: int) -> dict[str, int]:
    """Each caption's fold; raise ``TooFewGroups`` where there are fewer groups than folds."""
    places = assigned_folds(sets, count, seed)
    used = len({places[caption.key] for caption in sets[0].captions})
    if used < count:  # a fold has none of the first set only where that has fewer groups
        raise TooFewGroups(count, used)
    return places


def _in_folds(
    sets: Sequence[LabelSet], places: dict[str, int], folds: Container[int]
) -> list[LabelSet]:
    """Sets with those of their captions that are in some folds."""
    return [
        LabelSet(
            part.name,
            part.labels,
            tuple(caption for caption in part.captions if places[caption.key] in folds),
        )
        for part in sets
    ]


def assigned_folds(sets: Sequence[LabelSet], count: int, seed: int) -> dict[str, int]:
    """Fold of each caption (by its text, over all sets), 0..count-1.

    Captions that belong together (``caption_groups``: same or nearly the same text,
    or the same clip) have one fold. Stratified by the rarest label of a group
    in the first set that has captions of it: such groups go to the fold that
    has fewest of them.
    """
    rng = random.Random(seed)  # noqa: S311 - no secret
    groups = caption_groups(list(chain.from_iterable(part.captions for part in sets)))
    groups.sort(key=lambda group: min(caption.key for caption in group))
    rng.shuffle(groups)
    folds: dict[str, int] = {}
    for part in sets:
        counts = Counter(label for caption in part.captions for label in caption.labels)
        inside = {id(caption) for caption in part.captions}
        strata = [
            (min((counts[label], label) for one in within for label in one.labels), group)
            for group in groups
            if group[0].key not in folds and (within := [one for one in group if id(one) in inside])
        ]
        strata.sort(key=lambda row: row[0])  # groups of one label stay in the order of the seed
        _place(strata, count, folds)
    return folds


def _place(
    strata: Sequence[tuple[tuple[int, str], Sequence[AnnotatedCaption]]],
    count: int,
    folds: dict[str, int],
) -> None:
    """Put each group into the fold with fewest groups of its label, then with fewest captions."""
    sizes: Counter[int] = Counter()
    alike: Counter[tuple[tuple[int, str], int]] = Counter()
    for label, group in strata:
        fold = min(range(count), key=lambda place: (alike[label, place], sizes[place], place))
        alike[label, fold] += 1
        sizes[fold] += len(group)
        folds.update((caption.key, fold) for caption in group)


NEAR = Fraction(3, 5)  # share of words that two captions nearly equal have in common, of all


def caption_groups(captions: Sequence[AnnotatedCaption]) -> list[list[AnnotatedCaption]]:
    """Part captions into groups, in order of first appearance.

    Two captions are in one group where they have the same words, where they
    have at least ``NEAR`` of their distinct words in common, where both tell
    of one clip (``AnnotatedCaption.clip``), or where others join them.
    """
    same: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for place, caption in enumerate(captions):
        same["text", caption.key].append(place)
        if caption.clip:
            same["clip", caption.clip].append(place)
    near = near_equal_sets(([frozenset(caption.words)] for caption in captions), NEAR)
    groups: defaultdict[int, list[AnnotatedCaption]] = defaultdict(list)
    numbers = joined_groups(len(captions), chain(same.values(), near))
    for caption, number in zip(captions, numbers.tolist(), strict=True):
        groups[number].append(caption)
    return list(groups.values())
