"""The token rules, in the order in which they win over rules that match as much text, and forms.

They describe the language of Stanford PTBTokenizer 3.4.1, oddities included. Which rule matches how
much was compared with the program for every state that its matching can reach; `tests.bench`
compares whole captions.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from earmark.text.ptb.parts import SENTENCE_OPENERS, any_capitalised

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


def ampersand(text: str) -> str:
    """Write the entity as the sign."""
    return AMPERSAND_ENTITY.sub("&", text)


def angle(text: str) -> str:
    """Write an angle bracket or its entity as the sign."""
    return "<" if text[:2].lower() in {"<", "&l"} else ">"


@dataclass(frozen=True)
class TokenRule:
    """One rule: text of the shape `body`, where text of the shape `after` follows.

    What follows counts towards the length that decides between rules and stays in the input.
    `form` writes the token; without one there is none. `gives_back_stop`: the last character
    belongs to the token and is a full stop of its own as well.
    """

    body: str
    form: Callable[[str], str] | None = unchanged
    after: str = ""
    gives_back_stop: bool = False


RULES: tuple[TokenRule, ...] = (
    TokenRule("can", after="not"),
    TokenRule("gon|wan", after="na"),
    TokenRule("got", after="ta"),
    TokenRule("lem|gim", after="me"),
    TokenRule("'t", after="is|was"),
    TokenRule("{tag}", without_blanks),
    TokenRule(r"&(MD|mdash|ndash);|[\u0096\u0097\u2013-\u2015]", lambda _: "--"),
    TokenRule("&amp;", ampersand),
    TokenRule(r"&(HT|TL|UR|LR|QC|QL|QR|odq|cdq|\#[0-9]+);"),
    TokenRule("{word}", without_soft_hyphens, after="{auxiliary}"),
    TokenRule("{negated}", without_soft_hyphens, after="{negation}"),
    TokenRule("{word}", without_soft_hyphens),
    TokenRule("{elided}"),
    TokenRule("y{apostrophe}", after=r"\L"),
    TokenRule("{url}"),
    TokenRule("{site}"),
    TokenRule("{email}"),
    TokenRule(r"@[a-zA-Z_][a-zA-Z_0-9]*"),
    TokenRule(r"\#{letter}+"),
    TokenRule("{auxiliary}", closing_quote, after="[^A-Za-z]"),
    TokenRule("{negation}", closing_quote, after="[^A-Za-z]"),
    TokenRule("{date}"),
    TokenRule(r"[-+]?({number})", without_soft_hyphens),
    TokenRule(
        r"[\u207A\u207B\u208A\u208B]?([\u2070\u00B9\u00B2\u00B3\u2074-\u2079]+|[\u2080-\u2089]+)"
    ),
    TokenRule("{fraction}", without_blanks),
    TokenRule(r"[\u00BC-\u00BE\u2153-\u215E]", lambda text: text.translate(FRACTIONS)),
    TokenRule(
        r"""-(RRB|LRB|RCB|LCB|RSB|LSB)- | C\.D\.s | pro- | anti- | S(&|&amp;)P-500 | S(&|&amp;)Ls
        | Cap{apostrophe}n | c{apostrophe}est""",
        ampersand,
    ),
    TokenRule("{apostrophe}[0-9][0-9]", after="{gap}"),
    TokenRule(r"{slashed}"),
    TokenRule("{dollar}"),
    TokenRule("{coin}", lambda text: text.translate(COINS)),
    TokenRule(
        r"({acronym})\.",
        initial,
        after=rf"({{gap}})+({any_capitalised(SENTENCE_OPENERS)}|[M](r|s)\.|{{tag}})({{gap}})",
        gives_back_stop=True,
    ),
    TokenRule("{numbered}", after="({gap})?{digit}"),
    TokenRule(r"(co|pte|pty)\.", after="({blank})(lim|ltd)"),
    TokenRule("{common}", after="{sentence_end}", gives_back_stop=True),
    TokenRule("{common}", after="[^][^]"),
    TokenRule("{common}", gives_back_stop=True),
    TokenRule(r"({title})\."),
    TokenRule(r"({acronym})\."),
    TokenRule("{phone}", phone),
    TokenRule('"|&quot;', opening_quote, after="[A-Za-z0-9$]"),
    TokenRule('"|&quot;', closing_quote),
    TokenRule(r"(c|f)\# | c\+\+ | << | >>"),
    TokenRule("<|&lt;", angle),
    TokenRule(">|&gt;", angle),
    TokenRule("{smiley}", named_parentheses, after="[^A-Za-z0-9]"),
    TokenRule("{asian_smiley}", named_parentheses),
    TokenRule(r"[\[\](){}]", BRACKETS.__getitem__),
    TokenRule(r"-+", hyphens),
    TokenRule(r"\.{3,5}|\.([\u0020\u00A0]\.){2,4}|[\u2026\u0085]", lambda _: "..."),
    TokenRule(r"@+|\#+|_+"),
    TokenRule(r"\*+|(\\\*){1,3}"),
    TokenRule(r"[,;:\u3001]"),
    TokenRule(r"[?!]+"),
    TokenRule(r"\."),
    TokenRule(r"="),
    TokenRule(r"/"),
    TokenRule("{file}", after=r"{gap}|[.?!,]"),
    TokenRule(r"({word})\.", without_soft_hyphens, after=r"[,;:\u3001]"),
    TokenRule("{acronym}", after="{gap}"),
    TokenRule("{title}", after="{blank}"),
    TokenRule("{joined}", without_soft_hyphens),
    TokenRule("{thing}"),
    TokenRule("{ampersands}", ampersand),
    TokenRule(r"({joined})\.", without_soft_hyphens, after=r"[,;:\u3001]"),
    TokenRule(r"({thing})\.", after=r"[,;:\u3001]"),
    TokenRule(r"({ampersands})\.", ampersand, after=r"[,;:\u3001]"),
    TokenRule(r"'", opening_quote, after=r"[A-Za-z][^\u0020\t\n\r\u00A0]"),
    TokenRule("{auxiliary}|{negation}", closing_quote),
    TokenRule(
        r"{apostrophe}|''|[`\u2018\u2019\u201A-\u201F\u0091-\u0094\u2039\u203A\u00AB\u00BB]{1,2}",
        closing_quote,
    ),
    TokenRule(
        r"[%\u2044\u00A1\u00A6-\u00A9\u00AC\u00AE-\u00B1\u00B4\u00B6-\u00B8\u00BF\u00D7\u00F7\u037E"
        r"\u0387\u0589\u05BE\u05C0\u05C3\u05C6\u05F3\u05F4\u0600-\u0603\u0606-\u060A\u060C\u0614"
        r"\u061B\u061E\u061F\u066A\u066D\u06D4\u0700-\u070D\u07F6-\u07F8\u0964\u0965\u0E4F\u1FBD"
        r"\u2016\u2017\u2020-\u2023\u2030-\u2038\u203B\u203E-\u2042\u207A-\u207E\u208A-\u208E\u2100"
        r"\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211E-\u2123\u2125\u2127\u2129\u212E"
        r"\u213A\u213B\u2140-\u2144\u214A-\u214D\u214F\u2190-\u2BFF\u3002\u3012\u30FB"
        r"\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65+&~^|\\]"
    ),
    TokenRule("({blank})+|&nbsp;", None),
    TokenRule("{newline}", None),
    TokenRule(r"[\u0000\u007F\u200B\u200E\u200F\uFEFF]", None),
)
