"""Metrics by name, by set and all together; what is not known is refused with what is near."""

import tomllib
from pathlib import Path

import pytest

from scoring.errors import UnknownMetric
from scoring.metric_sets import METRIC_SETS, NoMetricNamed, metric_names
from scoring.registry import METRICS, metrics_for

PRESETS = Path(__file__).parents[2] / "leaderboard" / "presets.toml"


@pytest.mark.parametrize("name", METRIC_SETS)
def test_sets_hold_known_metrics_and_the_one_that_ranks(name: str) -> None:
    chosen = METRIC_SETS[name]
    assert set(chosen.metrics) <= set(metrics_for(several=False))
    assert chosen.ranked_by in chosen.metrics
    assert name == chosen.name
    assert name not in METRICS


def test_what_each_year_ranked_by() -> None:
    """DCASE's rules: SPIDEr from 2020 to 2022, SPIDEr-FL in 2023, FENSE in 2024."""
    assert {name: chosen.ranked_by for name, chosen in METRIC_SETS.items()} == {
        "dcase2020": "spider",
        "dcase2021": "spider",
        "dcase2022": "spider",
        "dcase2023": "spider_fl",
        "dcase2024": "fense",
    }


def test_columns_of_the_leaderboard_under_the_same_name_are_the_same() -> None:
    presets = tomllib.loads(PRESETS.read_text(encoding="utf-8"))["preset"]
    shared = {one["name"].replace("-", ""): one["metrics"] for one in presets}
    assert {name for name in METRIC_SETS if name in shared} == {"dcase2023", "dcase2024"}
    for name in METRIC_SETS.keys() & shared.keys():
        assert {*METRIC_SETS[name].metrics} == {*shared[name]}


def test_names_come_once_in_the_order_used_everywhere() -> None:
    assert metric_names(["vocab", "dcase2023", "meteor"]) == (
        *("meteor", "cider_d", "spice", "spider", "spider_fl", "sbert_sim", "fense"),
        "vocab",
    )
    assert metric_names("all") == metrics_for(several=True)
    assert metric_names("all", ("bleu_1",)) == ("bleu_1",)


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        ("blue_1", "bleu_1"),
        ("BLEU_4", "bleu_4"),
        ("cider", "cider_d"),
        ("dcase2025", "dcase2024"),
        ("fence", "fense"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(wanted: str, near: str) -> None:
    with pytest.raises(
        UnknownMetric, match=f"no metric '{wanted}'. Did you mean .*{near}"
    ) as found:
        metric_names(["rouge_l", wanted])
    assert "dcase2024" in str(found.value)


@pytest.mark.parametrize("wanted", ["", " , ", []])
def test_no_name_at_all_is_refused(wanted: str | list[str]) -> None:
    with pytest.raises(NoMetricNamed):
        metric_names(wanted)
