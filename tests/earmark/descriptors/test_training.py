"""Training on a few captions: it learns, it repeats, and what it writes can be used."""

import json
from pathlib import Path

import pytest
import torch

from earmark.cli.parser import main
from earmark.models.descriptors import find_labeller, label
from earmark.models.descriptors.files import read_config
from earmark.models.descriptors.network import METHODS
from earmark.train.descriptors import (
    LabellerRecipe,
    OutOfMemory,
    PlanProgress,
    default_recipe,
    predict,
    read_sets,
    save_trained,
    token_agreement,
)
from earmark.train.descriptors.recipe import memory_advice, memory_errors_explained
from earmark.train.descriptors.training import fit
from tests.earmark.descriptors.records import OTHER_WORDS, SMALL
from tests.earmark.descriptors.tiny import tiny_backbone

RECIPE = LabellerRecipe(name="tiny", epochs=8, rate=3e-3, head_rate=1e-2, batch=8)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_learns_repeats_and_is_used(data: Path, tmp_path: Path) -> None:
    sets = read_sets([data])
    told: list[PlanProgress] = []
    before = torch.random.get_rng_state()
    network, _ = fit(sets, RECIPE, on_step=told.append)
    assert torch.equal(torch.random.get_rng_state(), before)
    epochs = [one for one in told if one.ended]
    assert epochs[-1].loss < epochs[0].loss / 4
    assert [one.epoch for one in epochs] == list(range(1, 9))
    assert [one.done for one in told if not one.ended] == list(range(8, 8 * 24 + 1, 8))
    assert {one.total for one in told} == {8 * 24}
    save_trained(network, sets[0], RECIPE, tmp_path / "out")
    assert read_config(tmp_path / "out").labels == sets[0].labels
    found = label(find_labeller(str(tmp_path / "out")), ["A bird talks in the room."], device="cpu")
    assert found[0].labels == ("O", "WHAT", "HOW", "O", "O", "WHAT/WHERE")
    unseen = predict(network, sets[0], sets[0].captions[:1])
    assert unseen == [list(sets[0].captions[0].labels)]


def test_command_trains_with_folds(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    options = ["--folds", "2", "--epochs", "2", "--name", "mine", "--seed", "3"]
    data.write_text(SMALL + OTHER_WORDS, encoding="utf-8")
    assert main(["train", "descriptors", str(data), "--out", str(out), *options]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("aces-13: 48 unseen captions, token micro F1 without O 0.")
    assert "Fold 2 of 2, epoch 2 of 2" in printed.err
    assert printed.err.count("token micro F1 without O 0.") == 4  # a line an epoch of a fold
    report = json.loads((out / "report.json").read_text())
    assert report["recipe"]["seed"] == 3
    assert report["inventories"] == {}
    assert report["folds"]["aces-13"]["captions"] == 48
    assert len(report["folds"]["aces-13"]["each"]) == 2
    assert find_labeller(str(out)).identity.startswith("mine@")


def test_wrong_data_and_options_are_told_before_any_work(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "out")]
    assert main(["train", "descriptors", str(data), *out, "--folds", "1"]) == 2
    assert "1 folds judge nothing" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    (tmp_path / "bad.jsonl").write_text("{}\n")
    assert main(["train", "descriptors", str(tmp_path), *out]) == 2
    assert "bad.jsonl, line 1" in capsys.readouterr().err


@pytest.mark.parametrize("method", METHODS)
def test_commands_train_and_label_with_every_method(
    method: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data.write_text(SMALL + OTHER_WORDS, encoding="utf-8")
    backbone = str(tiny_backbone(tmp_path / "tiny", "roberta"))
    out, work = str(tmp_path / "out"), tmp_path / "work"
    more = ["--held-out", "0.5", "--keep-held-out", "--epochs", "2", "--work", str(work)]
    options = ["--method", method, "--backbone", backbone, *more]
    assert main(["train", "descriptors", str(data), "--out", out, *options]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("aces-13: 24 held out captions, token micro F1 without O ")
    assert "Training, epoch 2 of 2: loss " in printed.err
    assert [path.name for path in work.iterdir()] == ["training.safetensors"]
    (tmp_path / "c.txt").write_text("A dog barks.\n")
    command = ["label", str(tmp_path / "c.txt"), "--labeller", out, "--device", "cpu"]
    assert main(command) == 0
    tokens = json.loads(capsys.readouterr().out)["tokens"]
    assert [token["text"] for token in tokens] == ["A", "dog", "barks"]


def test_memory_that_torch_cannot_have_becomes_an_advice() -> None:
    # The real failure of torch's own allocator: more bytes than any machine has.
    with (
        pytest.raises(OutOfMemory) as told,
        memory_errors_explained(default_recipe("full", "roberta-base")),
    ):
        torch.empty(1 << 60, dtype=torch.uint8)
    assert told.value.advice == (
        "Train LoRA instead of every weight, or give a batch of 8 instead of 16, or take a"
        " smaller backbone, such as the packaged one."
    )
    assert told.value.advice in str(told.value)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: 9 bytes"),
        OSError(12, "Cannot allocate memory"),
    ],
)
def test_every_way_of_running_out_of_memory_is_known(error: Exception) -> None:
    with (
        pytest.raises(OutOfMemory, match=r"does not suffice\. Give a batch of 8"),
        memory_errors_explained(LabellerRecipe()),
    ):
        raise error
    with (
        pytest.raises(RuntimeError, match="something else"),
        memory_errors_explained(LabellerRecipe()),
    ):
        raise RuntimeError("something else")


def test_advice_leaves_out_what_is_done_already() -> None:
    least = LabellerRecipe(method="head", batch=1)
    assert memory_advice(least) == "Train on a machine with more memory, or close other programs."


GIVEN = [["O", "WHAT", "WHAT", "HOW"], ["O", "WHO", "O"]]
FOUND = [["O", "WHAT", "HOW", "HOW"], ["O", "WHO", "WHERE"]]


def test_figures_are_those_counted_by_hand() -> None:
    told = token_agreement(GIVEN, FOUND)
    # Right outside O: WHAT, HOW, WHO = 3; people gave 4, the labeller 5.
    assert told.micro == pytest.approx(2 * 3 / (4 + 5))
    # Spans: people WHAT(1-2) HOW(3) WHO(1); found WHAT(1) HOW(2-3) WHO(1) WHERE(2): one is right.
    assert told.span == pytest.approx(2 * 1 / (3 + 4))
    assert told.accuracy == pytest.approx(5 / 7)
    # F1 with words: O 2*2/(3+2) x3, WHAT 2*1/(2+1) x2, HOW 2*1/(1+2) x1, WHO 1 x1, WHERE 0 x0.
    assert told.weighted == pytest.approx((0.8 * 3 + 2 / 3 * 2 + 2 / 3 + 1) / 7)
    assert told.labels["WHAT"].precision == 1
    assert told.labels["WHAT"].recall == 0.5
    assert told.labels["WHERE"].words == 0
    assert told.captions == 2


def test_perfect_and_empty() -> None:
    assert token_agreement(GIVEN, GIVEN).micro == 1
    assert token_agreement([], []).micro == 0
    assert token_agreement([["O"]], [["O"]]).accuracy == 1
