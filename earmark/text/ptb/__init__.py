"""Tokens as COCO's caption evaluation has them: Penn Treebank tokens without punctuation."""

from functools import cache

from earmark.text.ptb.lexer import Lexer, as_characters, as_units

# From `ptbtokenizer.py` of pycocoevalcap 1.2. Brackets get through as `-lrb-` and so on: the list
# has them in capitals, and is applied to lower-case tokens.
PUNCTUATION = frozenset(
    [*("''", "'", "``", "`"), *("-LRB-", "-RRB-", "-LCB-", "-RCB-"), *".?!,:-;", "--", "..."]
)
# How the tokens are named in signatures: the program and version whose tokens these are.
IDENTITY = "ptb-3.4.1"
LINE_ENDS = str.maketrans(dict.fromkeys("\n\r", " "))


@cache
def shared_lexer() -> Lexer:
    """The lexer, made on first use."""
    return Lexer()


def tokenize(caption: str) -> list[str]:
    """Cut a caption into lower-case tokens, as COCO's evaluation does.

    The same tokens as Stanford PTBTokenizer 3.4.1 with `-preserveLines -lowerCase`, less COCO's
    punctuation. The caption is one line of input, alone or before a line that does not bear on it:
    an initial at its end keeps its stop (`vitamin c.`), which Java takes off where the next line
    starts with one of about forty words. Line ends within the caption count as blanks. Tokens
    hold no space, but may hold a no-break space (`5 1/2` is one token). The list is empty when
    nothing but punctuation is there. Any text is taken; characters that Java cannot tokenise are
    dropped.
    """
    text = as_units(caption.translate(LINE_ENDS) + "\n")
    tokens = [as_characters(token).lower() for token in shared_lexer().tokens(text)]
    return [token for token in tokens if token not in PUNCTUATION]
