"""Phrases that say that something is heard, which every caption could begin with."""

import re
from collections.abc import Iterator

from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption, cut
from earmark.datasets.findings.finding import FindingKind, FoundPlace

_RECORDING = r"(?:(?:audio|sound)\s+)?(?:recording|clip|audio|file|track|sample|sound\s?clip)"
_SOUND = r"(?:(?:sound|sounds|noise|noises|recording|audio)\s+of)"
_ARTICLE = r"(?:an?|the|some|this)\s+"
_HEAR = r"(?:i|we|you|one)\s+(?:can\s+|could\s+)?(?:also\s+)?(?:hear|heard)\b"
_BEGINNINGS = (
    rf"(?:here\s+)?{_HEAR}(?:\s+(?:{_ARTICLE})?{_SOUND})?",
    rf"this\s+(?:is|was)\b(?:\s+(?:{_ARTICLE})?{_SOUND})?",
    rf"(?:it|that)(?:\s+is|\s+was|['\u2019]s)\s+(?:{_ARTICLE})?{_SOUND}",
    r"(?:it|this|that)\s+(?:sounds\s+like|seems\s+to\s+be|appears\s+to\s+be)\b",
    rf"(?:{_ARTICLE})?(?:sound|sounds|noise|noises)\s+of\b",
    rf"{_ARTICLE}{_RECORDING}\s+(?:of|contains|consists\s+of|features|has|is\s+of)\b",
    (
        rf"(?:in|on|throughout|during)\s+(?:this|the)\s+{_RECORDING}\b,?"
        rf"(?:\s+(?:there\s+(?:is|are)|{_HEAR}))?"
    ),
    r"sounds\s+like\b",
    r"hearing\b",
)
_BEGINNING = re.compile(
    rf"\s*(?P<phrase>(?:{'|'.join(_BEGINNINGS)}))(?P<gap>[\s,:]*)", re.IGNORECASE
)
_THERE_IS = re.compile(
    r"\b(?P<phrase>there(?:\s+(?:is|are|was|were|seems\s+to\s+be|appears\s+to\s+be)|['\u2019]s))"
    r"\b(?P<gap>\s*)",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r"[^\W_]+")
_NO_PHRASE = re.compile(r"\s*(?:no|not|nothing|never)\b", re.IGNORECASE)


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """A beginning such as "I hear", and "there is" anywhere."""
    text = cut(caption.text)
    end = 0
    beginning = _BEGINNING.match(text)
    if beginning is not None:
        yield _without(text, beginning)
        end = beginning.end()
    for match in _THERE_IS.finditer(text, end):
        if not _NO_PHRASE.match(text, match.end()):
            yield _without(text, match)


def _without(text: str, match: re.Match[str]) -> FoundPlace:
    """The phrase; where a word follows, with it, as it is written once the phrase has gone."""
    start, end = match.span("phrase")
    following = _NEXT_WORD.match(text, match.end())
    if following is None:
        return FoundPlace(start, end)
    word = following.group()
    if text[start].isupper():
        word = word[0].upper() + word[1:]
    return FoundPlace(start, following.end(), (word,))


KIND = FindingKind(
    name="opening",
    explanation='A phrase that only says that something is heard: "I hear", "there is"',
    find=find,
)
