"""What a word means where sounds are told of: one synset of WordNet per part of speech.

Words mostly have their most common meaning (section 3.2 of the paper), so it is the first
synset; but of the first few, one that is a sound goes before the others.
"""

from functools import cache, lru_cache

from earmark.text.wordnet import Pos, load_wordnet

_Places = tuple[tuple[str, int], ...]

# (noun, place among its senses): what is below one of these is a sound, an object, something of
# the physical world (an object, a substance, the weather), or a noun at all.
_SOUNDS: _Places = (("sound", 0), ("sound", 1), ("sound", 3), ("utterance", 0), ("speech", 1))
_OBJECTS: _Places = (("object", 0),)
_PHYSICAL: _Places = (("physical_entity", 0),)
_NOUNS: _Places = (("entity", 0),)


@cache
def is_sound(synset: int) -> bool:
    """Whether a noun is a sound; a verb is one where a noun derived from it is."""
    return _is_below(synset, _SOUNDS) or (not is_noun(synset) and bool(sound_nouns(synset)))


@cache
def sound_nouns(synset: int) -> tuple[int, ...]:
    """Nouns for sounds that are derived from a synset."""
    return tuple(one for one in load_wordnet().derived(synset) if _is_below(one, _SOUNDS))


def is_object(synset: int) -> bool:
    """Whether a noun is a thing that one can touch or a living being."""
    return _is_below(synset, _OBJECTS)


@cache
def is_physical(synset: int) -> bool:
    """Whether a noun is of the physical world: an object, a substance, the weather."""
    return _is_below(synset, _PHYSICAL)


@cache
def is_noun(synset: int) -> bool:
    """Whether a synset is a noun's."""
    return _is_below(synset, _NOUNS)


def _is_below(synset: int, places: _Places) -> bool:
    """Whether a synset is one of some nouns' senses, or below one."""
    return load_wordnet().is_under(synset, _roots(places))


@lru_cache(maxsize=65_536)
def meaning(lemma: str, pos: Pos, senses: int) -> int | None:
    """Take the first of the first ``senses`` synsets that is a sound, else the first of all."""
    first = load_wordnet().senses(lemma, pos, senses)
    return next((one for one in first if is_sound(one)), first[0] if first else None)


@cache
def _roots(places: _Places) -> frozenset[int]:
    return frozenset(load_wordnet().senses(noun, "n")[place] for noun, place in places)
