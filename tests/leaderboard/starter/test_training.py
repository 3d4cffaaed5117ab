"""Training with the starter kit, and its search for the best caption."""

import itertools
import math
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file
from torch import Tensor

from captions import END, START
from earmark.captions import read_references
from earmark.packages.reading import File, package_against, package_read
from modern_baseline import ModernBaseline
from runs import best_model, tensors_read
from search import Found, beam_search, samples
from tests.leaderboard.starter.conftest import command, environment, run

EPOCHS = 6


def options(made: Path, model: str, out: Path) -> list[str]:
    few = ["--preset", "small", "--epochs", str(EPOCHS), "--batch", "4", "--validate-every", "3"]
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


def test_it_learns_and_shows_how(made: Path, tmp_path: Path) -> None:
    said = run("train", *options(made, "clotho", tmp_path / "run"))
    losses = [
        float(line.split("loss ")[1][:5])
        for line in said.splitlines()
        if f" of {EPOCHS}: loss" in line
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


WORDS, LONGEST = 6, 3


@pytest.fixture
def model() -> ModernBaseline:
    torch.manual_seed(3)
    sizes: dict[str, Any] = {"width": 8, "heads": 2, "layers": 1, "writers": 1, "channels": 2}
    model = ModernBaseline(WORDS, 8, **sizes).eval()
    with torch.no_grad():
        # Far enough from even that captions differ in probability.
        model.embedding.weight.mul_(6)
    return model


@pytest.fixture
def clips() -> tuple[Tensor, Tensor]:
    return torch.randn(2, 12, 8), torch.tensor([12, 7])


def every_caption() -> list[tuple[int, ...]]:
    words = [word for word in range(WORDS) if word not in {START, END}]
    lengths = range(1, LONGEST + 1)
    return [found for length in lengths for found in itertools.product(words, repeat=length)]


@torch.inference_mode()
def log_probability(
    model: ModernBaseline, clip: tuple[Tensor, Tensor], words: tuple[int, ...]
) -> float:
    state, total, last = model.start(*clip), 0.0, START
    for place, word in enumerate((*words, END)):
        logits, state = model.step(state, torch.tensor([last]))
        steps = logits[0].log_softmax(dim=0)
        # A caption that is as long as it may be ends for sure.
        total += 0.0 if place == LONGEST else float(steps[word])
        last = word
    return total


@pytest.mark.parametrize("length_power", [0.0, 1.0])
def test_a_beam_as_wide_as_all_captions_finds_the_best_of_all(
    model: ModernBaseline, clips: tuple[Tensor, Tensor], length_power: float
) -> None:
    wide = beam_search(model, *clips, beam=84, longest=LONGEST, length_power=length_power)
    for place, found in enumerate(wide):
        clip = clips[0][place : place + 1], clips[1][place : place + 1]
        scored = {words: log_probability(model, clip, words) for words in every_caption()}
        ranked = sorted(scored, key=lambda words: -scored[words] / (len(words) + 1) ** length_power)
        assert [one.words for one in found[:5]] == ranked[:5]
        assert found[0].log_probability == pytest.approx(scored[ranked[0]], abs=1e-4)


def test_samples_are_drawn_as_often_as_they_are_probable_and_again_with_a_seed(
    model: ModernBaseline, clips: tuple[Tensor, Tensor]
) -> None:
    def drawn(seed: int, **options: float) -> list[list[Found]]:
        generator = torch.Generator().manual_seed(seed)
        return samples(model, *clips, count=400, generator=generator, **options)  # type: ignore[arg-type]

    found = drawn(1)
    assert found == drawn(1)
    assert found != drawn(2)
    with torch.inference_mode():
        steps = model.step(model.start(*clips), torch.full((2,), START))[0]
        steps[:, [START, END]] = -torch.inf
    for place, probabilities in enumerate(steps.softmax(dim=1).tolist()):
        for word, probability in enumerate(probabilities):
            share = sum(one.words[0] == word for one in found[place]) / 400
            error = math.sqrt(probability * (1 - probability) / 400)
            assert abs(share - probability) < 4 * error + 1e-9
    # What is left of the most probable tenth is the most probable word.
    best = steps.argmax(dim=1).tolist()
    assert [{one.words[0] for one in each} for each in drawn(1, top_p=0.1)] == [{b} for b in best]
