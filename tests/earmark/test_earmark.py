"""Earmark: a weighted mean that never falls with a part, and weights learned from pairs."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.benchmark_results import validated
from earmark.captions import Candidates, References
from earmark.metrics.earmark.metric import PARTS, Earmark
from earmark.metrics.earmark.weights import SHIPPED, WeightsUnusable, read_weights
from earmark.pipeline import score_family
from earmark.registry import METRICS
from earmark.signature import signature
from earmark.train.earmark.altered_captions import altered_pairs
from earmark.train.earmark.fitting import (
    ALTERED,
    LEFT_OUT,
    PartPairs,
    Setting,
    ablation,
    ablation_json,
    fit,
    nested_validation,
)
from earmark.workspace import Workspace

NAMES = tuple(PARTS)
REFERENCES = References.build(
    [
        ("a.wav", ["A dog barks while rain falls", "A dog is barking in the rain"]),
        ("b.wav", ["People talk in a hall", "A crowd speaks", "Voices echo in a large room"]),
    ]
)
CAPTIONS = Candidates.single(["A dog barks and rain is falling", "A crowd crowd of people of"])


def test_the_parts_are_what_the_metrics_find_and_their_shares_add_up() -> None:
    workspace = Workspace(details=True)
    found = score_family("earmark", CAPTIONS, REFERENCES, workspace)["earmark"]
    alone = {
        "similarity": score_family("sbert", CAPTIONS, REFERENCES, workspace)["sbert_sim"],
        "content_named": score_family("spice_plus_emb", CAPTIONS, REFERENCES, workspace)[
            "spice_plus_recall"
        ],
    }
    errors = score_family("fluency", CAPTIONS, REFERENCES, workspace)["fer"].details
    assert found.details is not None
    assert errors is not None
    for at, detail in enumerate(found.details):
        assert detail is not None
        values = {part["name"]: part["value"] for part in detail["parts"]}
        for part, metric in alone.items():
            if part in values:
                assert values[part] == pytest.approx(float(metric.per_clip[at]), abs=1e-5)
        if "fluent" in values:
            error = errors[at]["probabilities"]["error"]
            assert values["fluent"] == pytest.approx(1 - error, abs=1e-5)
        shares = sum(part["share"] for part in detail["parts"])
        assert shares == pytest.approx(float(found.per_clip[at]), abs=1e-4)
        assert 0 <= shares <= 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("no json", "Expecting value"),
        ('{"weights": {}}', "there is no name"),
        ('{"name": "a", "weights": {"loudness": 1}}', "there is no part 'loudness'"),
        ('{"name": "a", "weights": {"similarity": -1}}', "not a number of 0 or more"),
        ('{"name": "a", "weights": {"similarity": 0.4}}', "add up to 0.4"),
    ],
)
def test_a_file_that_has_no_weights_is_refused_in_words(
    tmp_path: Path, content: str, told: str
) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content)
    with pytest.raises(WeightsUnusable, match=told):
        read_weights(str(path), NAMES)


def test_the_shipped_weights_are_those_of_the_model_card() -> None:
    weights = json.loads(SHIPPED.read_text())["weights"]
    report = json.loads(SHIPPED.with_name("report.json").read_text())
    for name, weight in weights.items():
        assert weight == pytest.approx(report["weights"][name], abs=0.002)
    card = SHIPPED.with_name("MODEL_CARD.md").read_text()
    told = f"{report['validated']['Total']:.1f} %"
    assert told in card
    assert told in METRICS["earmark"].not_judged


def test_a_part_that_people_follow_takes_the_weight_and_none_is_negative() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 3)) * 0.1
    rows[:, 0] = np.abs(rows[:, 0])  # the better caption has more of it
    rows[:, 1] = -np.abs(rows[:, 1])  # and less of that
    people = PartPairs(rows, np.arange(400) // 4)
    weights = fit(people, np.zeros((0, 3)), Setting(0.3, 0.001))
    assert weights[0] > 0.8
    assert weights.min() >= 0
    assert weights[1] == 0
    assert nested_validation(people, np.zeros((0, 3)), seed=0).mean() > 0.95


def test_what_a_part_is_worth_is_found_by_leaving_it_out() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(90, len(NAMES))) * 0.1
    rows[:, 0] = np.abs(rows[:, 0])  # people follow the first part alone
    people = PartPairs(rows, np.arange(90) // 3)
    altered = np.zeros((0, len(NAMES)))
    right = nested_validation(people, altered, seed=0)
    found = {row.left_out: row for row in ablation(people, altered, right, seed=0, log=print)}
    assert list(found) == list(LEFT_OUT)
    worth = found[PARTS["similarity"]]
    assert worth.interval.high < 0
    assert worth.percent == pytest.approx(100 * right.mean() + worth.change)
    assert found[PARTS["fluent"]].interval.high >= 0
    assert (found[ALTERED].change, found[ALTERED].interval.low) == (0, 0)
    assert json.loads(ablation_json(list(found.values())))[3]["left_out"] == PARTS["similarity"]


def test_what_is_kept_of_validation_and_ablation_is_of_the_shipped_weights() -> None:
    metric, kept = Earmark(), validated()
    assert kept.signature == signature("earmark", metric.parameters, "4-5", metric.revision)
    report = json.loads(SHIPPED.with_name("report.json").read_text())
    told = {kind: round(share.percent, 1) for kind, share in kept.accuracies.items()}
    assert told == report["validated"]


CORPUS = References.build(
    (
        f"{number}.wav",
        [
            f"A dog barks and a bird {verb} then a car passes",
            f"A bird {verb} while a dog is barking",
            f"Birds and a dog, followed by a {verb} car",
        ],
    )
    for number, verb in enumerate(("sings", "calls", "chirps", "cries"))
)


def test_altered_captions_differ_by_one_thing_and_never_see_their_references() -> None:
    pairs = altered_pairs(CORPUS, seed=0)
    assert pairs == altered_pairs(CORPUS, seed=0)
    assert pairs != altered_pairs(CORPUS, seed=1)
    for pair in pairs:
        own = CORPUS.clips[pair.clip].references
        assert pair.better in own
        assert pair.better not in pair.references
        assert pair.worse not in own
        assert len(pair.references) == len(own) - 1


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=3, max_size=5, unique=True))
def test_any_references_can_be_altered(captions: list[str]) -> None:
    corpus = References.build(
        [("a.wav", captions), *((c.file_name, c.references) for c in CORPUS.clips)]
    )
    for pair in altered_pairs(corpus, seed=0):
        assert pair.worse.strip()
        assert replace(pair, kind="") != pair
