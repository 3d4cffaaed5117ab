"""Forms of English verbs: -ing undone with certainty, and the present tense made of a lemma."""

_VOWELS = set("aeiou")
_IRREGULAR = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_NEVER_DOUBLED = set("wxyhcjqv")


def third_person(lemma: str) -> str:
    """Third person singular of the present tense.

    >>> [third_person(lemma) for lemma in ("bark", "buzz", "cry", "play", "go")]
    ['barks', 'buzzes', 'cries', 'plays', 'goes']
    """
    if lemma in _IRREGULAR:
        return _IRREGULAR[lemma]
    if lemma.endswith(("s", "x", "z", "ch", "sh")):
        return f"{lemma}es"
    if lemma.endswith("y") and lemma[-2:-1] not in _VOWELS:
        return f"{lemma[:-1]}ies"
    return f"{lemma}s"


def participle(lemma: str) -> str:
    """The -ing form; a last consonant is doubled in verbs of one syllable alone.

    >>> [participle(lemma) for lemma in ("drip", "bounce", "die", "mutter", "flee")]
    ['dripping', 'bouncing', 'dying', 'muttering', 'fleeing']
    """
    if lemma.endswith("ie"):
        return f"{lemma[:-2]}ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")):
        return f"{lemma[:-1]}ing"
    if _ends_short(lemma) and sum(letter in _VOWELS for letter in lemma) == 1:
        return f"{lemma}{lemma[-1]}ing"
    return f"{lemma}ing"


def is_participle_of(word: str, lemma: str) -> bool:
    """Whether a word is the -ing form of a lemma, by the rules of spelling.

    >>> [is_participle_of(*pair) for pair in (("dripping", "drip"), ("driping", "drip"))]
    [True, False]
    """
    doubled = f"{lemma}{lemma[-1:]}ing"
    return word == participle(lemma) or (word == doubled and _ends_short(lemma))


def _ends_short(lemma: str) -> bool:
    """Whether a lemma ends in one vowel and one consonant, as "drip" and "travel" do."""
    if len(lemma) < 3 or lemma[-1] in _VOWELS | _NEVER_DOUBLED:
        return False
    return lemma[-2] in _VOWELS and lemma[-3] not in _VOWELS
