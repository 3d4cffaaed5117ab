"""Turns the text that a rule matched into a token."""

import re
from collections.abc import Callable, Mapping

from scoring.text.ptb.rules import Form

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
