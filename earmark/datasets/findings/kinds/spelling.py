"""Words that English does not have."""

from collections.abc import Iterator

from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption, cut
from earmark.datasets.findings.dictionary import is_english, is_prefix, suggestions
from earmark.datasets.findings.finding import FindingKind, FoundPlace
from earmark.datasets.findings.words import CaptionWord, begins_sentence, with_case_of, words_of

# What so many captions have is a word of the set's own, unless it is one change away from a
# word that so many times as many have.
_OWN_WORD_CAPTIONS = 10
_TIMES = 10
# A caption with more is in no English; it gets findings, but no more suggestions.
_MOST_SUGGESTED = 20
_LONGEST_ACRONYM = 5
# Possessives that dictionaries have as other words, which no caption means.
_WITHOUT_APOSTROPHE = frozenset(("mans", "mens", "womans", "womens", "childs", "childrens"))


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """Words that are not known, names and acronyms left out."""
    text = cut(caption.text)
    shouted = text.isupper()
    suggested = 0
    for word in words_of(text):
        if _is_fine(text, word, captions, shouted=shouted):
            continue
        suggested += 1
        likely = _suggestions(word.key, captions) if suggested <= _MOST_SUGGESTED else ()
        original = text[word.start : word.end]
        yield FoundPlace(word.start, word.end, tuple(with_case_of(one, original) for one in likely))


def _is_fine(text: str, word: CaptionWord, captions: CheckedCaptions, *, shouted: bool) -> bool:
    """Whether a word is English, a name, a prefix before its hyphen, or one of the set's own."""
    if word.key in _WITHOUT_APOSTROPHE:
        return False
    if is_english(word.key) or (not shouted and _is_name(text, word)):
        return True
    hyphen = text[word.end : word.end + 1] == "-"
    return (hyphen and is_prefix(word.key)) or _is_own_word(word.key, captions)


def _is_name(text: str, word: CaptionWord) -> bool:
    """Whether its capitals say that a word is a name or an acronym."""
    original = text[word.start : word.end]
    if original.isupper() and 2 <= len(original) <= _LONGEST_ACRONYM:
        return True
    return original[0].isupper() and not begins_sentence(text, word.start)


def _is_own_word(word: str, captions: CheckedCaptions) -> bool:
    count = captions.word_counts[word]
    if count < _OWN_WORD_CAPTIONS:
        return False
    nearest = _suggestions(word, captions)[:1]
    return not any(captions.word_counts[one] >= count * _TIMES for one in nearest)


def _suggestions(word: str, captions: CheckedCaptions) -> tuple[str, ...]:
    if word in _WITHOUT_APOSTROPHE:
        return (f"{word[:-1]}'s",)
    return captions.once("spelling", word, lambda: suggestions(word, captions.word_counts))


KIND = FindingKind(
    name="spelling",
    explanation="A word not found in British or American English or in the set's other captions",
    find=find,
)
