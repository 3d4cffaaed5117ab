"""What spaCy's rules make of a word with its tag and arc, each looked up once.

Two of the parser's steps go by rules: part of speech, and lemma. They take as long as the
parser itself, and what they say of a word follows from its form, tag and arc alone, but for a
few rules about two words ("gon na"). So they run once for each such word, and on a caption as
a whole only where one of its words may begin such a pair.
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
# Of words that may begin a pair: the rules have to see the caption.
NONE: Any = ()


class WordAttributes:
    """The rules of a pipeline, which is to be run without them."""

    def __init__(self, pipeline: Any) -> None:
        self._vocabulary = pipeline.vocab
        self._rules = [pipeline.get_pipe(name) for name in RULES]
        self._begins_pair = first_of_several(self._rules[0].patterns)
        self._known: dict[_Key, Attributes] = {}

    def of(self, documents: Sequence[Any]) -> list[list[Attributes]]:
        """Attributes of each token of parsed documents."""
        keyed = [[(token.orth, token.tag, token.dep) for token in one] for one in documents]
        if len(self._known) > MOST:
            self._known.clear()
        self._look_up({key for keys in keyed for key in keys} - self._known.keys())
        return [
            rows if all(rows := [self._known[key] for key in keys]) else self._by_rules(document)
            for document, keys in zip(documents, keyed, strict=True)
        ]

    def _look_up(self, new: set[_Key]) -> None:
        """Run the rules on words that are new, as if they stood in one document."""
        keys = sorted(new)
        texts = [[self._vocabulary.strings[number] for number in key] for key in keys]
        alone = [not self._begins_pair(word.lower(), arc) for word, _, arc in texts]
        self._known.update((key, NONE) for key, one in zip(keys, alone, strict=True) if not one)
        single = [(key, text) for key, text, one in zip(keys, texts, alone, strict=True) if one]
        if single:
            document = self._document([text for _, text in single])
            looked_up = self._by_rules(document)
            self._known.update(zip((key for key, _ in single), looked_up, strict=True))

    def _document(self, texts: Sequence[Sequence[str]]) -> Any:
        from spacy.tokens import Doc

        words, tags, arcs = (list(column) for column in zip(*texts, strict=True))
        return Doc(self._vocabulary, words, tags=tags, deps=arcs, heads=list(range(len(words))))

    def _by_rules(self, document: Any) -> list[Attributes]:
        for rules in self._rules:
            document = rules(document)
        return [(t.lemma_.lower(), t.tag_, t.pos_, t.dep_) for t in document]


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
