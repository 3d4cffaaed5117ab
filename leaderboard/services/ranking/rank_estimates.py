"""Estimates of how certain the ranks of a phase are: ranges and ties by random subsets of clips.

They are computed from the scores of single clips but reveal none of them, so that phases
with hidden references have them as well.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from earmark.statistics import (
    Floats,
    rank_intervals,
    ranks,
    resampled_means,
    tied_pairs,
    without_empty,
)
from leaderboard.models import MetricResult, Phase, RankEstimates
from leaderboard.selectors.analysis.ranking_stability import RESAMPLES
from leaderboard.selectors.ranking.rank_intervals import estimates_stale
from leaderboard.selectors.ranking.ranking import Ranking, ranking_of

# Pairs grow with the square of the systems; their p-values stay good to two digits.
MANY_SYSTEMS, FEWER_RESAMPLES = 500, 1000
UNLIKE = "the values that rank were computed in different ways (their signatures differ)"
NO_CLIPS = "this metric is a count over the whole corpus, without scores of single clips"


@dataclass(frozen=True, slots=True)
class ResampledMeans:
    """Means of the ranking metric over random subsets of clips, shape (resamples, systems).

    ``values`` are those of the clips, shape (clips, systems).
    """

    systems: tuple[int, ...]
    draws: Floats
    values: Floats
    counted: bool


def rank_estimates_refresh(*, phase_id: int, now: datetime) -> bool:
    """Estimate both tables of a phase where the stored estimates are out of date.

    Returns whether they were. Safe to run twice, or twice at once: the same results give
    the same estimates.
    """
    phase = Phase.objects.filter(pk=phase_id).first()
    if phase is None:
        return False
    tables = [ranking_of(phase, every_system=every) for every in (True, False)]
    if not estimates_stale(phase, tables):
        return False
    began = time.monotonic()
    drawn = _draw_means(tables[0])
    for table in tables:
        content = _estimates_of(table, drawn)
        content["seconds"] = round(time.monotonic() - began, 2)
        RankEstimates.objects.update_or_create(
            phase=phase,
            every_system=table.every_system,
            defaults={"stamp": table.stamp, "made_at": now, "content": content},
        )
    return True


def _estimates_of(table: Ranking, drawn: ResampledMeans | str) -> dict[str, Any]:
    """The estimates of a table: systems in rank order, those that are tied as spans of it."""
    if isinstance(drawn, str):
        return {"reason": drawn}
    columns = {key: at for at, key in enumerate(drawn.systems)}
    systems = [line.key for line in table.rows if line.key in columns]
    content = {
        "reason": "",
        "resamples": len(drawn.draws),
        "clips": len(drawn.values),
        "counted": drawn.counted,
        "systems": systems,
    }
    if len(systems) < 2:
        return content | {"low": [1] * len(systems), "high": [1] * len(systems), "tied": []}
    places = [columns[key] for key in systems]
    draws, values = drawn.draws[:, places], drawn.values[:, places]
    higher = table.phase.ranking.direction == "higher"
    intervals = rank_intervals(ranks(without_empty(draws), higher_is_better=higher))
    tied = [list(_spans(row, at)) for at, row in enumerate(tied_pairs(draws, values))]
    return content | {
        "low": intervals[:, 0].tolist(),
        "high": intervals[:, 1].tolist(),
        "tied": tied,
    }


def _spans(tied: NDArray[np.bool_], own: int) -> Iterator[tuple[int, int]]:
    """Positions of the others that are tied, as first and last of each run."""
    others = tied.copy()
    others[own] = False
    edges = np.flatnonzero(np.diff(np.concatenate(([False], others, [False]))))
    for first, end in edges.reshape(-1, 2).tolist():
        yield first, end - 1


def _draw_means(ranking: Ranking) -> ResampledMeans | str:
    """Resampled means of all ranked systems, or the reason why there are none."""
    results = {
        line.ranking_value.result: at
        for at, line in enumerate(line for line in ranking.rows if line.rank is not None)
        if line.ranking_value is not None
    }
    keys = tuple(line.key for line in ranking.rows if line.rank is not None)
    if np.isinf(ranking.phase.ranking.high):
        return NO_CLIPS
    scores = _scores_by_clip(results)
    if isinstance(scores, str):
        return scores
    values, corpus = scores
    resamples = RESAMPLES if len(keys) <= MANY_SYSTEMS else FEWER_RESAMPLES
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.nansum(values, axis=0) / np.sum(~np.isnan(values), axis=0)
    return ResampledMeans(
        systems=keys,
        draws=resampled_means(values, resamples=resamples),
        values=values,
        counted=not np.allclose(means, corpus, atol=1e-5, equal_nan=True),
    )


def _scores_by_clip(results: Mapping[int, int]) -> tuple[Floats, Floats] | str:
    """Clip scores, shape (clips, systems), and corpus values; ``results`` maps to columns."""
    rows = MetricResult.objects.filter(pk__in=list(results)).values_list(
        "pk", "signature", "value", "per_clip"
    )
    values, corpus = np.empty((0, len(results))), np.full(len(results), np.nan)
    signatures: set[str] = set()
    for pk, signature, value, packed in rows.iterator(chunk_size=200):
        scores = np.frombuffer(bytes(packed), dtype="<f4")
        if not scores.size:
            return NO_CLIPS
        if not signatures:
            values = np.full((scores.size, len(results)), np.nan)
        signatures.add(signature)
        if len(signatures) > 1 or scores.size != len(values):
            return UNLIKE
        values[:, results[pk]] = np.where(np.isfinite(scores), scores, np.nan)
        corpus[results[pk]] = np.nan if value is None else value
    return values, corpus
