"""Near-equal captions: those that say almost the same words.

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

from scoring.datasets.splitting.words import caption_words

Words = frozenset[str]


def near_equal_clips(
    clips: Iterable[Sequence[str]], similarity: Fraction
) -> Iterator[tuple[int, ...]]:
    """Sets of clips, by place, that have near-equal captions; sets may have clips in common.

    Clips are given by their captions. ``similarity`` is above 0; 1 means the same words, in
    whatever order and number.
    """
    owners: defaultdict[Words, dict[int, None]] = defaultdict(dict)
    for place, captions in enumerate(clips):
        for caption in captions:
            owners[frozenset(caption_words(caption))][place] = None
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
