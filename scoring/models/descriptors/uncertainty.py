"""How unsure a labeller is of a caption: what a person is best asked about first."""

from collections.abc import Callable
from statistics import fmean

from scoring.models.descriptors.labeller import Labelled

Measure = Callable[[Labelled], float]


def mean_doubt(labelled: Labelled) -> float:
    """Give 1 less the mean probability of a caption's words, 0..1; 0 where it has no word."""
    return 1.0 - fmean(labelled.confidences) if labelled.confidences else 0.0


def greatest_doubt(labelled: Labelled) -> float:
    """Give 1 less the probability of the least certain word, 0..1; 0 where there is no word."""
    return 1.0 - min(labelled.confidences, default=1.0)


def expected_errors(labelled: Labelled) -> float:
    """Give how many words are likely labelled wrong: the sum of 1 less their probabilities.

    Long captions come first by this measure, all else equal: they hold more to learn
    from, and cost a person more time.
    """
    return sum(1.0 - sure for sure in labelled.confidences)


MEASURES: dict[str, Measure] = {
    "mean": mean_doubt,
    "least": greatest_doubt,
    "errors": expected_errors,
}


def uncertainty(labelled: Labelled) -> float:
    """Give how unsure the labeller is of a caption, from 0 (certain) up; the site orders by it.

    The measure, and what was measured of it: docs/descriptors.md, "Uncertain first".
    """
    return mean_doubt(labelled)
