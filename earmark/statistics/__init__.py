"""Statistics for everybody: intervals, paired tests, ranks and ties."""

from earmark.statistics.correlation import kendall_matrix, pearson, spearman_matrix
from earmark.statistics.differences import (
    PAIRED_RESAMPLES,
    PairedDifference,
    difference_interval,
    paired_difference,
    paired_differences,
    two_sided_p_value,
)
from earmark.statistics.intervals import (
    Z95,
    jackknife,
    mean_and_interval,
    rate_interval,
    wilson_interval,
)
from earmark.statistics.preferences import (
    PairStrengths,
    davidson,
    grouped_share_interval,
    strength_intervals,
)
from earmark.statistics.ranks import (
    p_values,
    rank_intervals,
    rank_probabilities,
    ranks,
    tied_pairs,
    ties_of,
    without_empty,
)
from earmark.statistics.resampling import (
    Floats,
    Ints,
    percentile_interval,
    resample_weights,
    resampled_means,
    resampled_sums,
    subset_weights,
)
from earmark.statistics.shapes import WrongShape

__all__ = [
    "PAIRED_RESAMPLES",
    "Z95",
    "Floats",
    "Ints",
    "PairStrengths",
    "PairedDifference",
    "WrongShape",
    "davidson",
    "difference_interval",
    "grouped_share_interval",
    "jackknife",
    "kendall_matrix",
    "mean_and_interval",
    "p_values",
    "paired_difference",
    "paired_differences",
    "pearson",
    "percentile_interval",
    "rank_intervals",
    "rank_probabilities",
    "ranks",
    "rate_interval",
    "resample_weights",
    "resampled_means",
    "resampled_sums",
    "spearman_matrix",
    "strength_intervals",
    "subset_weights",
    "tied_pairs",
    "ties_of",
    "two_sided_p_value",
    "wilson_interval",
    "without_empty",
]
