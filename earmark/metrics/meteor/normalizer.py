r"""What METEOR's ``-norm`` does to a caption that is tokenised already.

Only what English needs: hyphens and apostrophes are split, quotes and dashes
unified, other symbols set apart, final dots kept for abbreviations alone. A
caption of plain letters and digits comes out as it went in. Source: the
behaviour of METEOR 1.5, class Normalizer, keeping punctuation; Java's
``\p{Digit}`` and ``\s`` are ASCII.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import zip_longest

from earmark.metrics.meteor.files import read_lists

_ALPHA = (
    "A-Za-z\u0160\u017d\u0161\u017e\u0178\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017e"
    "\u0400-\u04ff\u0500-\u0527\ua640-\ua66e\ua67e-\ua697\u1d00-\u1d7f"
)
_ALNUM = "0-9" + _ALPHA
_JAVA_SPACE = " \t\n\x0b\f\r"
_WIDE_SPACES = "\u2000-\u200a\u202f\u205f\u3000\u00a0"
# What Java's String.trim takes away.
_TRIMMED = "".join(map(chr, range(0x21)))

_PLAIN = re.compile("[a-z0-9 ]*")
_OTHER = re.compile(rf"([^{_ALNUM}{_JAVA_SPACE}.'`,\-\u2018\u2019])")
_DOTS = re.compile(r"\.(\.+)")
_DOTS_END = re.compile(r"DOTMULTI\.([^.])")
_COMMAS = (
    re.compile(r"([^0-9]),([^0-9])"),
    re.compile(r"([0-9]),([^0-9])"),
    re.compile(r"([^0-9]),([0-9])"),
)
_SINGLE_QUOTE = re.compile("[`\u2018\u2019]")
_DOUBLE_QUOTE = re.compile("[\u201c\u201d]|''")
_HYPHEN = re.compile(rf"([{_ALNUM}.])-([{_ALNUM}])")
_APOSTROPHES = (
    (re.compile(rf"([^{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([^{_ALPHA}0-9])'([{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{_ALPHA}])'([^{_ALPHA}])"), r"\1 ' \2"),
    (re.compile(rf"([{_ALPHA}])'([{_ALPHA}])"), r"\1 '\2"),
    (re.compile("([0-9])'(s)"), r"\1 '\2"),
)
_SPACES = re.compile(f"[ {_WIDE_SPACES}]+")
_TOKENS = re.compile("[^ \t\n\r\f]+")
_HAS_LETTER = re.compile(f"[{_ALPHA}]")
_LOWER_FIRST = re.compile("[a-z]")
_DIGIT_FIRST = re.compile("[0-9]")


@cache
def _prefixes() -> Mapping[str, bool]:
    """Words that keep their dot; True for those that do so only before a number."""
    (lines,) = read_lists("nonbreaking/english.prefixes")
    fields = (line.split() for line in lines)
    return {
        words[0]: words[1:2] == ["#NUMERIC_ONLY#"]
        for words in fields
        if words and not words[0].startswith("#")
    }


def words_of(tokens: Sequence[str]) -> tuple[str, ...]:
    """Lower-case words that METEOR aligns, from a caption's PTB tokens.

    As in pycocoevalcap the field separator ``|||`` is taken out.
    """
    text = " ".join(tokens)
    if _PLAIN.fullmatch(text):
        return tuple(text.split())
    line = text.replace("|||", "").replace("  ", " ").strip(_TRIMMED)
    return tuple(_TOKENS.findall(_normalize(line).lower()))


def _normalize(line: str) -> str:
    line = _OTHER.sub(r" \1 ", f" {line} ")
    line = _mark_dots(line)
    for comma in _COMMAS:
        line = comma.sub(r"\1 , \2", line)
    line = _SINGLE_QUOTE.sub("'", line)
    line = _DOUBLE_QUOTE.sub(' " ', line)
    line = line.replace("\u2013", "-").replace("--", "-")
    line = _HYPHEN.sub(r"\1 \2", line)
    for apostrophe, replacement in _APOSTROPHES:
        line = apostrophe.sub(replacement, line)
    line = _final_dots(_TOKENS.findall(line))
    line = _unmark_dots(line)
    return _SPACES.sub(" ", line).strip(_TRIMMED)


def _mark_dots(line: str) -> str:
    """Hide runs of dots behind a word for each dot."""
    line = _DOTS.sub(r" DOTMULTI\1", line)
    while "DOTMULTI." in line:
        line = _DOTS_END.sub(r"DOTDOTMULTI \1", line)
        line = line.replace("DOTMULTI.", "DOTDOTMULTI")
    return line


def _unmark_dots(line: str) -> str:
    while "DOTDOTMULTI" in line:
        line = line.replace("DOTDOTMULTI", "DOTMULTI.")
    return line.replace("DOTMULTI", ".")


def _final_dots(tokens: Sequence[str]) -> str:
    return "".join(
        (_final_dot(token, after) if len(token) > 1 and token.endswith(".") else token) + " "
        for token, after in zip_longest(tokens, tokens[1:], fillvalue="")
    )


def _final_dot(token: str, after: str) -> str:
    """Decide whether a word keeps its final dot, loses all dots or has it set apart."""
    base = token[:-1]
    if "." in base and _HAS_LETTER.search(base):
        return token.replace(".", "")
    only_before_number = _prefixes().get(base)
    if only_before_number is False or _LOWER_FIRST.match(after):
        return token
    if only_before_number and _DIGIT_FIRST.match(after):
        return token
    return base + " ."
