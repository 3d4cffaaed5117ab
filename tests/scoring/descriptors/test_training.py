"""Training on a few captions: it learns, it repeats, and what it writes can be used."""

import json
from pathlib import Path

import pytest
import torch

from scoring.cli.parser import main
from scoring.models.descriptors import find_labeller, label
from scoring.models.descriptors.files import read_config
from scoring.train.descriptors import Recipe, Told, predict, read_sets, save, train
from tests.scoring.descriptors.records import OTHER_WORDS, SMALL

RECIPE = Recipe(name="tiny", epochs=8, rate=3e-3, head_rate=1e-2, batch=8)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_learns_repeats_and_is_used(data: Path, tmp_path: Path) -> None:
    sets = read_sets([data])
    told: list[Told] = []
    before = torch.random.get_rng_state()
    network = train(sets, RECIPE, tell=told.append)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert told[-1].loss < told[0].loss / 4
    assert [one.epoch for one in told] == list(range(1, 9))
    save(network, sets[0], RECIPE, tmp_path / "out")
    assert read_config(tmp_path / "out").labels == sets[0].labels
    found = label(find_labeller(str(tmp_path / "out")), ["A bird talks in the room."], device="cpu")
    assert found[0].labels == ("O", "WHAT", "HOW", "O", "O", "WHAT/WHERE")
    unseen = predict(network, sets[0], sets[0].captions[:1])
    assert unseen == [list(sets[0].captions[0].labels)]


def test_same_seed_same_weights(data: Path) -> None:
    sets = read_sets([data])
    short = Recipe(epochs=1)
    first, second = (train(sets, short).trained() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    other = train(sets, Recipe(epochs=1, seed=2)).trained()
    assert not all(torch.equal(first[name], other[name]) for name in first)


def test_command_trains_with_folds(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    threads = torch.get_num_threads()
    options = ["--folds", "2", "--epochs", "2", "--name", "mine", "--seed", "3"]
    data.write_text(SMALL + OTHER_WORDS, encoding="utf-8")
    assert main(["train", "descriptors", str(data), "--out", str(out), *options]) == 0
    torch.set_num_threads(threads)
    printed = capsys.readouterr()
    assert printed.out.startswith("aces-13: 48 unseen captions, token micro F1 without O 0.")
    assert "fold 2 of 2" in printed.err
    assert printed.err.count("aces-13: token micro F1 without O 0.") == 2
    report = json.loads((out / "report.json").read_text())
    assert report["recipe"]["seed"] == 3
    assert report["inventories"]["aces-13"]["captions"] == 48
    assert find_labeller(str(out)).identity.startswith("mine@")


def test_captions_that_are_all_alike_are_not_judged_on_each_other(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    threads = torch.get_num_threads()
    assert main(["train", "descriptors", str(data), "--out", str(tmp_path), "--folds", "2"]) == 2
    torch.set_num_threads(threads)
    assert "cannot be parted into 2 folds" in capsys.readouterr().err


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
