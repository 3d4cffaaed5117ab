"""Statistics for everybody: intervals, the paired bootstrap, ranks and ties."""

from scoring.statistics.intervals import Z95, jackknife, mean_and_interval, wilson_interval
from scoring.statistics.preferences import (
    PairStrengths,
    davidson,
    grouped_share_interval,
    strength_intervals,
)
from scoring.statistics.ranks import (
    p_values,
    rank_intervals,
    rank_probabilities,
    ranks,
    tied_pairs,
    ties_of,
)
from scoring.statistics.resampling import (
    Floats,
    Ints,
    PairedDifference,
    paired_difference,
    percentile_interval,
    resample_weights,
    resampled_means,
    resampled_sums,
    two_sided_p_value,
)

__all__ = [
    "Z95",
    "Floats",
    "Ints",
    "PairStrengths",
    "PairedDifference",
    "davidson",
    "grouped_share_interval",
    "jackknife",
    "mean_and_interval",
    "p_values",
    "paired_difference",
    "percentile_interval",
    "rank_intervals",
    "rank_probabilities",
    "ranks",
    "resample_weights",
    "resampled_means",
    "resampled_sums",
    "strength_intervals",
    "tied_pairs",
    "ties_of",
    "two_sided_p_value",
    "wilson_interval",
]
