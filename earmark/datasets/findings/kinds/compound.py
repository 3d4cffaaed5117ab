"""Compounds that the set writes in several ways: "nonstop", "non-stop", "non stop"."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption, cut
from earmark.datasets.findings.dictionary import is_english, is_prefix
from earmark.datasets.findings.finding import FindingKind, FoundPlace
from earmark.datasets.findings.words import CaptionWord, with_case_of, word_set, words_of
from earmark.text.placed_parse import PlacedParse, PlacedToken

_HYPHEN = re.compile("[-\u2010\u2011]")
_PARTS = (2, 3)
_SHORTEST = 5
# How the first part of a compound hangs on the second where both stand apart.
_MODIFIES = frozenset(("compound", "amod", "nmod", "npadvmod", "advmod", "nummod", "quantmod"))
_NO_PARTS = word_set(
    """
    a an the and or of to in on at by for with from is are was as it its this that these those
    his her their some any every each no not all very so too then while
    """
)

WaysOfWriting = dict[str, Counter[str]]


class _Way(NamedTuple):
    """One way in which a caption has a compound: its slice, the letters alone, and as written."""

    start: int
    end: int
    joined: str
    written: str


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """Compounds in another way than the set mostly has them."""
    ways = captions.once("compound", "", lambda: _counted(captions))
    text = cut(caption.text)
    for way in _ways(text, list(words_of(text))):
        written = ways.get(way.joined)
        if written is None:
            continue
        best = _best(written)
        if way.written == best or not _counts(way, text, captions, caption):
            continue
        yield FoundPlace(way.start, way.end, (with_case_of(best, text[way.start : way.end]),))


def _counted(captions: CheckedCaptions) -> WaysOfWriting:
    """Compounds that the set has in several ways, with how often it has each."""
    ways: WaysOfWriting = defaultdict(Counter)
    apart: dict[str, list[tuple[PlacedCaption, _Way]]] = defaultdict(list)
    for caption in captions.captions:
        text = cut(caption.text)
        for way in _ways(text, list(words_of(text))):
            if " " in way.written:
                apart[way.joined].append((caption, way))
            else:
                ways[way.joined][way.written] += 1
    for joined in ways.keys() & apart.keys():
        for caption, way in apart[joined]:
            if _counts(way, caption.text, captions, caption):
                ways[joined][way.written] += 1
    return {joined: written for joined, written in ways.items() if len(written) > 1}


def _ways(text: str, words: Sequence[CaptionWord]) -> Iterator[_Way]:
    """Words, and runs of two or three with one blank or hyphen between."""
    links = [_link(text, one, other) for one, other in pairwise(words)]
    for at, word in enumerate(words):
        if len(word.key) >= _SHORTEST:
            yield _Way(word.start, word.end, word.key, word.key)
        for parts in _PARTS:
            run = words[at : at + parts]
            between = links[at : at + parts - 1]
            if len(run) < parts or not all(between):
                break
            joined = "".join(one.key for one in run)
            if len(joined) >= _SHORTEST:
                yield _Way(run[0].start, run[-1].end, joined, _written(run, between))


def _link(text: str, one: CaptionWord, other: CaptionWord) -> str:
    between = text[one.end : other.start]
    if _HYPHEN.fullmatch(between):
        return "-"
    return " " if between == " " else ""


def _written(run: Iterable[CaptionWord], between: Sequence[str]) -> str:
    keys = [word.key for word in run]
    return "".join(key + link for key, link in zip(keys, [*between, ""], strict=True))


def _counts(way: _Way, text: str, captions: CheckedCaptions, caption: PlacedCaption) -> bool:
    """Whether words that stand apart are a compound there, and not two parts of the sentence."""
    if " " not in way.written:
        return True
    if not _NO_PARTS.isdisjoint(re.split("[ -]", way.written)):
        return False
    if is_prefix(way.written.partition(" ")[0]):
        return True
    tokens = _tokens_in(captions.parse(caption), way)
    return len(tokens) > 1 and all(
        _modifies(one, tokens, captions.parse(caption)) for one in tokens[:-1]
    )


def _tokens_in(parse: PlacedParse, way: _Way) -> list[int]:
    return [
        at
        for at, token in enumerate(parse.tokens)
        if way.start <= token.start and token.end <= way.end and token.word != "-"
    ]


def _modifies(one: int, run: Sequence[int], parse: PlacedParse) -> bool:
    """Whether a part belongs to a later one of the run."""
    token: PlacedToken = parse.tokens[one]
    return token.head in run and token.head > one and token.dep in _MODIFIES


def _best(written: Counter[str]) -> str:
    """The most frequent way; among equals a known word, then a hyphen, then apart."""
    return min(
        written,
        key=lambda way: (-written[way], not ("-" not in way and is_english(way)), " " in way, way),
    )


KIND = FindingKind(
    name="compound",
    explanation='A compound that the set writes in several ways: "nonstop", "non-stop", "non stop"',
    find=find,
    parses=True,
    writing=False,
)
