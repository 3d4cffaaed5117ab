"""Intervals and paired tests keep what they promise, on simulated corpora."""

import pytest

from tests.bench import bench_intervals
from tests.bench.bench_intervals import ALONE, paired_tests, rate_coverage


def test_rates_of_fifty_clips_and_more_are_covered() -> None:
    rows = [row for row in rate_coverage(20_000, seed=3) if row.clips >= 50]
    assert min(row.by_ours for row in rows) > 0.925
    assert min(row.by_wilson for row in rows) < 0.92
    assert min(row.by_normal for row in rows) < 0.2


def test_equal_systems_differ_less_often_than_by_the_bootstrap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench_intervals, "SIZES", (20,))
    rows = {row.shape: row for row in paired_tests(600, 400, seed=3)}
    sparse = rows["sparse (bleu_4 of clips)"]
    assert sparse.level < 0.075 < sparse.level_bootstrap
    assert rows["even (sbert_sim)"].power == pytest.approx(0.75, abs=0.08)
    assert rows[ALONE].level > 0.1, "the limit that the documentation tells"
    assert min(row.covered for row in rows.values() if row.shape != ALONE) > 0.9
