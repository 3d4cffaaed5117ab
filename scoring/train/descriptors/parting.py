"""Parting captions: what is learned from, what is judged, and parts of what is learned."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.errors import ScoringError
from scoring.train.descriptors.folds import folds_of
from scoring.train.descriptors.reading import LabelSet

QUARTERS = (25, 50, 75)  # per cent of the captions, in the learning curve before all of them


class TooAlike(ScoringError):
    """Captions of which too many belong together to be parted."""

    def __init__(self, parts: int, groups: int) -> None:
        super().__init__(
            f"The captions cannot be parted into {parts} parts: captions of one clip or of nearly"
            f" one text stay together, and there are {groups} such groups. Give more captions, or"
            " hold fewer out."
        )


@dataclass(frozen=True, slots=True)
class Parted:
    """Captions that are learned from, and those that are judged, by set in the same order."""

    learned: list[LabelSet]
    judged: list[LabelSet]


def held_out(sets: Sequence[LabelSet], share: float, seed: int) -> Parted:
    """Hold out the nearest 1/k of the captions; none where ``share`` is 0.

    Captions that belong together are never parted; stratified and seeded as
    ``folds_of``. Raises ``TooAlike``.
    """
    if not share:
        return Parted(list(sets), [])
    count = round(1 / share)
    # The last fold has the fewest of each label: what is rare is learned from first.
    return by_fold(sets, _places(sets, count, seed), count - 1)


def by_fold(sets: Sequence[LabelSet], places: dict[str, int], fold: int) -> Parted:
    """Give what is learned from and what is judged while a fold is judged."""
    learned = [_those(part, [place != fold for place in _in(part, places)]) for part in sets]
    judged = [_those(part, [place == fold for place in _in(part, places)]) for part in sets]
    return parted([part for part in learned if part.captions], judged)


def parted(learned: Sequence[LabelSet], judged: Sequence[LabelSet]) -> Parted:
    """Pair what is learned with what is judged; nobody is judged on a set not learned from."""
    known = {part.name for part in learned}
    kept = [part if part.name in known else LabelSet(part.name, part.labels, ()) for part in judged]
    return Parted(list(learned), kept)


def fold_places(sets: Sequence[LabelSet], folds: int, seed: int) -> dict[str, int]:
    """Give each caption its fold; raise ``TooAlike`` where there are fewer groups than folds."""
    return _places(sets, folds, seed)


def quarters(sets: Sequence[LabelSet], seed: int) -> list[list[LabelSet]]:
    """Give a quarter, a half and three quarters of the captions; each holds the one before it."""
    places = _places(sets, 4, seed)
    return [
        [
            found
            for part in sets
            if (found := _those(part, [place < most for place in _in(part, places)])).captions
        ]
        for most in (1, 2, 3)
    ]


def data_hash(sets: Sequence[LabelSet]) -> str:
    """Give the sha256 of what the captions say: inventories, words, labels, source and clip."""
    told = [
        [
            part.name,
            part.labels,
            [[one.words, one.labels, one.source, one.clip] for one in part.captions],
        ]
        for part in sets
    ]
    text = json.dumps(told, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _places(sets: Sequence[LabelSet], count: int, seed: int) -> dict[str, int]:
    places = folds_of(sets, count, seed)
    used = len({places[caption.key] for caption in sets[0].captions})
    if used < count:  # a fold has none of the first set only where that has fewer groups
        raise TooAlike(count, used)
    return places


def _in(part: LabelSet, places: dict[str, int]) -> list[int]:
    return [places[caption.key] for caption in part.captions]


def _those(part: LabelSet, kept: Sequence[bool]) -> LabelSet:
    captions = tuple(one for one, keep in zip(part.captions, kept, strict=True) if keep)
    return LabelSet(part.name, part.labels, captions)
