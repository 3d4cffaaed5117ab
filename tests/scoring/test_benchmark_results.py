"""What is kept of the metrics' agreement with people: read as written, and not gone stale."""

import json
import math
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from scoring.benchmark import (
    AS_PUBLISHED,
    LEFT_OUT,
    Accuracy,
    human_agreement,
    read_judgments,
    shares,
)
from scoring.benchmark_results import (
    KINDS,
    RESULTS_FILE,
    benchmark_results_of,
    differences_from_kept,
    kept_differences,
    measured,
    published_result,
    published_results,
    results_from_json,
    results_json,
    stored_preferences,
)
from scoring.metrics.family import metric_parameters
from scoring.registry import METRICS, load_family
from scoring.results import Interval
from scoring.signature import signature
from scoring.workspace import Workspace

RERUN = "measure again: scoring/resources/benchmark/README.md says how"
# Those of a second or so.
CHEAP = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l", "cider_d")


def test_what_is_kept_is_what_would_be_written() -> None:
    # Shares and intervals are computed from the counts when it is read.
    text = RESULTS_FILE.read_text()
    assert results_json(results_from_json(text)) == text


def test_every_metric_that_can_be_measured_is_kept() -> None:
    assert [*measured().metrics] == [name for name in METRICS if name not in LEFT_OUT], RERUN
    # Zhou et al., FENSE, ICASSP 2022: decidable pairs of AudioCaps-Eval
    assert measured().pairs == {"HC": 203, "HI": 247, "HM": 239, "MM": 794, "Total": 1483}


@pytest.mark.parametrize("name", [name for name in METRICS if name not in LEFT_OUT])
def test_it_was_measured_with_what_the_code_computes_now(name: str) -> None:
    family = METRICS[name].family
    now = load_family(family, **AS_PUBLISHED.get(family, {}))
    # The four or five references of a judged caption.
    current = signature(name, metric_parameters(now, name), "4-5", now.revision)
    assert measured().metrics[name].signature == current, RERUN


def test_cheap_metrics_are_measured_so_again(shared_data: Path) -> None:
    data = (shared_data / "benchmark" / measured().judgments).read_bytes()
    assert sha256(data).hexdigest() == measured().sha256
    found = benchmark_results_of(
        human_agreement(read_judgments(data), CHEAP, Workspace()), "", data
    )
    assert found.metrics == {name: measured().metrics[name] for name in CHEAP}, RERUN


def test_shares_are_those_of_the_differences_that_are_kept() -> None:
    kept = stored_preferences()
    assert [*kept.differences] == [*measured().metrics], RERUN
    for name, differences in kept.differences.items():
        assert shares(kept, differences) == measured().metrics[name].accuracies, name


def test_differences_are_kept_to_six_digits_with_their_sign() -> None:
    given = np.array([1 / 3, -1e-9 / 3, 0.0, math.nan])
    kept = kept_differences(given)
    assert kept == [0.333333, -3.33333e-10, 0.0, None]
    np.testing.assert_array_equal(np.sign(differences_from_kept(kept)), np.sign(given))


def test_results_of_before_differences_were_kept_are_read() -> None:
    row = {"correct": 1, "pairs": 2, "undecided": 0, "percent": 50.0, "low": 9.5, "high": 90.5}
    old = {"judgments": "x", "sha256": "y", "metrics": {"bleu_1": {"signature": "s"}}}
    old["metrics"]["bleu_1"]["accuracies"] = {"Total": row}  # type: ignore[index]
    read = results_from_json(json.dumps(old))
    told = read.metrics["bleu_1"].accuracies["Total"]
    assert told == Accuracy(1, 2, 0, Interval(9.5, 90.5))
    assert read.preferences.facets.size == 0
    assert not read.preferences.differences


def test_what_papers_have_is_of_metrics_and_of_people() -> None:
    assert {row.metric for row in published_results()} <= {*METRICS, ""}
    assert [row.metric for row in published_results()][-1] == ""
    assert all(row.source for row in published_results() if row.metric)
    told = published_result("sbf")
    # Mahfuz et al. give no total.
    assert told is not None
    assert [*told.audiocaps] == [*KINDS[:-1]]
    assert published_result("bleu_2") is None
