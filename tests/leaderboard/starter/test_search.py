"""The beam finds what trying every caption finds, and samples follow the probabilities."""

import itertools
import math
from typing import Any

import pytest
import torch
from torch import Tensor

from captions import END, START
from modern_baseline import ModernBaseline
from search import Found, beam_search, samples

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


def test_a_beam_of_one_is_the_greedy_path(
    model: ModernBaseline, clips: tuple[Tensor, Tensor]
) -> None:
    with torch.inference_mode():
        state, words = model.start(*clips), torch.full((2,), START)
        logits, _ = model.step(state, words)
        logits[:, [START, END]] = -torch.inf
    found = beam_search(model, *clips, beam=1, longest=LONGEST)
    assert [one[0].words[0] for one in found] == logits.argmax(dim=1).tolist()


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
