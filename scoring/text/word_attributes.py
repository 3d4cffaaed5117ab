"""What spaCy's rules make of a word with its tag and arc, each looked up once.

Two of the parser's steps go by rules: part of speech, and lemma. They take as long as the
parser itself, and what they say of a word follows from its form, tag and arc alone, but for a
few rules about two words ("gon na"). So they run on a caption only where one of its words is
new, or may begin such a pair.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

RULES = ("attribute_ruler", "lemmatizer")
# Of more words than captions have, all are forgotten, so that memory has a bound.
MOST = 200_000

# Form, tag and arc, as spaCy numbers them.
_Key = tuple[int, int, int]
# Lemma, tag, part of speech and arc.
Attributes = tuple[str, str, str, str]


class WordAttributes:
    """The rules of a pipeline, which is to be run without them."""

    def __init__(self, pipeline: Any) -> None:
        self._rules = [pipeline.get_pipe(name) for name in RULES]
        self._begins_pair = first_of_several(self._rules[0].patterns)
        self._known: dict[_Key, Attributes] = {}

    def of(self, document: Any) -> list[Attributes]:
        """Attributes of each token of a parsed document."""
        keys = [(token.orth, token.tag, token.dep) for token in document]
        known = self._known
        if all(key in known for key in keys):
            return [known[key] for key in keys]
        # Words that begin a pair stay new, so that no caption with one is looked up.
        told = any(self._begins_pair(token.lower_, token.dep_) for token in document)
        for rules in self._rules:
            document = rules(document)
        found = [(t.lemma_.lower(), t.tag_, t.pos_, t.dep_) for t in document]
        if not told:
            if len(known) > MOST:
                known.clear()
            known.update(zip(keys, found, strict=True))
        return found


def first_of_several(patterns: Sequence[Mapping[str, Any]]) -> Callable[[str, str], bool]:
    """Whether a word with its arc may be the first of those that a rule about several is for.

    Raises ValueError for a rule that does not say its first word or arc.
    """
    words: set[str] = set()
    shapes: list[str] = []
    arcs: set[str] = set()
    for first in (one[0] for rule in patterns for one in rule["patterns"] if len(one) > 1):
        word, arc = first.get("LOWER"), first.get("DEP")
        if isinstance(word, str):
            words.add(word)
        elif isinstance(word, dict) and list(word) == ["REGEX"]:
            shapes.append(word["REGEX"])
        elif isinstance(arc, str):
            arcs.add(arc)
        else:
            raise ValueError(f"The rule that begins with {first} is for any word")
    shape = re.compile("|".join(shapes)) if shapes else None

    def begins(word: str, arc: str) -> bool:
        return word in words or arc in arcs or bool(shape and shape.search(word))

    return begins
