"""When two tuples say the same: slot by slot, by a shared word or WordNet synset."""

from collections.abc import Iterable
from functools import lru_cache

from scoring.metrics.meteor.lexicon import load_lexicon

SceneTuple = tuple[str, ...]

JOIN = "/"


@lru_cache(maxsize=1 << 16)
def keys(slot: str) -> frozenset[str]:
    """Give what a slot may share with another: its words and METEOR's synsets of them.

    A slot that was merged from synonyms ("voice/sound") has the keys of each.
    """
    lexicon = load_lexicon()
    words = slot.split(JOIN)
    synsets = (lexicon.synsets(word) for word in words)
    return frozenset(f"={word}" for word in words).union(*synsets)


def slots_match(one: str, other: str) -> bool:
    """Say whether two slots share a word or a synset."""
    return not keys(one).isdisjoint(keys(other))


def tuples_match(one: SceneTuple, other: SceneTuple) -> bool:
    """Say whether two tuples have equally many slots and all of them match in turn."""
    return len(one) == len(other) and all(map(slots_match, one, other))


def split_matched(
    candidate: Iterable[SceneTuple], references: Iterable[SceneTuple]
) -> tuple[list[SceneTuple], list[SceneTuple]]:
    """Part the candidate's tuples into those with a match and those without."""
    theirs = list(references)
    matched: list[SceneTuple] = []
    invented: list[SceneTuple] = []
    for mine in candidate:
        found = any(tuples_match(mine, other) for other in theirs)
        (matched if found else invented).append(mine)
    return matched, invented
