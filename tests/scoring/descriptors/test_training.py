"""Training on a few captions: it learns, it repeats, and what it writes can be used."""

import json
from pathlib import Path

import pytest
import torch

from scoring.cli.parser import main
from scoring.models.descriptors import find_labeller, label
from scoring.models.descriptors.files import read_config
from scoring.models.descriptors.network import METHODS
from scoring.train.descriptors import LabellerRecipe, predict, read_sets, save_trained, train
from scoring.train.descriptors.training import TrainingStep, fit
from tests.scoring.descriptors.records import OTHER_WORDS, SMALL
from tests.scoring.descriptors.tiny import tiny_backbone

RECIPE = LabellerRecipe(name="tiny", epochs=8, rate=3e-3, head_rate=1e-2, batch=8)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_learns_repeats_and_is_used(data: Path, tmp_path: Path) -> None:
    sets = read_sets([data])
    told: list[TrainingStep] = []
    before = torch.random.get_rng_state()
    network = fit(sets, RECIPE, on_step=told.append).network
    assert torch.equal(torch.random.get_rng_state(), before)
    epochs = [one.ended for one in told if one.ended]
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


def test_same_seed_same_weights(data: Path) -> None:
    sets = read_sets([data])
    short = LabellerRecipe(epochs=1)
    first, second = (train(sets, short).trained() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    other = train(sets, LabellerRecipe(epochs=1, seed=2)).trained()
    assert not all(torch.equal(first[name], other[name]) for name in first)


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


def test_captions_that_are_all_alike_are_not_judged_on_each_other(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "descriptors", str(data), "--out", str(tmp_path), "--folds", "2"]) == 2
    assert "cannot be parted into 2 parts" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--folds", "1"], "1 folds judge nothing"),
        (["--epochs", "0"], "0 epochs train nothing"),
        (["--rate", "0"], "A learning rate of 0.0 trains nothing"),
    ],
)
def test_wrong_options_are_told_before_any_work(
    data: Path,
    tmp_path: Path,
    options: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    assert main(["train", "descriptors", str(data), "--out", str(out), *options]) == 2
    assert told in capsys.readouterr().err
    assert not out.exists()


def test_wrong_data_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.jsonl").write_text("{}\n")
    assert main(["train", "descriptors", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
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
