"""What is kept of the metrics' agreement with people: read as written, and not gone stale."""

import json
import math
from dataclasses import replace
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
# Every so many pairs are measured again.
EVERY = 20


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


def test_every_metric_is_measured_so_again(shared_data: Path) -> None:
    data = (shared_data / "benchmark" / measured().judgments).read_bytes()
    assert sha256(data).hexdigest() == measured().sha256
    judgments = read_judgments(data)
    some = replace(judgments, pairs=judgments.decidable[::EVERY])
    kept = stored_preferences().differences
    found = human_agreement(some, tuple(kept), Workspace(device="cpu")).preferences
    assert [*found.differences] == [*kept]
    for name, differences in found.differences.items():
        # The last digits of vectors are a machine's own.
        np.testing.assert_allclose(differences, kept[name][::EVERY], atol=2e-4, err_msg=name)


@pytest.mark.parametrize(
    ("metric", "published", "within"),
    [
        # Zhou et al., FENSE, ICASSP 2022, table 2, column Total
        ("bleu_1", 62.4, 2),
        ("bleu_4", 61.6, 3),
        ("rouge_l", 64.9, 2),
        ("meteor", 71.7, 2),
        ("cider_d", 71.0, 2),
        ("sbert_sim", 80.6, 0.3),  # with MiniLM
        # Gontier et al., SPICE+, ICASSP 2023, table 1
        ("spice", 59.7, 3),
        ("spider", 72.2, 3),
        ("spider_fl", 79.1, 3),
        ("spice_plus", 62.0, 3),
        ("spice_plus_emb", 77.0, 2),
        ("spice_plus_emb_fl", 84.0, 2),
        # Wijngaard et al., ACES, 2024, table V; BERTScore is of another model there
        ("aces", 83.0, 1),
        ("bert_score", 74.3, 5),
    ],
)
def test_totals_are_near_the_published(metric: str, published: float, within: float) -> None:
    found = measured().metrics[metric].accuracies
    assert found["Total"].percent == pytest.approx(published, abs=within)
    assert found["HI"].percent > found["MM"].percent


def test_pairs_that_sbf_decides_are_mostly_right() -> None:
    found = measured().metrics["sbf"].accuracies
    # 93.5 is the published value for HI (docs/reference/sbf.md); many pairs name the same sounds.
    assert found["HI"].percent >= 92
    total = found["Total"]
    assert total.correct / (total.pairs - total.undecided) >= 0.75


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
