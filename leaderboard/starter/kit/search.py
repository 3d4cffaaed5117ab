"""From a model to captions: the best path, a beam, the n best, or samples."""

from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import torch
from torch import Tensor

from captions import END, START

LONGEST = 30


@dataclass(frozen=True)
class Found:
    """A caption as places of words, without its end, and the logarithm of its probability."""

    words: tuple[int, ...]
    log_probability: float


@torch.inference_mode()
def beam_search(
    model: Any,
    features: Tensor,
    lengths: Tensor,
    *,
    beam: int = 4,
    longest: int = LONGEST,
    length_power: float = 1.0,
) -> list[list[Found]]:
    """The ``beam`` best captions of each clip, best first; a beam of 1 is the greedy path.

    Captions are compared by the mean log probability of their words (``length_power`` 1; with 0
    by the sum). One that is not over after ``longest`` words ends there.
    """
    clips = len(features)
    state = repeated(model.start(features, lengths), beam)
    device = features.device
    written = torch.full((clips * beam, 1), START, device=device)
    # At first all beams of a clip are the same, so only the first counts.
    totals = torch.full((clips, beam), -torch.inf, device=device)
    totals[:, 0] = 0.0
    counts = torch.zeros(clips, beam, device=device)
    over = torch.zeros(clips, beam, dtype=torch.bool, device=device)
    for place in range(longest + 1):
        logits, state = model.step(state, written[:, -1])
        steps = logits.float().log_softmax(dim=-1).view(clips, beam, -1)
        _allow(steps, place, longest)
        # A caption that is over stays as it is: its only further word is another end, for free.
        ended = torch.full_like(steps[0, 0], -torch.inf)
        ended[END] = 0.0
        sums = totals[..., None] + torch.where(over[..., None], ended, steps)
        longer = counts + ~over
        ranked = sums / longer.clamp(min=1)[..., None] ** length_power
        _, best = ranked.flatten(1).topk(beam, dim=1)
        parents, words = best // steps.shape[2], best % steps.shape[2]
        totals, counts = sums.flatten(1).gather(1, best), longer.gather(1, parents)
        over = over.gather(1, parents) | (words == END)
        rows = (torch.arange(clips, device=device)[:, None] * beam + parents).flatten()
        state = tuple(part[rows] for part in state)
        written = torch.cat((written[rows], words.view(-1, 1)), dim=1)
        if over.all():
            break
    return _found(written.view(clips, beam, -1), totals)


@torch.inference_mode()
def samples(
    model: Any,
    features: Tensor,
    lengths: Tensor,
    *,
    count: int,
    generator: torch.Generator,
    temperature: float = 1.0,
    top_p: float = 1.0,
    longest: int = LONGEST,
) -> list[list[Found]]:
    """``count`` captions of each clip, drawn word by word, the most probable first.

    A lower ``temperature`` draws probable words more often; only the most probable words that
    together reach ``top_p`` are drawn (Holtzman et al., The curious case of neural text
    degeneration, 2020). The generator is one of the CPU, so that a seed means the same anywhere.
    """
    clips = len(features)
    state = repeated(model.start(features, lengths), count)
    written = torch.full((clips * count, 1), START, device=features.device)
    totals = torch.zeros(clips * count, device=features.device)
    over = torch.zeros(clips * count, dtype=torch.bool, device=features.device)
    for place in range(longest + 1):
        logits, state = model.step(state, written[:, -1])
        steps = logits.float().log_softmax(dim=-1)
        _allow(steps, place, longest)
        weights = _nucleus((steps / temperature).softmax(dim=-1), top_p)
        words = torch.multinomial(weights.cpu(), 1, generator=generator)[:, 0].to(over.device)
        words = torch.where(over, END, words)
        totals += torch.where(over, 0.0, steps.gather(1, words[:, None])[:, 0])
        over = over | (words == END)
        written = torch.cat((written, words[:, None]), dim=1)
        if over.all():
            break
    captions = _found(written.view(clips, count, -1), totals.view(clips, count))
    return [sorted(one, key=lambda caption: -caption.log_probability) for one in captions]


def repeated(state: tuple[Tensor, ...], times: int) -> tuple[Tensor, ...]:
    """A state in which each clip stands ``times`` times in a row."""
    return tuple(part.repeat_interleave(times, dim=0) for part in state)


def _allow(steps: Tensor, place: int, longest: int) -> None:
    """Let no caption start again or end without a word; after ``longest`` words it ends."""
    steps[..., START] = -torch.inf
    if place == 0:
        steps[..., END] = -torch.inf
    elif place == longest:
        steps[...] = -torch.inf
        steps[..., END] = 0.0


def _nucleus(weights: Tensor, top_p: float) -> Tensor:
    if top_p >= 1:
        return weights
    ordered, places = weights.sort(dim=-1, descending=True)
    ordered[ordered.cumsum(dim=-1) - ordered >= top_p] = 0.0
    return torch.zeros_like(weights).scatter(1, places, ordered)


def _found(written: Tensor, totals: Tensor) -> list[list[Found]]:
    return [
        [
            Found(tuple(takewhile(lambda word: word != END, words[1:])), total)
            for words, total in zip(one_words, one_totals, strict=True)
            if total > -torch.inf
        ]
        for one_words, one_totals in zip(written.tolist(), totals.tolist(), strict=True)
    ]
