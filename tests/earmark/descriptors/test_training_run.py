"""A plan carried out: what is measured is unseen, what stops goes on, what is written is whole."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch

from earmark.models.descriptors import find_labeller
from earmark.models.descriptors.network import Method
from earmark.train.descriptors import (
    LabelSet,
    PlanProgress,
    ProgressListener,
    TooFewGroups,
    TrainingDiverged,
    TrainingEnvironment,
    TrainingPlan,
    UnusablePlan,
    default_recipe,
    read_sets,
    run_training,
)
from tests.earmark.descriptors.records import OTHER_WORDS, SMALL, filled, lines, record
from tests.earmark.descriptors.tiny import tiny_backbone

EPOCHS = 3
THIRD = filled("outside on a {where} there and then one small {who} {how} loudly for us")


class Stopped(Exception):
    """What a listener raises to stop."""


@pytest.fixture(scope="module")
def backbone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_backbone(tmp_path_factory.mktemp("b") / "tiny", "roberta")


@pytest.fixture
def sets(tmp_path: Path) -> list[LabelSet]:
    helper = lines(
        [
            record("a dog barks", [(1, 1, "ANIMAL")]),
            record("some birds sing very far away", [(1, 1, "ANIMAL")]),
            record("three cats and a cow were there", [(1, 1, "ANIMAL"), (4, 4, "ANIMAL")]),
            record("it never rains when my dog sleeps", [(5, 5, "ANIMAL")]),
        ]
    )
    (tmp_path / "a.jsonl").write_text(SMALL + OTHER_WORDS + THIRD, encoding="utf-8")
    (tmp_path / "b.jsonl").write_text(helper, encoding="utf-8")
    return read_sets([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])


@pytest.fixture
def plan(backbone: Path) -> TrainingPlan:
    recipe = default_recipe("lora", str(backbone), epochs=EPOCHS, batch=8, rate=1e-2, name="mine")
    return TrainingPlan(recipe, held_out=1 / 3)


def stopping_after(left: int, seen: list[PlanProgress] | None = None) -> ProgressListener:
    """A listener that stops when so many epochs are done."""

    def tell(told: PlanProgress) -> None:
        nonlocal left
        if seen is not None:
            seen.append(told)
        left -= told.ended
        if left == 0 and told.ended:
            raise Stopped

    return tell


def weights(folder: Path) -> bytes:
    return (folder / "model.safetensors").read_bytes()


def told_by(report: dict[str, Any]) -> dict[str, Any]:
    return {**report, "training": None, "seconds": None}


def test_what_is_judged_was_held_out_and_is_told_and_written(
    sets: list[LabelSet], plan: TrainingPlan, tmp_path: Path
) -> None:
    told: list[PlanProgress] = []
    threads = torch.get_num_threads()
    report = run_training(sets, plan, tmp_path / "out", on_progress=told.append)
    assert torch.get_num_threads() == threads
    ended = [one for one in told if one.ended]
    assert [(one.stage, one.epoch, one.epochs) for one in ended] == [
        ("Training", number, EPOCHS) for number in (1, 2, 3)
    ]
    assert [one.done for one in told] == sorted(one.done for one in told)
    assert told[-1].done == told[-1].total == EPOCHS * report["captions"]["learned"]
    counted = report["captions"]
    assert counted["learned"] + counted["held_out"] == 76
    assert counted["written"] == counted["learned"]
    first = report["inventories"][sets[0].name]
    assert ended[-1].f1 == first["micro"] == report["training"][-1]["f1"]
    assert all(one.f1 is None for one in told if not one.ended)
    # A form's captions are one group, so that one whole form is what is judged.
    assert first["captions"] == 24
    # Rows of the confusion are people's words, its diagonal what is right.
    labels, counts = first["confusion"]["labels"], first["confusion"]["counts"]
    words = sum(len(one.words) for one in sets[0].captions) // 3
    assert abs(sum(map(sum, counts)) - words) < 24 * 6
    right = sum(row[place] for place, row in enumerate(counts))
    assert right / sum(map(sum, counts)) == pytest.approx(first["accuracy"])
    for place, name in enumerate(labels):
        if name in first["labels"]:
            assert sum(counts[place]) == first["labels"][name]["words"]
    wrong = [
        sum(a != b for a, b in zip(one["given"], one["found"], strict=True))
        for one in first["errors"]
    ]
    assert wrong == sorted(wrong, reverse=True), "the worst come first"
    assert min(wrong) > 0
    assert sum(wrong) == round(sum(map(sum, counts)) * (1 - first["accuracy"]))
    kept = {caption.key for caption in sets[0].captions}
    assert all(" ".join(one["words"]) in kept for one in first["errors"])
    # The report is written beside the labeller, and nothing else stays.
    files = {path.name: path for path in (tmp_path / "out").iterdir()}
    assert set(files) == {"config.json", "model.safetensors", "report.json"}
    assert json.loads(files["report.json"].read_text()) == json.loads(json.dumps(report))
    assert find_labeller(str(tmp_path / "out")).identity.startswith("mine@")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(("method", "epochs"), [("lora", 1), ("head", 2), ("full", EPOCHS)])
def test_a_training_that_was_stopped_goes_on_to_the_same_weights(
    method: Method, epochs: int, sets: list[LabelSet], plan: TrainingPlan, tmp_path: Path
) -> None:
    plan = replace(plan, recipe=replace(plan.recipe, method=method))
    whole = run_training(sets, plan, tmp_path / "whole")
    work = tmp_path / "work"
    with pytest.raises(Stopped):
        run_training(sets, plan, tmp_path / "out", work=work, on_progress=stopping_after(epochs))
    assert not (tmp_path / "out").exists()
    seen: list[PlanProgress] = []
    again = run_training(sets, plan, tmp_path / "out", work=work, on_progress=seen.append)
    assert weights(tmp_path / "out") == weights(tmp_path / "whole")
    assert told_by(again) == told_by(whole)
    # Epochs done before are told again and not trained again.
    assert [one.epoch for one in seen if one.ended] == [1, 2, 3]
    assert {one.epoch for one in seen if not one.ended} == set(range(epochs + 1, EPOCHS + 1))


def test_a_long_epoch_goes_on_from_within(
    sets: list[LabelSet], plan: TrainingPlan, tmp_path: Path
) -> None:
    """Else whoever waits for the same worker would wait for as long as an epoch takes."""
    seconds = count()
    environment = TrainingEnvironment(clock=lambda: float(next(seconds)), every=3.0)
    whole = run_training(sets, plan, tmp_path / "whole")
    work = tmp_path / "work"
    seen: list[PlanProgress] = []

    def stop(told: PlanProgress) -> None:
        seen.append(told)
        if told.kept and not told.ended:
            raise Stopped

    tries = 0
    while not (tmp_path / "out").exists():
        tries += 1
        with suppress(Stopped):
            again = run_training(
                sets, plan, tmp_path / "out", work=work, on_progress=stop, environment=environment
            )
    assert tries > 2 * EPOCHS, "several times in each epoch"
    assert weights(tmp_path / "out") == weights(tmp_path / "whole")
    assert told_by(again) == told_by(whole)
    done = [one.done for one in seen if not one.ended]
    assert done == sorted(set(done)), "no batch was trained twice"
    assert [one["loss"] for one in whole["training"]] == [one["loss"] for one in again["training"]]


def test_folds_and_curve_go_on_after_the_last_part_that_was_done(
    sets: list[LabelSet], plan: TrainingPlan, tmp_path: Path
) -> None:
    (tmp_path / "c.jsonl").write_text(
        filled("{how} {where} {who} x y z v w") + filled("q r s t u p {how} {where} {who} so"),
        encoding="utf-8",
    )
    sets = read_sets([tmp_path / "a.jsonl", tmp_path / "c.jsonl", tmp_path / "b.jsonl"])
    plan = replace(plan, held_out=0.2, folds=2, curve=True, learn_all=True)
    whole = run_training(sets, plan, tmp_path / "whole")
    assert [point["captions"] for point in whole["curve"]] == [24, 48, 72, 96]
    first = sets[0].name
    assert whole["curve"][-1]["micro"] == whole["inventories"][first]["micro"]
    assert whole["folds"][first]["captions"] == 120
    assert len(whole["folds"][first]["each"]) == 2
    assert whole["captions"]["written"] == sum(len(part.captions) for part in sets)
    work = tmp_path / "work"
    seen: list[PlanProgress] = []
    for stop in (5, 4 * EPOCHS + 1, 5 * EPOCHS + 2):
        with pytest.raises(Stopped):
            run_training(
                sets, plan, tmp_path / "out", work=work, on_progress=stopping_after(stop, seen)
            )
    again = run_training(sets, plan, tmp_path / "out", work=work, on_progress=seen.append)
    assert weights(tmp_path / "out") == weights(tmp_path / "whole")
    assert told_by(again) == told_by(whole)
    trained = [(one.stage, one.epoch) for one in seen if not one.ended]
    batches = {key: trained.count(key) for key in trained}
    once: list[PlanProgress] = []
    run_training(sets, plan, tmp_path / "once", on_progress=once.append)
    plain = [(one.stage, one.epoch) for one in once if not one.ended]
    assert batches == {key: plain.count(key) for key in plain}  # nothing was trained twice
    assert [one.done for one in once] == sorted(one.done for one in once)
    assert once[-1].done == once[-1].total
    assert {one.stage for one in once} == {
        *("Training", "Training on all captions", "Fold 1 of 2", "Fold 2 of 2"),
        *(f"Learning curve, {share} %" for share in (25, 50, 75)),
    }


def test_a_checkpoint_of_other_captions_or_another_plan_is_not_used(
    sets: list[LabelSet], plan: TrainingPlan, tmp_path: Path
) -> None:
    other = replace(plan, recipe=replace(plan.recipe, seed=2))
    fewer = [LabelSet(sets[0].name, sets[0].labels, sets[0].captions[1:])]
    for number, (given, asked) in enumerate(((sets, other), (fewer, plan))):
        work = tmp_path / f"work-{number}"
        with pytest.raises(Stopped):
            run_training(sets, plan, tmp_path / "x", work=work, on_progress=stopping_after(2))
        run_training(given, asked, tmp_path / "plain")
        seen: list[PlanProgress] = []
        run_training(given, asked, tmp_path / "out", work=work, on_progress=seen.append)
        assert weights(tmp_path / "out") == weights(tmp_path / "plain")
        assert {one.epoch for one in seen if not one.ended} == {1, 2, 3}


KILLED = """
import os, signal, sys
from pathlib import Path
from earmark.train.descriptors import TrainingPlan, default_recipe, read_sets, run_training

def tell(told):
    if not told.ended and told.epoch == 2 and told.done > 80:
        os.kill(os.getpid(), signal.SIGKILL)  # in the middle of an epoch, nothing cleaned up

data, backbone, out, work = map(Path, sys.argv[1:])
recipe = default_recipe("lora", str(backbone), epochs=3, batch=8, rate=1e-2, name="mine")
plan = TrainingPlan(recipe, held_out=1 / 3)
run_training(read_sets([data]), plan, out, work=work, on_progress=tell)
"""


def test_a_killed_process_leaves_no_labeller_and_its_training_goes_on(
    sets: list[LabelSet], plan: TrainingPlan, backbone: Path, tmp_path: Path
) -> None:
    data, out, work = tmp_path / "a.jsonl", tmp_path / "out", tmp_path / "work"
    command = [sys.executable, "-c", KILLED, str(data), str(backbone), str(out), str(work)]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": "."}, check=False)
    assert run.returncode == -signal.SIGKILL
    assert not out.exists()
    run_training(sets[:1], plan, tmp_path / "whole")
    seen: list[PlanProgress] = []
    run_training(sets[:1], plan, out, work=work, on_progress=seen.append)
    assert {one.epoch for one in seen if not one.ended} == {2, 3}
    assert weights(out) == weights(tmp_path / "whole")


def test_all_captions_are_learned_from_where_nothing_is_held_out(
    sets: list[LabelSet], plan: TrainingPlan, tmp_path: Path
) -> None:
    report = run_training(sets, replace(plan, held_out=0), tmp_path / "out")
    assert report["captions"] == {"learned": 76, "held_out": 0, "written": 76}
    assert report["inventories"] == {}
    assert [epoch["f1"] for epoch in report["training"]] == [None] * 3
    held = replace(plan, learn_all=True)
    again = run_training(sets, held, tmp_path / "all")
    assert weights(tmp_path / "all") == weights(tmp_path / "out")
    assert again["captions"]["held_out"] > 0


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"held_out": 0.6}, "A share of 0.6 cannot be held out"),
        ({"held_out": float("nan")}, "A share of nan cannot be held out"),
        ({"folds": 1}, "1 folds judge nothing"),
        ({"held_out": 0, "curve": True}, "A learning curve needs captions"),
        ({"epochs": 0}, "0 epochs train nothing"),
        ({"batch": 0}, "A batch of 0"),
        ({"rate": float("nan")}, "A learning rate of nan"),
        ({"method": "magic"}, "There is no method 'magic'. Give one of: lora, head, full"),
        ({"name": "a b"}, "'a b' cannot be a labeller's name"),
        ({"name": "a@b"}, "'a@b' cannot be a labeller's name"),
        ({"seed": -1}, "-1 cannot be a seed"),
        ({"dropout": 1.0}, "A dropout of 1.0"),
    ],
)
def test_a_plan_that_makes_no_sense_is_told_before_any_work(
    changes: dict[str, Any], told: str, sets: list[LabelSet], plan: TrainingPlan, tmp_path: Path
) -> None:
    of_plan = {name: value for name, value in changes.items() if hasattr(plan, name)}
    rest = {name: value for name, value in changes.items() if name not in of_plan}
    asked = replace(replace(plan, **of_plan), recipe=replace(plan.recipe, **rest))
    with pytest.raises(UnusablePlan, match=told.replace("|", r"\|")):
        run_training(sets, asked, tmp_path / "out", work=tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_too_few_captions_and_a_loss_that_is_no_number_are_told(
    sets: list[LabelSet], plan: TrainingPlan, tmp_path: Path
) -> None:
    with pytest.raises(TooFewGroups, match="there are 3 such groups"):
        run_training(sets, replace(plan, held_out=0.2), tmp_path / "out")
    with pytest.raises(UnusablePlan, match="no labelled caption"):
        run_training([], plan, tmp_path / "out")
    wild = replace(plan.recipe, rate=1e30, head_rate=1e30)
    with pytest.raises(TrainingDiverged, match="Give a smaller learning rate than 1e"):
        run_training(sets, replace(plan, recipe=wild), tmp_path / "out")
