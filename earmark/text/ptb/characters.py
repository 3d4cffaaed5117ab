"""Sets of characters that the token rules are written with."""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

Ranges = tuple[tuple[int, int], ...]

LAST_OF_PLANE_ZERO = 0xFFFF
REMEMBERED_CHARACTERS = 4096

# What Java's case mapping joins to a letter, beside its own other case.
CASE_PARTNERS = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}

# Letters and digits by Unicode 14 that had no such class in Unicode 6.0, which the lexer knows.
LATER_LETTERS = (
    "037F 0528-052F 0560 0588 05EF 0860-086A 0870-0887 0889-088E 08A1 08AD-08C9 0978 0980 09FC "
    "0AF9 0C34 0C5A 0C5D 0C80 0CDD 0D04 0D54-0D56 0D5F 0DE6-0DEF 0E86 0E89 0E8C 0E8E-0E93 0E98 "
    "0EA0 0EA8-0EA9 0EAC 13F5 13F8-13FD 16F1-16F8 170D 171F 1878 191D-191E 19B0-19C0 19C8-19C9 "
    "1B4C 1C80-1C88 1C90-1CBA 1CBD-1CBF 1CF2-1CF3 1CFA 2C2F 2C5F 312E-312F 31BB-31BF 4DB6-4DBF "
    "9FCD-9FFF A698-A69D A78F A794-A79F A7AB-A7CA A7D0-A7D1 A7D3 A7D5-A7D9 A7F2-A7F7 A8FD-A8FE "
    "A9E0-A9E4 A9E6-A9FE AA7E-AA7F AB30-AB5A AB5C-AB69 AB70-ABBF"
)
# Letters of Unicode 6.0 that Unicode 14 counts as marks.
EARLIER_LETTERS = range(0x1885, 0x1887)
# Letters that gained a case after Unicode 6.0 (Cherokee).
LATER_CAPITALS = "13A0-13F5"


def parse_ranges(text: str) -> Ranges:
    """Read `0041-005A 00AD` as sorted pairs of first and last code point, both included."""
    pairs = (item.partition("-") for item in text.split())
    return tuple(sorted((int(first, 16), int(last or first, 16)) for first, _, last in pairs))


def in_ranges(code: int, ranges: Ranges) -> bool:
    """Whether a code point lies in one of the sorted ranges."""
    place = bisect_right(ranges, (code, LAST_OF_PLANE_ZERO)) - 1
    return place >= 0 and ranges[place][0] <= code <= ranges[place][1]


@cache
def ranges_after_unicode_6() -> tuple[Ranges, Ranges]:
    """Ranges of letters and of capitals that Unicode got after version 6.0."""
    return parse_ranges(LATER_LETTERS), parse_ranges(LATER_CAPITALS)


def is_known(code: int) -> bool:
    """Whether the lexer's Unicode and Python's put the character into the same class."""
    return code <= LAST_OF_PLANE_ZERO and not in_ranges(code, ranges_after_unicode_6()[0])


def is_letter(code: int) -> bool:
    """Whether the lexer takes the code point for a letter of some script."""
    return (chr(code).isalpha() and is_known(code)) or code in EARLIER_LETTERS


def is_digit(code: int) -> bool:
    """Whether the lexer takes the code point for a decimal digit of some script."""
    return chr(code).isdecimal() and is_known(code)


def is_capital(code: int) -> bool:
    """Whether the lexer takes the code point for a capital, numerals and circled included."""
    return (
        chr(code).isupper() and is_known(code) and not in_ranges(code, ranges_after_unicode_6()[1])
    )


KINDS: Mapping[str, Callable[[int], bool]] = {
    "alpha": is_letter,
    "decimal": is_digit,
    "capital": is_capital,
}


@dataclass(frozen=True)
class CharacterSet:
    """Code points given by ranges and by kinds, or all others when `negated`."""

    ranges: Ranges
    kinds: frozenset[str] = frozenset()
    negated: bool = False

    def __contains__(self, code: int) -> bool:
        """Whether the code point is in the set."""
        listed = in_ranges(code, self.ranges) or any(KINDS[kind](code) for kind in self.kinds)
        return listed is not self.negated


def either_case(letter: str) -> CharacterSet:
    """Set that a literal character of a rule matches: both cases and their partners."""
    partners = CASE_PARTNERS.get(letter.lower(), "")
    codes = {ord(form) for form in {letter, letter.lower(), letter.upper(), *partners}}
    return CharacterSet(tuple((code, code) for code in sorted(codes)))


class Alphabet:
    """Sorts characters into classes that no rule tells apart.

    A class is a bit mask: bit n is set when its characters are in set n. There are about a hundred
    classes, whatever text comes.
    """

    def __init__(self) -> None:
        self._sets: dict[CharacterSet, int] = {}
        self.classify = lru_cache(REMEMBERED_CHARACTERS)(self._classify)

    def add(self, members: CharacterSet) -> int:
        """Number of a set: the same for the same set. Add all sets before any text."""
        return self._sets.setdefault(members, len(self._sets))

    def _classify(self, char: str) -> int:
        code = ord(char)
        return sum(1 << number for members, number in self._sets.items() if code in members)
