"""Describing a set of captions by figures that sets of different sizes can be compared by.

Beside them stand those of published data sets: ``resources/datasets/published_sets.json`` is what
``describe_captions`` wrote of the public files of Clotho 2.1 and AudioCaps
(docs/measurements/data-sets.md has the command); it holds figures alone, no captions.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations
from math import exp, lgamma
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any

from earmark.datasets.splitting.words import caption_words

FREQUENT = 20
# Sizes at which the growth is told, as far as the set has so many captions.
SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
FIGURES = Path(__file__).parents[1] / "resources" / "datasets" / "published_sets.json"
TITLES = {
    "clotho_development.csv.gz": "Clotho, development",
    "clotho_captions_evaluation.csv": "Clotho, evaluation",
    "train.csv.gz": "AudioCaps, training",
    "test.csv": "AudioCaps, test",
}
WordSet = frozenset[str]


def word_counts(captions: Iterable[Iterable[str]]) -> Counter[str]:
    """In how many captions each word stands."""
    return Counter(word for words in captions for word in set(words))


def expected_words(counts: Iterable[int], captions: int, sample: int) -> float:
    """Mean number of different words over all choices of ``sample`` of ``captions`` captions.

    A word of ``f`` captions is missing from C(n - f, k) of the C(n, k) choices (Hurlbert 1971,
    "The nonconcept of species diversity", equation for rarefaction; captions stand for
    individuals here, and each has several words). ``sample`` is from 0 to ``captions``.
    """
    by_frequency = Counter(counts)
    words = by_frequency.total()
    if sample >= captions:
        return float(words)
    choices = _log_choices(captions, sample)
    missing = sum(
        number * exp(min(0.0, _log_choices(captions - frequency, sample) - choices))
        for frequency, number in by_frequency.items()
        # Where fewer captions lack the word than are drawn, every choice has it.
        if captions - frequency >= sample
    )
    return words - missing


def _log_choices(of: int, sample: int) -> float:
    return lgamma(of + 1) - lgamma(sample + 1) - lgamma(of - sample + 1)


def vocabulary_growth(counts: Sequence[int], captions: int) -> tuple[tuple[int, float], ...]:
    """``(captions, words)`` for each of ``SIZES`` below the number of captions, and for all."""
    sizes = [size for size in SIZES if size < captions]
    grown = [(size, expected_words(counts, captions, size)) for size in sizes]
    return (*grown, (captions, float(len(counts))))


def jaccard(one: WordSet, other: WordSet) -> float:
    """Words that both have, as a share of the words that either has; 1 where both are empty."""
    either = len(one | other)
    return len(one & other) / either if either else 1.0


def similarity_within(clips: Iterable[Sequence[WordSet]]) -> float | None:
    """Mean over clips of the mean Jaccard similarity of their pairs of captions.

    0 to 1; None where no clip has two captions.
    """
    means = []
    for captions in clips:
        alike = [jaccard(one, other) for one, other in combinations(captions, 2)]
        if alike:
            means.append(sum(alike) / len(alike))
    return sum(means) / len(means) if means else None


def similarity_across(clips: Sequence[Sequence[WordSet]], seed: int = 0) -> float | None:
    """Mean Jaccard similarity of each caption and one of another clip, drawn by ``seed``.

    0 to 1; None where there is no other clip.
    """
    filled = [captions for captions in clips if captions]
    if len(filled) < 2:
        return None
    random = Random(seed)  # noqa: S311 a reproducible draw, no secret
    alike = []
    for place, captions in enumerate(filled):
        for caption in captions:
            # Any clip but this one: as if it were taken out and the rest moved up.
            drawn = random.randrange(len(filled) - 1)
            other = filled[drawn + (drawn >= place)]
            alike.append(jaccard(caption, random.choice(other)))
    return sum(alike) / len(alike)


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
    without punctuation (``splitting.words``). ``words_of_one_caption`` is how many words one
    caption alone has, ``words_of_one_clip`` how many one clip alone has. ``vocabulary_growth`` has
    the expected vocabulary of so many captions drawn at random. ``similarity_within_clips`` is the
    mean Jaccard similarity of the words of two captions of a clip, ``similarity_across_clips`` that
    of captions of different clips, 0 to 1.
    """

    clips: int
    captions: int
    words: int
    vocabulary: int
    words_of_one_caption: int
    words_of_one_clip: int
    captions_per_clip: Spread
    words_per_caption: Spread
    vocabulary_growth: tuple[tuple[int, float], ...]
    similarity_within_clips: float | None
    similarity_across_clips: float | None
    frequent_words: tuple[tuple[str, int], ...]


def describe_captions(clips: Iterable[Sequence[str]]) -> CaptionsDescribed:
    """Describe captions, given clip by clip; raises ``ValueError`` where there are none."""
    words_of = [[caption_words(text) for text in captions] for captions in clips]
    lists = [words for captions in words_of for words in captions]
    if not lists:
        raise ValueError("There is no caption to describe.")
    counts = word_counts(lists)
    of_clips = word_counts([word for words in captions for word in words] for captions in words_of)
    sets = [[frozenset(words) for words in captions] for captions in words_of]
    return CaptionsDescribed(
        clips=len(words_of),
        captions=len(lists),
        words=sum(map(len, lists)),
        vocabulary=len(counts),
        words_of_one_caption=sum(count == 1 for count in counts.values()),
        words_of_one_clip=sum(count == 1 for count in of_clips.values()),
        captions_per_clip=Spread.of([len(captions) for captions in words_of]),
        words_per_caption=Spread.of([len(words) for words in lists]),
        vocabulary_growth=vocabulary_growth(sorted(counts.values()), len(lists)),
        similarity_within_clips=similarity_within(sets),
        similarity_across_clips=similarity_across(sets),
        # Of equally frequent ones the first by the alphabet, so that the order of files is nothing.
        frequent_words=tuple(sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:FREQUENT]),
    )


def described_json(described: CaptionsDescribed) -> dict[str, Any]:
    """The figures for JSON; counts of values have the values as texts."""
    figures = asdict(described)
    for spread in (figures["captions_per_clip"], figures["words_per_caption"]):
        spread["counts"] = {str(value): count for value, count in spread["counts"].items()}
    growth, frequent = described.vocabulary_growth, described.frequent_words
    return figures | {
        "vocabulary_growth": [
            {"captions": captions, "words": round(words, 2)} for captions, words in growth
        ],
        "frequent_words": [{"word": word, "captions": count} for word, count in frequent],
    }


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """A published data set by its name, with figures as ``described_json`` has them."""

    title: str
    figures: Mapping[str, Any]


@cache
def published_sets() -> tuple[PublishedSet, ...]:
    """Parts of Clotho and AudioCaps."""
    rows = json.loads(FIGURES.read_text(encoding="utf-8"))
    return tuple(PublishedSet(TITLES[row["file"]], row) for row in rows)
