"""The figures of a set of captions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from scoring.datasets.describing.similarity import similarity_across, similarity_within
from scoring.datasets.describing.vocabulary import vocabulary_growth, word_counts
from scoring.datasets.splitting.words import caption_words


@dataclass(frozen=True, slots=True)
class Spread:
    """How a whole number is spread: ``counts`` says how often each value occurs, by value."""

    mean: float
    median: float
    least: int
    most: int
    counts: Mapping[int, int]

    @classmethod
    def of(cls, values: Sequence[int]) -> "Spread":
        """Of at least one value."""
        counts = dict(sorted(Counter(values).items()))
        return cls(fmean(values), float(median(values)), min(values), max(values), counts)


@dataclass(frozen=True, slots=True)
class CaptionsDescribed:
    """Figures of a set of captions.

    ``words`` are all words said, ``vocabulary`` the different ones. A word is in lower case and
    without punctuation (``splitting.words``). ``once`` is how many words one caption alone has,
    ``one_clip`` how many one clip alone has. ``growth`` has the expected vocabulary of so many
    captions drawn at random. ``similarity`` is the mean Jaccard similarity of the words of two
    captions of a clip, ``similarity_across`` that of captions of different clips, 0 to 1.
    """

    clips: int
    captions: int
    words: int
    vocabulary: int
    once: int
    one_clip: int
    captions_per_clip: Spread
    words_per_caption: Spread
    growth: tuple[tuple[int, float], ...]
    similarity: float | None
    similarity_across: float | None
    frequent: tuple[tuple[str, int], ...]


FREQUENT = 20


def describe_captions(clips: Iterable[Sequence[str]]) -> CaptionsDescribed:
    """Describe captions, given clip by clip; raises ``ValueError`` where there are none."""
    said = [[caption_words(text) for text in captions] for captions in clips]
    lists = [words for captions in said for words in captions]
    if not lists:
        raise ValueError("There is no caption to describe.")
    counts = word_counts(lists)
    of_clips = word_counts([word for words in captions for word in words] for captions in said)
    sets = [[frozenset(words) for words in captions] for captions in said]
    return CaptionsDescribed(
        clips=len(said),
        captions=len(lists),
        words=sum(map(len, lists)),
        vocabulary=len(counts),
        once=sum(count == 1 for count in counts.values()),
        one_clip=sum(count == 1 for count in of_clips.values()),
        captions_per_clip=Spread.of([len(captions) for captions in said]),
        words_per_caption=Spread.of([len(words) for words in lists]),
        growth=vocabulary_growth(sorted(counts.values()), len(lists)),
        similarity=similarity_within(sets),
        similarity_across=similarity_across(sets),
        # Of equally frequent ones the first by the alphabet, so that the order of files is nothing.
        frequent=tuple(sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:FREQUENT]),
    )


def described_json(described: CaptionsDescribed) -> dict[str, Any]:
    """The figures for JSON; counts of values have the values as texts."""
    return {
        "clips": described.clips,
        "captions": described.captions,
        "words": described.words,
        "vocabulary": described.vocabulary,
        "words_of_one_caption": described.once,
        "words_of_one_clip": described.one_clip,
        "captions_per_clip": _spread_json(described.captions_per_clip),
        "words_per_caption": _spread_json(described.words_per_caption),
        "vocabulary_growth": [
            {"captions": captions, "words": round(words, 2)} for captions, words in described.growth
        ],
        "similarity_within_clips": described.similarity,
        "similarity_across_clips": described.similarity_across,
        "frequent_words": [{"word": word, "captions": count} for word, count in described.frequent],
    }


def _spread_json(spread: Spread) -> dict[str, Any]:
    return {
        "mean": spread.mean,
        "median": spread.median,
        "least": spread.least,
        "most": spread.most,
        "counts": {str(value): count for value, count in spread.counts.items()},
    }
