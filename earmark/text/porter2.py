"""The English Snowball stemmer (Porter2), as of the year 2010.

METEOR 1.5 ships this version. Packages on PyPI follow later revisions of the
algorithm or deviate in corners ("added" -> "add", "biologist" -> "biolog",
"irrationally" -> "irrate"), so it is written out here. Source: Porter, The
English (Porter2) stemming algorithm, snowballstem.org.
"""

from functools import lru_cache

_VOWELS = frozenset("aeiouy")
_NOT_SHORT_END = frozenset("aeiouywxY")
_DOUBLES = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
_LI_ENDINGS = frozenset("cdeghkmnrt")
_LONG_PREFIXES = ("gener", "commun", "arsen")

_WHOLE_WORDS = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}
_KEPT_AFTER_PLURAL = frozenset(
    ("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed")
)

_STEP_2 = {
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "abli": "able",
    "entli": "ent",
    "izer": "ize",
    "ization": "ize",
    "ational": "ate",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "aliti": "al",
    "alli": "al",
    "fulness": "ful",
    "ousli": "ous",
    "ousness": "ous",
    "iveness": "ive",
    "iviti": "ive",
    "biliti": "ble",
    "bli": "ble",
    "ogi": "og",
    "fulli": "ful",
    "lessli": "less",
    "li": "",
}
_STEP_3 = {
    "tional": "tion",
    "ational": "ate",
    "alize": "al",
    "icate": "ic",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
    "ative": "",
}
_STEP_4 = dict.fromkeys(
    (
        *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent"),
        *("ism", "ate", "iti", "ous", "ive", "ize", "ion"),
    ),
    "",
)


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Stem of a lower-case English word; words of up to two letters stay.

    >>> [stem(word) for word in ("chirping", "added", "skies", "generously")]
    ['chirp', 'ad', 'sky', 'generous']
    """
    if word in _WHOLE_WORDS:
        return _WHOLE_WORDS[word]
    if len(word) <= 2:
        return word
    word = _mark_consonant_y(word.removeprefix("'"))
    first, second = _regions(word)
    word = _drop_plural(_drop_possessive(word))
    if word not in _KEPT_AFTER_PLURAL:
        word = _final_y(_drop_past_and_gerund(word, first))
        word = _step_2(word, first)
        word = _step_3(word, first, second)
        word = _step_4(word, second)
        word = _step_5(word, first, second)
    return word.replace("Y", "y")


def _mark_consonant_y(word: str) -> str:
    """Write a y at the start or after a vowel as Y."""
    if "y" not in word:
        return word
    letters = list(word)
    for at, letter in enumerate(letters):
        if letter == "y" and (at == 0 or letters[at - 1] in _VOWELS):
            letters[at] = "Y"
    return "".join(letters)


def _after_vowel_consonant(word: str, start: int) -> int:
    """Find the place after the first non-vowel that follows a vowel."""
    for at in range(start + 1, len(word)):
        if word[at] not in _VOWELS and word[at - 1] in _VOWELS:
            return at + 1
    return len(word)


def _regions(word: str) -> tuple[int, int]:
    """Starts of the regions R1 and R2."""
    for prefix in _LONG_PREFIXES:
        if word.startswith(prefix):
            first = len(prefix)
            break
    else:
        first = _after_vowel_consonant(word, 0)
    return first, _after_vowel_consonant(word, first)


def _has_vowel(part: str) -> bool:
    return not _VOWELS.isdisjoint(part)


def _ends_in_short_syllable(word: str) -> bool:
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    return (
        len(word) > 2
        and word[-3] not in _VOWELS
        and word[-2] in _VOWELS
        and word[-1] not in _NOT_SHORT_END
    )


def _longest_suffix(word: str, table: dict[str, str], longest: int) -> str:
    for length in range(min(longest, len(word)), 0, -1):
        suffix = word[-length:]
        if suffix in table:
            return suffix
    return ""


def _drop_possessive(word: str) -> str:
    for suffix in ("'s'", "'s", "'"):
        if word.endswith(suffix):
            return word[: -len(suffix)]
    return word


def _drop_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _drop_past_and_gerund(word: str, first: int) -> str:
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            at = len(word) - len(suffix)
            return word[: at + 2] if at >= first else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            base = word[: -len(suffix)]
            return _repair(base, first) if _has_vowel(base) else word
    return word


def _repair(base: str, first: int) -> str:
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-2:] in _DOUBLES:
        return base[:-1]
    if len(base) == first and _ends_in_short_syllable(base):
        return base + "e"
    return base


def _final_y(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        return word[:-1] + "i"
    return word


def _step_2(word: str, first: int) -> str:
    suffix = _longest_suffix(word, _STEP_2, 7)
    at = len(word) - len(suffix)
    if not suffix or at < first:
        return word
    if suffix == "ogi" and word[at - 1 : at] != "l":
        return word
    if suffix == "li" and word[at - 1 : at] not in _LI_ENDINGS:
        return word
    return word[:at] + _STEP_2[suffix]


def _step_3(word: str, first: int, second: int) -> str:
    suffix = _longest_suffix(word, _STEP_3, 7)
    at = len(word) - len(suffix)
    if not suffix or at < (second if suffix == "ative" else first):
        return word
    return word[:at] + _STEP_3[suffix]


def _step_4(word: str, second: int) -> str:
    suffix = _longest_suffix(word, _STEP_4, 5)
    at = len(word) - len(suffix)
    if not suffix or at < second:
        return word
    if suffix == "ion" and word[at - 1 : at] not in {"s", "t"}:
        return word
    return word[:at]


def _step_5(word: str, first: int, second: int) -> str:
    at = len(word) - 1
    if word.endswith("e"):
        if at >= second or (at >= first and not _ends_in_short_syllable(word[:-1])):
            return word[:-1]
    elif word.endswith("ll") and at >= second:
        return word[:-1]
    return word
