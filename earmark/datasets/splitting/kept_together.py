"""Clips that stay together: groups joined of what clips share, such as near-equal captions.

Two captions are near-equal where the Jaccard similarity of their sets of words is at least a
threshold (the resemblance of Broder, "On the resemblance and containment of documents", 1997,
with words for shingles). All such pairs are found, by prefix filtering (Chaudhuri, Ganti and
Kaushik, "A primitive operator for similarity joins in data cleaning", ICDE 2006): of two sets
that are similar enough, those words of each that remain when the most frequent ones are left
out as far as the threshold allows have one in common.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from earmark.datasets.splitting.words import Integers, caption_words

Words = frozenset[str]


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


def near_equal_clips(
    clips: Iterable[Sequence[str]], similarity: Fraction
) -> Iterator[tuple[int, ...]]:
    """Sets of clips, by place, that have near-equal captions; sets may have clips in common.

    Clips are given by their captions. ``similarity`` is above 0; 1 means the same words, in
    whatever order and number.
    """
    sets = ([frozenset(caption_words(text)) for text in captions] for captions in clips)
    return near_equal_sets(sets, similarity)


def near_equal_sets(
    clips: Iterable[Iterable[Words]], similarity: Fraction
) -> Iterator[tuple[int, ...]]:
    """``near_equal_clips`` of clips that are given by the words of their captions."""
    owners: defaultdict[Words, dict[int, None]] = defaultdict(dict)
    for place, sets in enumerate(clips):
        for words in sets:
            owners[words][place] = None
    owners.pop(frozenset(), None)
    yield from (tuple(places) for places in owners.values() if len(places) > 1)
    for one, other in _similar_pairs(list(owners), similarity):
        yield (*owners[one], *owners[other])


def _similar_pairs(sets: Sequence[Words], similarity: Fraction) -> Iterator[tuple[Words, Words]]:
    """All pairs of different sets that are at least so similar."""
    if similarity >= 1:
        return
    frequencies = Counter(word for words in sets for word in words)
    shorter: defaultdict[str, list[Words]] = defaultdict(list)
    for words in sorted(sets, key=lambda words: (len(words), sorted(words))):
        prefix = _prefix(words, frequencies, similarity)
        near = {other: None for word in prefix for other in shorter[word]}
        yield from ((words, other) for other in near if _are_similar(words, other, similarity))
        for word in prefix:
            shorter[word].append(words)


def _prefix(words: Words, frequencies: Counter[str], similarity: Fraction) -> list[str]:
    """The rarest words of a set, as many as every set that is similar enough shares one of."""
    shared = -(-similarity.numerator * len(words) // similarity.denominator)
    by_rarity = sorted(words, key=lambda word: (frequencies[word], word))
    return by_rarity[: len(words) - shared + 1]


def _are_similar(words: Words, other: Words, similarity: Fraction) -> bool:
    common = len(words & other)
    either = len(words) + len(other) - common
    return common * similarity.denominator >= either * similarity.numerator
