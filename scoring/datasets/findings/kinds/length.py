"""Captions with fewer or more words than the set wants."""

from collections.abc import Iterator

from scoring.captions.caption_checks import has_words
from scoring.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption
from scoring.datasets.findings.finding import FindingKind, FoundPlace


def find(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """The whole caption, where it is too short or too long."""
    options = captions.options
    if not options.min_words <= word_count(caption.text) <= options.max_words:
        yield FoundPlace(0, len(caption.text))


def word_count(text: str) -> int:
    """Words between blanks, those of marks alone left out; "high-pitched" is one.

    >>> word_count("A dog barks - twice & loudly.")
    5
    """
    return sum(map(has_words, text.split()))


KIND = FindingKind(
    name="length",
    explanation=(
        "A caption with too few or too many words (by default, fewer than 8 or more than 20)"
    ),
    suggests="nothing is suggested",
    default=True,
    find=find,
)
