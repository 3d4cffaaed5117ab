"""Captions that belong together: the same text, nearly the same text, or the same clip."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from scoring.train.descriptors.reading import Annotated

NEAR = 0.6  # share of words that two captions nearly equal have in common, of all their words


def groups_of(captions: Sequence[Annotated]) -> list[list[Annotated]]:
    """Part captions into groups, in order of first appearance.

    Two captions are in one group where they have the same words, where they
    have at least ``NEAR`` of their distinct words in common, where both tell
    of one clip (``Annotated.clip``), or where others join them.
    """
    parents = list(range(len(captions)))
    for first, second in _pairs(captions):
        _join(parents, first, second)
    found: dict[int, list[Annotated]] = defaultdict(list)
    for place, caption in enumerate(captions):
        found[_root(parents, place)].append(caption)
    return list(found.values())


def _pairs(captions: Sequence[Annotated]) -> Iterator[tuple[int, int]]:
    """Give places of captions that belong together, enough of them to join all that do."""
    known: dict[tuple[str, str], int] = {}
    for place, caption in enumerate(captions):
        names = [("text", caption.key)] + [("clip", caption.clip)] * bool(caption.clip)
        for name in names:
            if name in known:
                yield known[name], place
            known.setdefault(name, place)
    yield from _near([frozenset(caption.words) for caption in captions])


def _near(bags: Sequence[frozenset[str]]) -> Iterator[tuple[int, int]]:
    """Give places of bags that have enough words in common.

    Not every pair is compared: bags that share ``NEAR`` of their words also
    share one of the rarest words of each, as many as may be missing and one
    more (Chaudhuri et al., ICDE 2006, prefix filter).
    """
    often = Counter(word for bag in bags for word in bag)
    holders: dict[str, list[int]] = defaultdict(list)
    for place, bag in enumerate(bags):
        rarest = sorted(bag, key=lambda word: (often[word], word))
        first = rarest[: len(bag) - math.ceil(NEAR * len(bag)) + 1]
        for other in sorted({other for word in first for other in holders[word]}):
            if len(bag & bags[other]) >= NEAR * len(bag | bags[other]):
                yield other, place
        for word in first:
            holders[word].append(place)


def _join(parents: list[int], first: int, second: int) -> None:
    low, high = sorted((_root(parents, first), _root(parents, second)))
    parents[high] = low


def _root(parents: list[int], place: int) -> int:
    while parents[place] != place:
        parents[place] = parents[parents[place]]
        place = parents[place]
    return place
