"""Names of people, places, products and the like, which do not sound."""

import re
import sys
from collections.abc import Iterator
from typing import NamedTuple

from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption, cut
from earmark.datasets.findings.dictionary import bare_word, is_english, is_proper
from earmark.datasets.findings.finding import FindingKind, FoundPlace
from earmark.datasets.findings.speech_words import NATIONAL
from earmark.datasets.findings.words import CaptionWord, begins_sentence, word_set, words_of
from earmark.text.placed_parse import NamedEntity, PlacedParse

# OntoNotes' other labels are numbers, times and amounts.
_LABELS = word_set("PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE")
# Abbreviations of things, which are written in capitals and name nobody.
_THINGS = word_set(
    """
    tv tvs dj djs cd cds dvd dvds mc pa cb am fm ac dc rc bb atv atvs suv suvs rv rvs hvac pc
    gps ufo lp vhs ok hz ad led usb diy pvc id i t
    """
)
# A word in lower case so many times as often as with a capital is no name.
_TIMES = 4
# What so many captions have is a word of the set's own.
_OWN_WORD_CAPTIONS = 10
_BESIDE = re.compile(r"[ \t.\-&]{1,3}")
_AT_END = NamedEntity(sys.maxsize, sys.maxsize, "")
_SHORTEST_ACRONYM = 3
# spaCy takes names without a capital for adjectives, too.
_NOMINAL = frozenset(("NN", "NNP", "NNPS", "JJ", "FW"))
_TITLE_WORDS = 5
_TITLE_SHARE = 0.6


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """Stretches of names, told by dictionaries, and by their capitals and spaCy."""
    text = cut(caption.text)
    words = list(words_of(text))
    parsed = _parsed_words(captions.parse(caption))
    words = [word for word in words if word.start in parsed]
    sure = {word for word in words if _is_known(text, word, parsed[word.start], captions)}
    capital = [word for word in words if text[word.start].isupper()]
    if _capitals_say_nothing(text, words):
        capital = []
    sure |= {word for word in capital if _is_name(text, word, parsed[word.start], captions)}
    entities = {parsed[word.start].end for word in sure} - {0}
    names = [
        word
        for word in words
        if word in sure or (word in capital and parsed[word.start].end in entities)
    ]
    yield from _stretches(text, names)


class _ParsedWord(NamedTuple):
    """Penn Treebank tag of a word; label and end of the entity that it is part of, or "" and 0."""

    tag: str
    label: str
    end: int


def _parsed_words(parse: PlacedParse) -> dict[int, _ParsedWord]:
    """Words by where they start."""
    entities = iter((*parse.entities, _AT_END))
    entity = next(entities)
    parsed = {}
    for token in parse.tokens:
        while entity.end <= token.start:
            entity = next(entities)
        inside = entity.start <= token.start
        label, end = (entity.label, entity.end) if inside else ("", 0)
        parsed[token.start] = _ParsedWord(token.tag, label, end)
    return parsed


def _capitals_say_nothing(text: str, words: list[CaptionWord]) -> bool:
    """Whether all is in capitals, or every word has one as in a title."""
    capitals = sum(text[word.start].isupper() for word in words)
    if capitals == 0 or text.isupper():
        return True
    return len(words) >= _TITLE_WORDS and capitals >= _TITLE_SHARE * len(words)


def _is_known(text: str, word: CaptionWord, parsed: _ParsedWord, captions: CheckedCaptions) -> bool:
    """Whether a noun, with a capital or without, is a name and no dictionary's common word."""
    beside = text[max(word.start - 1, 0) : word.start] + text[word.end : word.end + 1]
    if "-" in beside and text[word.start].islower():  # part of a word, such as "chang-clang"
        return False
    key = bare_word(word.key)
    own = captions.word_counts[word.key] >= _OWN_WORD_CAPTIONS
    return parsed.tag in _NOMINAL and not own and is_proper(key) and key not in _THINGS


def _is_name(text: str, word: CaptionWord, parsed: _ParsedWord, captions: CheckedCaptions) -> bool:
    """Whether a word with a capital is part of a name."""
    number = parsed.label and parsed.label not in _LABELS
    if number or word.key.removesuffix("'s") in _THINGS:
        return False
    if word.key in NATIONAL:
        return True
    if begins_sentence(text, word.start):
        return False
    acronym = len(word.key) >= _SHORTEST_ACRONYM and text[word.start : word.end].isupper()
    named = parsed.label and (parsed.tag.startswith("NNP") or parsed.tag == "JJ")
    unknown = parsed.tag in _NOMINAL and not is_english(word.key)
    return bool(named or acronym or unknown) and not _usually_lower(word, captions)


def _usually_lower(word: CaptionWord, captions: CheckedCaptions) -> bool:
    """Whether the set has a word mostly in lower case."""
    lower, upper = captions.lower_counts[word.key], captions.capital_counts[word.key]
    return lower >= _TIMES * max(upper, 1)


def _stretches(text: str, names: list[CaptionWord]) -> Iterator[FoundPlace]:
    """Names that stand side by side, as one; a possessive ending is no part of it."""
    spans: list[tuple[int, int]] = []
    for word in names:
        start = word.start
        if spans and _BESIDE.fullmatch(text, spans[-1][1], start):
            start = spans.pop()[0]
        spans.append((start, word.end))
    for start, end in spans:
        ending = text[end - 2 : end] in {"'s", "\u2019s"}
        yield FoundPlace(start, end - 2 if ending else end)


KIND = FindingKind(
    name="name",
    explanation="A name of a person, people, place, product or the like, which cannot be heard",
    find=find,
    parses=True,
)
