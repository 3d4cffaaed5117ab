"""Training stands a kill, agrees with itself, learns, and ends in a package that is taken."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from safetensors.torch import load_file

from leaderboard.packages.reading import File, package_against, package_read
from modern_baseline import ModernBaseline
from runs import best_model, tensors_read
from scoring.captions import read_references
from tests.leaderboard.starter.conftest import command, environment, run

EPOCHS = 12


def options(made: Path, model: str, out: Path) -> list[str]:
    few = ["--preset", "small", "--epochs", str(EPOCHS), "--batch", "4", "--validate-every", "6"]
    return ["--model", model, "--data", str(made), "--out", str(out), *few, "--save-after", "0"]


@pytest.fixture(scope="module")
def trained(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A training of the modern baseline that nothing interrupted."""
    out = tmp_path_factory.mktemp("runs") / "whole"
    run("train", *options(made, "modern", out))
    return out


def numbers(folder: Path) -> tuple[object, str]:
    """All that a training ends with but the time that it took."""
    tensors, place = tensors_read(folder / "last.safetensors")
    del place["seconds"]
    values = {name: tensor.tolist() for name, tensor in tensors.items()}
    return (values, place), (folder / "log.json").read_text()


def test_killed_and_resumed_it_ends_with_the_same_numbers(
    made: Path, trained: Path, tmp_path: Path
) -> None:
    out = tmp_path / "killed"
    process = subprocess.Popen(
        command("train", *options(made, "modern", out)),
        env=environment(),
        stdout=subprocess.DEVNULL,
    )
    place: dict[str, int] = {}
    while process.poll() is None and (place.get("epoch", 0) < 2 or not place["batch"]):
        time.sleep(0.005)
        if (out / "last.safetensors").exists():
            place = tensors_read(out / "last.safetensors")[1]
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    said = run("train", *options(made, "modern", out))
    assert "Going on after" in said
    assert numbers(out) == numbers(trained)
    assert load_file(out / "best.safetensors").keys() == best_model(trained)[0].state_dict().keys()


def test_runs_with_one_seed_agree_and_with_another_differ(made: Path, tmp_path: Path) -> None:
    ended = []
    for name, seed in (("one", "1"), ("again", "1"), ("other", "2")):
        given = options(made, "clotho", tmp_path / name)
        run("train", *given, "--epochs", "1", "--validate-every", "1", "--seed", seed)
        ended.append(numbers(tmp_path / name))
    one, again, other = ended
    assert one == again
    assert one != other


def test_it_learns_and_shows_how(made: Path, tmp_path: Path) -> None:
    said = run("train", *options(made, "clotho", tmp_path / "run"))
    losses = [
        float(line.split("loss ")[1][:5]) for line in said.splitlines() if " of 12: loss" in line
    ]
    assert len(losses) == EPOCHS
    assert losses[-1] < losses[0]
    assert "validation fense" in said
    assert "a reference:" in said


def test_other_options_do_not_go_on_with_a_training(made: Path, trained: Path) -> None:
    done = subprocess.run(
        command("train", *options(made, "modern", trained), "--seed", "2"),
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "other values of: seed" in done.stderr


def test_the_package_is_taken_at_once(made: Path, trained: Path, tmp_path: Path) -> None:
    label = "Kim_SNU_task6_1"
    given = ["--run", str(trained), "--data", str(made), "--out", str(tmp_path / "system.zip")]
    run("predict", *given, "--label", label)
    package = package_read(File("system.zip", (tmp_path / "system.zip").read_bytes()))
    references = read_references((made / "captions_evaluation.csv").read_bytes()).value
    assert references is not None
    reading = package_against(package, references, max_bytes=1_000_000)
    assert not package.faults
    assert not reading.faults
    assert package.label == label
    assert package.metadata is not None
    model, best = best_model(trained)
    assert isinstance(model, ModernBaseline)
    weights = sum(weight.numel() for weight in model.parameters())
    assert package.metadata.system.complexity.total_parameters == weights
    told = yaml.safe_load(yaml.safe_dump(package.metadata.to_dict()))["training"]
    assert (told["seed"], told["epochs"], told["best_epoch"]) == (1, EPOCHS, best["epoch"])
    assert (told["data"]["clips"], told["data"]["captions"]) == (8, 16)


@pytest.mark.parametrize("kind", ["--n-best", "--samples"])
def test_several_candidates_are_a_file_that_is_taken(
    made: Path, trained: Path, tmp_path: Path, kind: str
) -> None:
    out = tmp_path / "several.csv"
    run("predict", "--run", str(trained), "--data", str(made), "--out", str(out), kind, "3")
    references = read_references((made / "captions_evaluation.csv").read_bytes()).value
    assert references is not None
    package = package_read(File(out.name, out.read_bytes()))
    reading = package_against(package, references, max_bytes=1_000_000)
    assert reading.value is not None
    assert [len(texts) for texts in reading.value.captions] == [3, 3]
