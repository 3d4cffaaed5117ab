"""Training our own fluency detector."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from earmark.models.encoder import find_encoder
from earmark.models.fluency.network import DetectorShape, FluencyNetwork, save_detector
from earmark.models.fluency.vocabulary import ERROR, SubwordVocabulary
from earmark.models.loaded_encoder import equal_length_batches
from earmark.text.porter2 import stem
from earmark.train.fluency.examples import (
    ExampleMaker,
    Examples,
    ExampleShares,
    Pair,
    comparison_key,
    distinct_captions,
    tag_captions,
)
from earmark.train.fluency.synthetic_errors import ErrorStyle

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class DetectorRecipe:
    """Settings of a training that decide its weights, beside the captions.

    ``join_weight``: weight of the labels of neighbours beside those of captions.
    ``flagged_share``: most human captions, of those to calibrate on, that have a
    probability of an error above ``flagged_above``.
    """

    name: str = "earmark-fl-2"
    seed: int = 2021
    epochs: int = 2
    batch: int = 64
    rate: float = 2e-3
    warm_up: float = 0.05
    decay: float = 0.01
    at_least: int = 3
    join_weight: float = 0.5
    flagged_above: float = 0.9
    flagged_share: float = 0.006
    style: ErrorStyle = field(default_factory=ErrorStyle)
    shares: ExampleShares = field(default_factory=ExampleShares)
    shape: DetectorShape = field(
        default_factory=lambda: DetectorShape(vocabulary=0, dropout=0.0, reach=3, first=1)
    )


def train(
    captions: Iterable[str],
    folder: Path,
    *,
    excluded: AbstractSet[str] = frozenset(),
    calibration: Sequence[str] = (),
    recipe: DetectorRecipe | None = None,
    device: str = "cpu",
    log: Log = lambda _line: None,
) -> None:
    """Train a detector on clean captions and write it into a folder after every epoch.

    Captions that are in ``excluded`` (normalised) are left out, and so are those of
    ``calibration``: fluent captions that are hardly ever to be flagged. With one
    thread the same captions and recipe give the same weights.
    """
    unseen = {comparison_key(caption) for caption in calibration}
    distinct = distinct_captions(captions, excluded | unseen)
    log(f"{len(distinct):,} distinct captions after leaving out what is excluded")
    recipe = recipe or DetectorRecipe()
    pairs = list(tag_captions(distinct))
    network, vocabulary = train_tagged(pairs, folder, recipe, device=device, log=log)
    if calibration:
        calibrate(network, vocabulary, sorted(unseen), recipe, log)
        save_detector(folder, recipe.name, network, vocabulary)


def train_tagged(
    pairs: Sequence[Pair], folder: Path, recipe: DetectorRecipe, *, device: str, log: Log
) -> tuple[FluencyNetwork, SubwordVocabulary]:
    """Train on captions that are tagged already; the network stays on the device."""
    torch.manual_seed(recipe.seed)
    maker = ExampleMaker(pairs, style=recipe.style, shares=recipe.shares, seed=recipe.seed)
    network, vocabulary = _new_network(maker.clean, recipe)
    learner = _Learner(network).to(device)
    optimiser = torch.optim.AdamW(
        learner.parameters(), lr=recipe.rate, weight_decay=recipe.decay, betas=(0.9, 0.98)
    )
    for epoch in range(recipe.epochs):
        examples = maker.examples(epoch)
        share = float(examples.labels[:, -1].mean())
        log(f"epoch {epoch + 1}: {len(examples.texts):,} texts, {share:.0%} with errors")
        steps = list(_steps(examples, vocabulary, recipe, epoch))
        learner.train()
        total = 0.0
        for number, batch in enumerate(steps):
            _set_rate(optimiser, recipe, (epoch + number / len(steps)) / recipe.epochs)
            total += _step(learner, optimiser, [part.to(device) for part in batch], recipe)
            if number % 500 == 499:
                log(f"  {number + 1:,} of {len(steps):,} steps, loss {total / (number + 1):.4f}")
        save_detector(folder, recipe.name, network, vocabulary)
    return network, vocabulary


def calibrate(
    network: FluencyNetwork,
    vocabulary: SubwordVocabulary,
    texts: Sequence[str],
    recipe: DetectorRecipe,
    log: Log,
) -> None:
    """Lower the logit of an error until few enough of these fluent texts are flagged.

    Half of the texts in training have an error, of those that people write hardly
    one in a hundred: the network's own probabilities are too high for these.
    """
    network.eval()
    ids = vocabulary.ids(texts, longest=network.shape.positions)
    device = network.head.bias.device
    logits = []
    with torch.inference_mode():
        for rows in equal_length_batches([len(row) for row in ids], recipe.batch):
            batch = torch.tensor([ids[row] for row in rows], device=device)
            logits.append(network(batch)[:, ERROR])
    highest = float(torch.cat(logits).quantile(1 - recipe.flagged_share))
    allowed = math.log(recipe.flagged_above / (1 - recipe.flagged_above))
    excess = max(0.0, highest - allowed)
    log(f"calibrated on {len(texts):,} captions: the logit of an error falls by {excess:.2f}")
    with torch.no_grad():
        network.head.bias[ERROR] -= excess


class _Learner(nn.Module):
    """The network and what it learns with: which neighbours an error has joined.

    One label a caption teaches little about the order of words; one for each pair of
    neighbours does, and its layer is not needed afterwards.
    """

    def __init__(self, network: FluencyNetwork) -> None:
        super().__init__()
        self.network = network
        self.joins = nn.Linear(network.shape.width, 1)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of the six classes, (captions, 6), and of the joins, (captions, sub-words)."""
        states = self.network.states(ids)
        return self.network.logits(states), self.joins(states)[..., 0]


def _new_network(
    clean: Iterable[str], recipe: DetectorRecipe
) -> tuple[FluencyNetwork, SubwordVocabulary]:
    """Make a network whose sub-words begin near those of the sentence encoder."""
    encoder = find_encoder().folder
    whole = SubwordVocabulary.read(encoder)
    vocabulary = whole.used(sorted(clean), at_least=recipe.at_least)
    network = FluencyNetwork(replace(recipe.shape, vocabulary=len(vocabulary.pieces)))
    table = load_file(encoder / "model.safetensors")["embeddings.word_embeddings.weight"].float()
    rows = {piece: [number] for number, piece in enumerate(whole.pieces)}
    theirs = torch.stack(
        [
            table[rows.get(piece) or whole.ids([piece], longest=len(piece) + 2)[0][1:-1]].mean(0)
            for piece in vocabulary.pieces
        ]
    )
    with torch.no_grad():
        network.words.weight.copy_(_principal(theirs, recipe.shape.width))
        stems: dict[str, int] = {}
        network.stems.copy_(
            torch.tensor([stems.setdefault(stem(p), len(stems)) for p in vocabulary.pieces])
        )
    return network, vocabulary


def _principal(vectors: Tensor, width: int) -> Tensor:
    """Leading principal components of the vectors, scaled for a new network."""
    centred = vectors - vectors.mean(0)
    _, _, directions = torch.linalg.svd(centred, full_matrices=False)
    components = centred @ directions[:width].T
    padded = functional.pad(components, (0, width - components.shape[1]))
    return padded * (0.05 / padded.std())


def _steps(
    examples: Examples, vocabulary: SubwordVocabulary, recipe: DetectorRecipe, epoch: int
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Batches of one length each, in an order that the seed decides: sub-words, labels, joins."""
    rng = np.random.default_rng([recipe.seed, epoch, 1])
    longest = recipe.shape.positions
    ids = vocabulary.ids(examples.texts, longest=longest)
    sources = vocabulary.ids(examples.sources, longest=longest)
    order = rng.permutation(len(ids))
    groups = list(equal_length_batches([len(ids[row]) for row in order], recipe.batch))
    for group in rng.permutation(len(groups)):
        rows: NDArray[np.int64] = order[groups[group]]
        joins = [new_joins(ids[row], sources[row]) for row in rows]
        yield (
            torch.tensor([ids[row] for row in rows]),
            torch.from_numpy(examples.labels[rows]),
            torch.tensor(joins),
        )


def new_joins(ids: Sequence[int], source: Sequence[int]) -> list[float]:
    """1 for each sub-word that does not follow the one before it in the source anywhere."""
    if ids == source:
        return [0.0] * len(ids)
    known = set(pairwise(source))
    return [0.0, *(float(pair not in known) for pair in pairwise(ids))]


def _set_rate(optimiser: torch.optim.Optimizer, recipe: DetectorRecipe, done: float) -> None:
    """Warm up in a straight line, then fall along half a cosine."""
    rise = min(1.0, (done + 1e-3) / recipe.warm_up)
    fall = 0.5 * (1 + float(np.cos(np.pi * done)))
    for group in optimiser.param_groups:
        group["lr"] = recipe.rate * rise * fall


def _step(
    learner: _Learner,
    optimiser: torch.optim.Optimizer,
    batch: Sequence[Tensor],
    recipe: DetectorRecipe,
) -> float:
    ids, labels, joins = batch
    optimiser.zero_grad()
    logits, join_logits = learner(ids)
    loss = functional.binary_cross_entropy_with_logits(logits, labels)
    joined = functional.binary_cross_entropy_with_logits(join_logits, joins)
    whole = loss + recipe.join_weight * joined
    whole.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(learner.parameters(), 1.0)
    optimiser.step()
    return float(loss.detach())
