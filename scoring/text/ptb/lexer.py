"""Cuts text into Penn Treebank tokens, and writes each token in its form."""

import re
from collections.abc import Callable, Iterator, Mapping

from scoring.text.ptb.automaton import Machine, Vain
from scoring.text.ptb.parts import read_parts
from scoring.text.ptb.pattern import Pattern, Sequence, read_pattern
from scoring.text.ptb.rules import RULES, Form, TokenRule

PARENTHESES = {"(": "-LRB-", ")": "-RRB-"}
BRACKETS = {**PARENTHESES, "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
SHAPED_QUOTES = str.maketrans(
    {
        **dict.fromkeys("\u0091\u2018\u201b\u2039", "`"),
        **dict.fromkeys("\u0092\u2019\u203a", "'"),
        **dict.fromkeys("\u0093\u201c\u00ab", "``"),
        **dict.fromkeys("\u0094\u201d\u00bb", "''"),
    }
)
FRACTIONS = str.maketrans(
    {"\u00bc": "1/4", "\u00bd": "1/2", "\u00be": "3/4", "\u2153": "1/3", "\u2154": "2/3"}
)
COINS = str.maketrans(
    {"\u00a2": "cents", "\u00a3": "#", **dict.fromkeys("\u0080\u00a4\u20a0\u20ac", "$")}
)
AMPERSAND_ENTITY = re.compile("&amp;", re.IGNORECASE)


def unchanged(text: str) -> str:
    """Leave the text as it is."""
    return text


def without_soft_hyphens(text: str) -> str:
    """Remove soft hyphens; nothing but soft hyphens is one hyphen."""
    return text.replace("\u00ad", "") or "-"


def opening_quote(text: str) -> str:
    """Write quotation marks as backquotes; those with a shape keep their side."""
    plain = text.replace("&apos;", "`").replace("'", "`").replace("&quot;", '"').replace('"', "``")
    return plain.translate(SHAPED_QUOTES)


def closing_quote(text: str) -> str:
    """Write quotation marks as apostrophes; those with a shape keep their side."""
    plain = text.replace("&apos;", "'").replace("&quot;", '"').replace('"', "''")
    return plain.translate(SHAPED_QUOTES)


def hyphens(text: str) -> str:
    """Write three or four hyphens as a dash of two."""
    return "--" if len(text) in {3, 4} else text


def without_blanks(text: str) -> str:
    """Join a token that holds blanks with no-break spaces."""
    return text.replace(" ", "\u00a0")


def initial(text: str) -> str:
    """Take the stop off a single letter at the end of a sentence; leave it to U.S. and the like."""
    return text[:1] if len(text) == 2 else text


def named_parentheses(text: str) -> str:
    """Write parentheses by their names."""
    return "".join(PARENTHESES.get(char, char) for char in text)


def phone(text: str) -> str:
    """Join a telephone number and write its parentheses by their names."""
    return named_parentheses(without_blanks(text))


FORMS: Mapping[Form, Callable[[str], str]] = {
    Form.PLAIN: unchanged,
    Form.STOPPED: unchanged,
    Form.INITIAL: initial,
    Form.SOFT: without_soft_hyphens,
    Form.OPENING_QUOTE: opening_quote,
    Form.CLOSING_QUOTE: closing_quote,
    Form.DASH: lambda _: "--",
    Form.HYPHENS: hyphens,
    Form.ELLIPSIS: lambda _: "...",
    Form.FRACTION: lambda text: text.translate(FRACTIONS),
    Form.MONEY: lambda text: text.translate(COINS),
    Form.BRACKET: lambda text: BRACKETS[text],
    Form.FACE: named_parentheses,
    Form.SPACED: without_blanks,
    Form.PHONE: phone,
    Form.AMPERSAND: lambda text: AMPERSAND_ENTITY.sub("&", text),
    Form.ANGLE: lambda text: "<" if text[:2].lower() in {"<", "&l"} else ">",
}


# Their stop belongs to the token and is a full stop of its own as well.
GIVES_BACK_STOP = {Form.STOPPED, Form.INITIAL}

# Words of plain letters, each before a blank with at most a comma between. The rules always make
# one token of each, whatever its letters, but for the words that they cut in two. Most captions
# are almost wholly of this shape, and need no matching there.
PLAIN_RUN = re.compile(
    r"(?:(?!(?:cannot|gonna|wanna|gotta|lemme|gimme)\b)[A-Z]+,? )+", re.ASCII | re.IGNORECASE
)


class Follower:
    """Finds where the body of a rule ends when the rule also asks for what follows."""

    def __init__(self, body: Pattern, after: Pattern) -> None:
        self._body = Machine([body])
        self._after = Machine([after])

    def body_end(self, text: str, start: int, end: int) -> int:
        """Farthest end of the body such that the rest up to `end` is what has to follow."""
        for place in self._body.ends(text, start, end):
            if end in self._after.ends(text, place, end):
                return place
        return end


class Lexer:
    """The token rules made ready to run. Slow to make, so make one and keep it."""

    def __init__(self, rules: tuple[TokenRule, ...] = RULES) -> None:
        named = read_parts()
        bodies = [read_pattern(rule.body, named) for rule in rules]
        afters = [read_pattern(rule.after, named) if rule.after else None for rule in rules]
        pairs = list(zip(bodies, afters, strict=True))
        self._machine = Machine(
            body if after is None else Sequence((body, after)) for body, after in pairs
        )
        self._followers = [
            None if after is None else Follower(body, after) for body, after in pairs
        ]
        # One more at the end, found by the index NO_MATCH: what no rule knows gives no token.
        self._forms = [*(FORMS.get(rule.form) for rule in rules), None]
        self._given_back = [int(rule.form in GIVES_BACK_STOP) for rule in rules]

    def tokens(self, text: str) -> Iterator[str]:
        """Tokens of a text, punctuation included, in their own case.

        `text` is as `as_units` writes it, and so are the tokens. Characters that no rule knows are
        dropped.
        """
        place = 0
        vain: Vain = set()
        while place < len(text):
            run = PLAIN_RUN.match(text, place)
            if run is not None:
                yield from run[0].replace(",", " ,").split()
                place = run.end()
                continue
            rule, end = self._machine.longest(text, place, vain)
            form = self._forms[rule]
            if form is not None:
                follower = self._followers[rule]
                if follower is not None:
                    end = follower.body_end(text, place, end)
                yield form(text[place:end])
                end -= self._given_back[rule]
            # A character that no rule knows is passed over.
            place = max(end, place + 1)


def as_units(text: str) -> str:
    """Write characters beyond U+FFFF as two surrogates, the units that the rules count in."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    return "".join(map(chr, memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")))


def as_characters(units: str) -> str:
    """Undo `as_units`; half a pair becomes U+FFFD."""
    if units.isascii() or not any("\ud800" <= unit <= "\udfff" for unit in units):
        return units
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
