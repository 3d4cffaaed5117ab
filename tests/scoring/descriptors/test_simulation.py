"""Labelling played through: orders start alike, learn from nothing that is judged, add up."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.parser import main
from scoring.models.descriptors import LabelledCaption, uncertainty, words_of
from scoring.models.descriptors.labeller import MEASURES
from scoring.train.descriptors import (
    LabelSet,
    SimulationPlan,
    UnusablePlan,
    default_recipe,
    read_sets,
    simulate,
)
from scoring.train.descriptors.simulation import SimulatedRound, average_curves, captions_needed
from tests.scoring.descriptors.records import OTHER_WORDS, SMALL, filled
from tests.scoring.descriptors.tiny import tiny_backbone

FORMS = (SMALL, OTHER_WORDS, filled("{how} {where} {who} x y z v w"))


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> LabelSet:
    path = tmp_path_factory.mktemp("d") / "labels.jsonl"
    path.write_text("".join(FORMS), encoding="utf-8")
    return read_sets([path])[0]


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> SimulationPlan:
    backbone = tiny_backbone(tmp_path_factory.mktemp("b") / "tiny", "bert")
    recipe = default_recipe("lora", str(backbone), epochs=2, batch=8, rate=1e-2)
    orders = ("random", "mean", "errors")
    return SimulationPlan(recipe, seeds=2, start=10, step=12, held_out=1 / 3, orders=orders)


def test_orders_start_alike_and_end_alike(part: LabelSet, rounds: SimulationPlan) -> None:
    told: list[SimulatedRound] = []
    found = simulate(part, rounds, on_round=told.append)
    assert told == found.reached
    assert (found.pool, found.judged) == (48, 24)
    for seed in (1, 2):
        rows = {
            order: [one for one in told if (one.order, one.seed) == (order, seed)]
            for order in rounds.orders
        }
        assert {tuple(one.captions for one in row) for row in rows.values()} == {
            (10, 22, 34, 46, 48)
        }
        for place in (0, -1):  # the same captions: the same training, the same F1
            assert len({row[place].micro for row in rows.values()}) == 1
            assert len({row[place].words for row in rows.values()}) == 1
        # In between other captions were chosen.
        assert len({tuple(one.words for one in row) for row in rows.values()}) > 1
    assert simulate(part, rounds).reached == told


def test_averages_are_over_the_seeds(part: LabelSet, rounds: SimulationPlan) -> None:
    found = simulate(part, rounds)
    (first, *_) = average_curves(found)["mean"]
    starts = [one for one in found.reached if one.order == "mean" and one.captions == 10]
    assert first[0] == 10
    assert first[1] == pytest.approx(sum(one.micro for one in starts) / 2)
    assert first[2] == pytest.approx(sum(one.weighted for one in starts) / 2)


def test_most_stops_it(part: LabelSet, rounds: SimulationPlan) -> None:
    found = simulate(part, replace(rounds, seeds=1, most=30, orders=("mean",)))
    assert [one.captions for one in found.reached] == [10, 22, 30]


@pytest.mark.parametrize(
    ("f1", "captions"), [(0.4, 40), (0.5, 40), (0.6, 60), (0.7, 80), (0.8, 120), (0.9, None)]
)
def test_captions_needed_lie_on_straight_lines(f1: float, captions: float | None) -> None:
    curve = [(40, 0.5, 0.0), (80, 0.7, 0.0), (120, 0.8, 0.0)]
    assert captions_needed(curve, f1) == (None if captions is None else pytest.approx(captions))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"orders": ("random", "best")}, r"no order \['best'\]. Give some of: random, mean"),
        ({"orders": ()}, "no order"),
        ({"seeds": 0}, "at least 1"),
        ({"step": 40}, "10 captions and 40 more are not there: 48"),
        ({"held_out": 0}, "Hold a share out"),
    ],
)
def test_rounds_that_make_no_sense_are_told(
    changes: dict[str, Any], told: str, part: LabelSet, rounds: SimulationPlan
) -> None:
    with pytest.raises(UnusablePlan, match=told):
        simulate(part, replace(rounds, **changes))


def test_doubt_is_greatest_where_probabilities_are_least() -> None:
    def said(*sure: float) -> LabelledCaption:
        words = tuple(words_of(" ".join("x" * len(sure))))
        return LabelledCaption(words, ("O",) * len(sure), sure)

    certain, torn, long = said(0.9, 0.9), said(0.9, 0.3), said(0.7, 0.7, 0.7, 0.7)
    assert MEASURES["mean"](torn) == pytest.approx(0.4)
    assert MEASURES["least"](torn) == pytest.approx(0.7)
    assert MEASURES["errors"](long) == pytest.approx(1.2)
    for measure in (uncertainty, *MEASURES.values()):
        assert measure(said()) == 0
        assert measure(certain) < min(measure(torn), measure(long))


def test_command_prints_what_each_order_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(FORMS), encoding="utf-8")
    backbone = tiny_backbone(tmp_path / "tiny", "bert")
    options = ["--seeds", "1", "--start", "10", "--step", "20", "--held-out", "0.33"]
    more = ["--backbone", str(backbone), "--epochs", "1", "--json", str(tmp_path / "out.json")]
    assert main(["simulate", "descriptors", str(path), *options, *more]) == 0
    printed = capsys.readouterr()
    table = printed.out.splitlines()
    assert table[1].split() == ["captions", "random", "mean"]
    assert [line.split()[0] for line in table[2:5]] == ["10", "30", "48"]
    assert table[5] == "captions for the F1 that random has"
    told = json.loads((tmp_path / "out.json").read_text())
    assert [row["captions"] for row in told["averages"]["mean"]] == [10, 30, 48]
    assert len(told["reached"]) == 6
    assert printed.err.count("seed 1, mean") == 3
