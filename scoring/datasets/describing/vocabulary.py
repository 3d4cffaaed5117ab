"""How many different words captions have, and how that grows with their number."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import exp, lgamma

# Sizes at which the growth is told, as far as the set has so many captions.
SIZES = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)


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
