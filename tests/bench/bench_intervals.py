"""Print how well intervals and paired tests keep what they promise, on simulated scores of clips.

    python -m tests.bench.bench_intervals [--corpora 4000] [--resamples 2000] [--seed 1]

How often 95 % intervals hold the true value, and how often paired tests find two systems different
that are equal (level) and that are not (power): for 20 to 1,045 clips, and scores of the shapes
that metrics have. docs/measurements/intervals.md has the tables of one run.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any

import numpy as np

from earmark.statistics.differences import SIGNIFICANCE, paired_difference
from earmark.statistics.intervals import (
    jackknife,
    mean_and_interval,
    rate_interval,
    wilson_interval,
)
from earmark.statistics.resampling import (
    Floats,
    interval_ends,
    resample_weights,
    resampled_means,
    resampled_sums,
)
from tests.bench.output import say

SIZES = (20, 50, 100, 1045)
RATES = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3)
# How far apart systems are where the power is looked at, in standard errors of the difference: a
# normal test finds four of five such differences.
_APART = 2.8
# Corpora that are tested with the same draws of clips.
_TOGETHER = 50

Scores = Callable[[Floats], Floats]


def _even(place: Floats) -> Floats:
    """sbert_sim: around .5, as often above as below."""
    from scipy.special import ndtri

    return np.asarray(0.5 + 0.15 * ndtri(place))


def _skewed(place: Floats) -> Floats:
    """cider_d: mostly near 0, seldom far above."""
    return np.asarray(0.4 * (-np.log1p(-place)) ** 1.5)


def _penalised(place: Floats) -> Floats:
    """FENSE: one clip in ten keeps a tenth for errors of fluency."""
    flagged = place < 0.1
    inner = np.where(flagged, place / 0.1, (place - 0.1) / 0.9)
    kept: Floats = np.where(flagged, 0.1, 1.0)
    return kept * _even(np.clip(inner, 1e-9, 1 - 1e-9))


def _sparse(place: Floats) -> Floats:
    """Sentence BLEU-4: 0 for three clips in four, else between .1 and 1."""
    above = np.maximum(place - 0.75, 0) / 0.25
    return np.where(place < 0.75, 0.0, 0.1 + 0.9 * above**3)


# Scores of a clip by its place among all clips, 0 to 1, of metrics of several kinds.
SHAPES: Mapping[str, Scores] = {
    "even (sbert_sim)": _even,
    "skewed (cider_d)": _skewed,
    "penalised (fense)": _penalised,
    "sparse (bleu_4 of clips)": _sparse,
    "rate of .3 (fer)": lambda place: (place < 0.3).astype(np.float64),
    "rate of .1 (fer)": lambda place: (place < 0.1).astype(np.float64),
    "rate of .02 (fer)": lambda place: (place < 0.02).astype(np.float64),
}
# Systems with equal means that are not interchangeable: one is penalised on one clip in ten, the
# other by as much in sum on all clips alike. Of the second kind both have the same captions else.
UNLIKE = "penalised against even"
ALONE = "penalties alone"


@dataclass(frozen=True, slots=True)
class RateCoverage:
    """Shares of corpora whose interval holds the true rate, by kind of interval."""

    clips: int
    rate: float
    by_normal: float
    by_wilson: float
    by_ours: float


@dataclass(frozen=True, slots=True)
class MeanCoverage:
    """Share of corpora whose jackknife interval holds the true corpus value."""

    clips: int
    shape: str
    covered: float


@dataclass(frozen=True, slots=True)
class PairedTests:
    """What tests of two systems do: ``level`` where they are equal, ``power`` where they are not.

    Shares of corpora on which they differ by the percentile bootstrap and by the permutation test;
    ``covered``: on which the interval of the latter holds the true difference of unequal systems.
    """

    clips: int
    shape: str
    level_bootstrap: float
    level: float
    power_bootstrap: float
    power: float
    covered: float


def rate_coverage(corpora: int, seed: int) -> Iterator[RateCoverage]:
    """Cover true rates by the intervals of rates in simulated corpora."""
    random = np.random.default_rng(seed)
    for clips in SIZES:
        counts = range(clips + 1)
        of_count = [
            [mean_and_interval(np.repeat([1.0, 0.0], [n, clips - n]))[1] for n in counts],
            [wilson_interval(n, clips) for n in counts],
            [rate_interval(n, clips) for n in counts],
        ]
        for rate in RATES:
            seen = random.binomial(clips, rate, corpora)
            held = [np.array([one.low <= rate <= one.high for one in row]) for row in of_count]
            yield RateCoverage(clips, rate, *(float(row[seen].mean()) for row in held))


def mean_coverage(corpora: int, seed: int) -> Iterator[MeanCoverage]:
    """Cover true means, and a true share of words, by jackknife intervals."""
    random = np.random.default_rng(seed)
    for clips in SIZES:
        for shape, scores in SHAPES.items():
            if _is_rate(shape):
                continue
            truth, tables = _mean(scores), scores(random.random((corpora, clips)))
            intervals = [mean_and_interval(row)[1] for row in tables]
            held = [one.low <= truth <= one.high for one in intervals]
            yield MeanCoverage(clips, shape, float(np.mean(held)))
        held = [_counted_held(clips, random) for _ in range(corpora)]
        yield MeanCoverage(clips, "counted (bleu_1)", float(np.mean(held)))


def _is_rate(shape: str) -> bool:
    return shape.startswith("rate")


def _mean(scores: Scores) -> float:
    return float(scores((np.arange(1_000_000) + 0.5) / 1_000_000).mean())


def _counted_held(clips: int, random: np.random.Generator) -> bool:
    """Whether the interval of a share of words, counted over a corpus, holds the true half."""
    words = 6 + random.poisson(4, clips)
    found = random.binomial(words, random.beta(4, 4, clips))
    left_out = (found.sum() - found) / (words.sum() - words)
    interval = jackknife(found.sum() / words.sum(), left_out)
    return interval.low <= 0.5 <= interval.high


def paired_tests(corpora: int, resamples: int, seed: int) -> Iterator[PairedTests]:
    """Test pairs of systems on simulated corpora: equal ones, and some that are not.

    Half of what makes a clip hard is common to both systems.
    """
    random = np.random.default_rng(seed)
    for clips in SIZES:
        for shape in (*SHAPES, UNLIKE, ALONE):
            apart = _APART * float(_pair(shape, (1, 100_000), 0.0, random).std()) / clips**0.5
            equal = _pair(shape, (corpora, clips), 0.0, random)
            unequal = _pair(shape, (corpora, clips), apart, random)
            truth = min(apart, _mean(SHAPES[shape])) if _is_rate(shape) else apart
            test = partial(_tested, resamples=resamples, rate=_is_rate(shape))
            by_bootstrap, level, _ = test(equal, 0.0)
            yield PairedTests(clips, shape, by_bootstrap, level, *test(unequal, truth))


def _pair(
    shape: str, corpora: tuple[int, int], apart: float, random: np.random.Generator
) -> Floats:
    """Gains of one system over another, shape (corpora, clips), with the mean ``apart``.

    Those of rates end where the other's rate is 0.
    """
    from scipy.special import ndtr

    clips = random.standard_normal(corpora)
    one, other = (ndtr((clips + random.standard_normal(corpora)) / 2**0.5) for _ in range(2))
    if shape == UNLIKE:
        return 0.91 * _even(one) - _penalised(other) + apart
    if shape == ALONE:
        flagged = random.random(corpora) < 0.1
        return _even(one) * (0.91 - np.where(flagged, 0.1, 1.0)) + apart
    scores = SHAPES[shape]
    gains = scores(one) - scores(other)
    if not _is_rate(shape):
        return gains + apart
    mended = random.random(corpora) < apart / _mean(scores)
    return scores(one) - scores(other) * ~mended


def _tested(
    gains: Floats, truth: float, *, resamples: int, rate: bool
) -> tuple[float, float, float]:
    """Shares of corpora: different by bootstrap, by permutation, and whose interval holds truth."""
    counts = np.zeros(3)
    for start in range(0, len(gains), _TOGETHER):
        some = gains[start : start + _TOGETHER].T
        sums = resampled_sums(some, weights_of=resample_weights, resamples=resamples, seed=start)
        low, high = np.quantile(sums, interval_ends(), axis=0)
        draws = resampled_means(some, resamples=resamples, seed=start)
        for gain, drawn in zip(some.T, draws.T, strict=True):
            found = paired_difference(gain, drawn, rate=rate)
            held = found.interval.low <= truth <= found.interval.high
            counts += (0, found.p_value < SIGNIFICANCE, held)
        counts[0] += np.count_nonzero((low > 0) | (high < 0))
    by_bootstrap, by_permutation, held = (counts / len(gains)).tolist()
    return by_bootstrap, by_permutation, held


def main() -> None:
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpora", type=int, default=4000, help="corpora for each row")
    parser.add_argument(
        "--resamples", type=int, default=2000, help="draws for each test; 40 or more"
    )
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    corpora, seed = asked.corpora, asked.seed
    _table(
        "Share of corpora whose interval holds the true rate",
        ("clips", "rate", "jackknife", "Wilson", "ours"),
        map(astuple, rate_coverage(corpora * 10, seed)),
    )
    _table(
        "Share of corpora whose jackknife interval holds the true corpus value",
        ("clips", "scores", "covered"),
        map(astuple, mean_coverage(corpora, seed)),
    )
    tests = [f"{kind}: {test}" for kind in ("equal", "unequal") for test in ("bootstrap", "ours")]
    _table(
        "Share of corpora on which two systems differ, p < .05",
        ("clips", "scores", *tests, "interval holds the difference"),
        map(astuple, paired_tests(corpora, asked.resamples, seed)),
    )


def _table(title: str, heads: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    say(f"{title}\n\n| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for clips, subject, *shares in rows:
        say(f"| {clips:,} | {subject} | {' | '.join(f'{share:.3f}' for share in shares)} |")
    say("")


if __name__ == "__main__":
    main()
