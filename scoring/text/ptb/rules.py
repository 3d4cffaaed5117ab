"""The token rules, in the order in which they win over rules that match as much text.

They describe the language of Stanford PTBTokenizer 3.4.1, oddities included. Which rule matches how
much was compared with the program for every state that its matching can reach; `tests.bench`
compares whole captions.
"""

from dataclasses import dataclass
from enum import Enum, auto

from scoring.text.ptb.parts import SENTENCE_OPENERS, any_capitalised


class Form(Enum):
    """How matched text becomes a token; `forms` says what each does."""

    NOTHING = auto()
    PLAIN = auto()
    SOFT = auto()
    OPENING_QUOTE = auto()
    CLOSING_QUOTE = auto()
    DASH = auto()
    HYPHENS = auto()
    ELLIPSIS = auto()
    FRACTION = auto()
    MONEY = auto()
    BRACKET = auto()
    FACE = auto()
    SPACED = auto()
    PHONE = auto()
    AMPERSAND = auto()
    ANGLE = auto()
    STOPPED = auto()
    INITIAL = auto()


@dataclass(frozen=True)
class TokenRule:
    """One rule: text of the shape `body`, where text of the shape `after` follows.

    What follows counts towards the length that decides between rules and stays in the input.
    """

    body: str
    form: Form = Form.PLAIN
    after: str = ""


RULES: tuple[TokenRule, ...] = (
    TokenRule("can", after="not"),
    TokenRule("gon|wan", after="na"),
    TokenRule("got", after="ta"),
    TokenRule("lem|gim", after="me"),
    TokenRule("'t", after="is|was"),
    TokenRule("{tag}", Form.SPACED),
    TokenRule(r"&(MD|mdash|ndash);|[\u0096\u0097\u2013-\u2015]", Form.DASH),
    TokenRule("&amp;", Form.AMPERSAND),
    TokenRule(r"&(HT|TL|UR|LR|QC|QL|QR|odq|cdq|\#[0-9]+);"),
    TokenRule("{word}", Form.SOFT, after="{auxiliary}"),
    TokenRule("{negated}", Form.SOFT, after="{negation}"),
    TokenRule("{word}", Form.SOFT),
    TokenRule("{elided}"),
    TokenRule("y{apostrophe}", after=r"\L"),
    TokenRule("{url}"),
    TokenRule("{site}"),
    TokenRule("{email}"),
    TokenRule(r"@[a-zA-Z_][a-zA-Z_0-9]*"),
    TokenRule(r"\#{letter}+"),
    TokenRule("{auxiliary}", Form.CLOSING_QUOTE, after="[^A-Za-z]"),
    TokenRule("{negation}", Form.CLOSING_QUOTE, after="[^A-Za-z]"),
    TokenRule("{date}"),
    TokenRule(r"[-+]?({number})", Form.SOFT),
    TokenRule(
        r"[\u207A\u207B\u208A\u208B]?([\u2070\u00B9\u00B2\u00B3\u2074-\u2079]+|[\u2080-\u2089]+)"
    ),
    TokenRule("{fraction}", Form.SPACED),
    TokenRule(r"[\u00BC-\u00BE\u2153-\u215E]", Form.FRACTION),
    TokenRule(
        r"""-(RRB|LRB|RCB|LCB|RSB|LSB)- | C\.D\.s | pro- | anti- | S(&|&amp;)P-500 | S(&|&amp;)Ls
        | Cap{apostrophe}n | c{apostrophe}est""",
        Form.AMPERSAND,
    ),
    TokenRule("{apostrophe}[0-9][0-9]", after="{gap}"),
    TokenRule(r"{slashed}"),
    TokenRule("{dollar}"),
    TokenRule("{coin}", Form.MONEY),
    TokenRule(
        r"({acronym})\.",
        Form.INITIAL,
        after=rf"({{gap}})+({any_capitalised(SENTENCE_OPENERS)}|[M](r|s)\.|{{tag}})({{gap}})",
    ),
    TokenRule("{numbered}", after="({gap})?{digit}"),
    TokenRule(r"(co|pte|pty)\.", after="({blank})(lim|ltd)"),
    TokenRule("{common}", Form.STOPPED, after="{sentence_end}"),
    TokenRule("{common}", after="[^][^]"),
    TokenRule("{common}", Form.STOPPED),
    TokenRule(r"({title})\."),
    TokenRule(r"({acronym})\."),
    TokenRule("{phone}", Form.PHONE),
    TokenRule('"|&quot;', Form.OPENING_QUOTE, after="[A-Za-z0-9$]"),
    TokenRule('"|&quot;', Form.CLOSING_QUOTE),
    TokenRule(r"(c|f)\# | c\+\+ | << | >>"),
    TokenRule("<|&lt;", Form.ANGLE),
    TokenRule(">|&gt;", Form.ANGLE),
    TokenRule("{smiley}", Form.FACE, after="[^A-Za-z0-9]"),
    TokenRule("{asian_smiley}", Form.FACE),
    TokenRule(r"[\[\](){}]", Form.BRACKET),
    TokenRule(r"-+", Form.HYPHENS),
    TokenRule(r"\.{3,5}|\.([\u0020\u00A0]\.){2,4}|[\u2026\u0085]", Form.ELLIPSIS),
    TokenRule(r"@+|\#+|_+"),
    TokenRule(r"\*+|(\\\*){1,3}"),
    TokenRule(r"[,;:\u3001]"),
    TokenRule(r"[?!]+"),
    TokenRule(r"\."),
    TokenRule(r"="),
    TokenRule(r"/"),
    TokenRule("{file}", after=r"{gap}|[.?!,]"),
    TokenRule(r"({word})\.", Form.SOFT, after=r"[,;:\u3001]"),
    TokenRule("{acronym}", after="{gap}"),
    TokenRule("{title}", after="{blank}"),
    TokenRule("{joined}", Form.SOFT),
    TokenRule("{thing}"),
    TokenRule("{ampersands}", Form.AMPERSAND),
    TokenRule(r"({joined})\.", Form.SOFT, after=r"[,;:\u3001]"),
    TokenRule(r"({thing})\.", after=r"[,;:\u3001]"),
    TokenRule(r"({ampersands})\.", Form.AMPERSAND, after=r"[,;:\u3001]"),
    TokenRule(r"'", Form.OPENING_QUOTE, after=r"[A-Za-z][^\u0020\t\n\r\u00A0]"),
    TokenRule("{auxiliary}|{negation}", Form.CLOSING_QUOTE),
    TokenRule(
        r"{apostrophe}|''|[`\u2018\u2019\u201A-\u201F\u0091-\u0094\u2039\u203A\u00AB\u00BB]{1,2}",
        Form.CLOSING_QUOTE,
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
    TokenRule("({blank})+|&nbsp;", Form.NOTHING),
    TokenRule("{newline}", Form.NOTHING),
    TokenRule(r"[\u0000\u007F\u200B\u200E\u200F\uFEFF]", Form.NOTHING),
)
