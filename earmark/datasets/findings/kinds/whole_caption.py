"""Whole captions: too short or too long, and what another caption says already."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from earmark.captions.caption_checks import has_words
from earmark.datasets.findings.checked_captions import CheckedCaptions, PlacedCaption, cut
from earmark.datasets.findings.finding import FindingKind, FoundPlace
from earmark.datasets.findings.words import FUNCTION_WORDS, text_key, words_of
from earmark.text.porter2 import stem

SHARE = 0.85
# Files have at most so many captions a clip; beyond, the nearest before it are compared.
_MOST_COMPARED = 100


def duplicates(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """The whole caption, where an earlier one of its clip says nearly the same."""
    own = _content(caption, captions)
    earlier = (
        one
        for one in reversed(captions.of_clip.get(caption.file_name, ()))
        if one.number < caption.number
    )
    if any(_alike(own, _content(one, captions)) for one in islice(earlier, _MOST_COMPARED)):
        yield FoundPlace(0, len(caption.text))


def _content(caption: PlacedCaption, captions: CheckedCaptions) -> Counter[str]:
    """Stems of a caption's words, function words left out, each as often as it stands there."""

    def counted() -> Counter[str]:
        keys = (word.key for word in words_of(cut(caption.text)))
        return Counter(stem(key) for key in keys if key not in FUNCTION_WORDS)

    return captions.once("duplicate", caption.text, counted)


def _alike(one: Counter[str], other: Counter[str]) -> bool:
    """Whether two captions share enough of their words, in whatever order (Dice)."""
    size = one.total() + other.total()
    return bool(size) and 2 * (one & other).total() >= SHARE * size


DUPLICATE = FindingKind(
    name="duplicate",
    explanation="Nearly the same words as an earlier caption of the clip, in any order",
    find=duplicates,
)


def wrong_lengths(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
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


LENGTH = FindingKind(
    name="length",
    explanation=(
        "A caption with too few or too many words (by default, fewer than 8 or more than 20)"
    ),
    find=wrong_lengths,
)


def same_texts(caption: PlacedCaption, captions: CheckedCaptions) -> Iterator[FoundPlace]:
    """The whole caption, where another clip has the same one."""
    key = text_key(caption.text)
    clips = captions.clips_of_text.get(key, set()) if key else set()
    if len(clips) > 1 or (clips and caption.file_name not in clips):
        yield FoundPlace(0, len(caption.text))


SAME_TEXT = FindingKind(
    name="same_text",
    explanation=(
        "The same words as a caption of another clip, so that the clips cannot be told apart"
    ),
    default=False,
    find=same_texts,
)
