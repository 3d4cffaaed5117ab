"""Time the statistics of comparisons and of analysis pages, by number of systems.

    OMP_NUM_THREADS=1 python -m tests.bench.bench_statistics [--clips 1045] [--metrics 25]

Made-up scores of clips. Prints milliseconds of the processor and on the clock, the best of
``--times``, and beside each stage its floor: the product of a ready matrix of weights with the
scores, which no way of drawing subsets does without. The ratio of the two says more than either.
"""

import argparse
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from tests.bench import site  # isort: skip, sets Django up

import numpy as np

from earmark.registry import METRICS
from earmark.statistics import (
    Floats,
    mean_and_interval,
    p_values,
    paired_difference,
    rank_intervals,
    rank_probabilities,
    ranks,
    resampled_means,
    subset_weights,
)
from leaderboard.models import Submission
from leaderboard.selectors.analysis.clip_scores import ClipScores, Tables
from leaderboard.selectors.analysis.ranking_stability import (
    RESAMPLES,
    agreement_over_clips,
    agreement_over_systems,
    telling_clips,
)
from tests.bench.output import say

PAIRED = 10_000
SYSTEMS = (1, 20, 200)


def main() -> None:
    """Read the command line and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clips", type=int, default=1045)
    parser.add_argument("--metrics", type=int, default=25)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    draw = np.random.default_rng(1)
    comparison(made_up(options.clips, options.metrics, draw), options.times)
    for systems in SYSTEMS:
        analysis(options.clips, systems, options.metrics, options.times)


def made_up(clips: int, columns: int, draw: np.random.Generator) -> Floats:
    """Scores as they are stored, shape (clips, columns): of float32, hard clips hard for all."""
    hard = draw.normal(0.5, 0.15, (clips, 1))
    found = (hard + draw.normal(0, 0.1, (clips, columns))).astype(np.float32)
    return np.asarray(found, np.float64)


def comparison(gains: Floats, times: int) -> None:
    """Time the jackknife and the paired test of all metrics; ``gains`` are (clips, metrics)."""
    clips, metrics = gains.shape
    say(f"{metrics} metrics x {clips:,} clips, {PAIRED:,} resamples of two systems")
    columns = [np.ascontiguousarray(column) for column in gains.T]
    line("jackknife", lambda: [mean_and_interval(column) for column in columns], times)
    draws = resampled_means(gains, resamples=PAIRED)
    parts = {
        "means of random subsets": lambda: resampled_means(gains, resamples=PAIRED),
        "intervals and p-values": lambda: [
            paired_difference(gain, drawn) for gain, drawn in zip(columns, draws.T, strict=True)
        ],
    }
    whole = sum(line(name, act, times) for name, act in parts.items())
    weights = np.concatenate(list(subset_weights(clips, resamples=PAIRED, seed=20)))
    floor = line("floor: one product of ready weights", lambda: weights @ gains, times)
    say(f"  both parts are {whole / floor:.1f} times the floor")


def analysis(clips: int, systems: int, metrics: int, times: int) -> None:
    """Time what an analysis page computes of a phase with some systems."""
    draw = np.random.default_rng(systems)
    tables = tables_of(clips, systems, metrics, draw)
    values = tables.metrics[0].values
    say(f"analysis of {systems} systems x {clips:,} clips, {RESAMPLES:,} resamples")
    draws = resampled_means(values, resamples=RESAMPLES)
    drawn = ranks(draws)
    parts = {
        "means of random subsets": lambda: resampled_means(values, resamples=RESAMPLES),
        "ranks": lambda: ranks(draws),
        "probabilities and intervals of ranks": lambda: (
            rank_probabilities(drawn),
            rank_intervals(drawn),
        ),
        "p-values of all pairs": lambda: p_values(draws, values),
        "agreement over clips, Kendall": lambda: agreement_over_clips(tables, "kendall"),
        "agreement over clips, Spearman": lambda: agreement_over_clips(tables, "spearman"),
        "agreement over systems, Kendall": lambda: agreement_over_systems(tables, "kendall"),
        "telling clips": lambda: telling_clips(tables.metrics[0]),
    }
    took = {name: line(name, act, times) for name, act in parts.items()}
    weights = np.concatenate(list(subset_weights(clips, resamples=RESAMPLES, seed=20)))
    floor = line("floor: one product of ready weights", lambda: weights @ values, times)
    # A page shows one coefficient.
    page = sum(took.values()) - took["agreement over clips, Spearman"]
    say(
        f"  a page with Kendall's coefficient: {page:.0f} ms; the floor of its draws {floor:.0f} ms"
    )


def tables_of(clips: int, systems: int, metrics: int, draw: np.random.Generator) -> Tables:
    """Every metric's scores of made-up systems."""
    infos = [info for info in METRICS.values() if np.isfinite(info.high)][:metrics]
    rows = tuple(cast("Submission", SimpleNamespace(pk=number)) for number in range(systems))
    level = draw.normal(0, 0.02, systems)
    found = []
    for info in infos:
        values = made_up(clips, systems, draw) + level
        found.append(ClipScores(info, rows, values, values.mean(axis=0), info.name))
    return Tables(rows, tuple(found), ())


def line(name: str, act: Callable[[], Any], times: int) -> float:
    """Print the best of some times; the milliseconds of the processor are given back."""
    act()
    took = [site.once(act) for _ in range(times)]
    clock, busy = (min(column) for column in zip(*took, strict=True))
    say(f"  {name:40} {busy:8.1f} ms of the processor, {clock:8.1f} ms")
    return busy


if __name__ == "__main__":
    began = time.perf_counter()
    main()
    say(f"{time.perf_counter() - began:.0f} s in all")
