"""Training a descriptor labeller."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from scoring.models.descriptors.files import Config, save_labeller
from scoring.models.descriptors.network import Network, Shape
from scoring.models.descriptors.subwords import Subwords, subwords_in
from scoring.models.encoder import find_encoder
from scoring.train.descriptors.reading import Annotated, LabelSet

_IGNORED = -100  # what cross entropy leaves out: marks and padding


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that a training depends on beside the captions.

    ``rate`` is the highest learning rate of the low-rank updates,
    ``head_rate`` that of the heads.
    """

    name: str = "earmark-desc-1"
    seed: int = 1
    epochs: int = 6
    batch: int = 16
    rate: float = 1e-3
    head_rate: float = 2e-3
    warm_up: float = 0.1
    decay: float = 0.01
    rank: int = 8
    alpha: float = 16.0
    dropout: float = 0.1


@dataclass(frozen=True, slots=True)
class Told:
    """An epoch that is done: its number from 1, how many there are, and the mean loss."""

    epoch: int
    epochs: int
    loss: float


@dataclass(frozen=True, slots=True)
class _Example:
    """A caption as the network reads it: sub-words, and the label number of each."""

    head: str
    ids: tuple[int, ...]
    labels: tuple[int, ...]


Tell = Callable[[Told], None]


def _silent(_told: Told) -> None:
    """Ignore progress."""


def train(sets: Sequence[LabelSet], recipe: Recipe, *, tell: Tell = _silent) -> Network:
    """Train one network with a head per set; the first set's head is the one to keep.

    The sets share the encoder's updates, so that captions labelled with
    another inventory help. The same sets, recipe and number of threads give
    the same weights. ``tell`` is called after each epoch and may raise to stop.
    """
    with torch.random.fork_rng(devices=[]):  # leaves the caller's random state alone
        torch.manual_seed(recipe.seed)
        return _train(sets, recipe, tell)


def save(network: Network, part: LabelSet, recipe: Recipe, folder: Path) -> None:
    """Write the labeller of a set: the updates and that set's head."""
    config = Config(recipe.name, part.labels, find_encoder().identity, recipe.rank, recipe.alpha)
    prefix = f"heads.{part.name}."
    kept = {
        name.replace(prefix, "heads.labels."): value
        for name, value in network.trained().items()
        if not name.startswith("heads.") or name.startswith(prefix)
    }
    save_labeller(folder, config, kept)


def predict(network: Network, part: LabelSet, captions: Sequence[Annotated]) -> list[list[str]]:
    """Label captions that have people's labels, by the head of a set, one at a time."""
    subwords = subwords_in(find_encoder().folder)
    found = []
    with torch.inference_mode():
        for caption in captions:
            best = [(0.0, "")] * len(caption.words)
            for piece in subwords.pieces(caption.words):
                logits = network(torch.tensor([piece.ids]))[part.name][0]
                sure, numbers = logits.double().softmax(-1).max(-1)
                for owner, chance, number in zip(
                    piece.owners, sure.tolist(), numbers.tolist(), strict=True
                ):
                    if owner >= 0 and chance > best[owner][0]:
                        best[owner] = (chance, part.labels[number])
            found.append([label for _, label in best])
    return found


def _train(sets: Sequence[LabelSet], recipe: Recipe, tell: Tell) -> Network:
    folder = find_encoder().folder
    heads = {part.name: len(part.labels) for part in sets}
    network = Network(folder, Shape(heads, recipe.rank, recipe.alpha, recipe.dropout))
    examples = _examples(sets, subwords_in(folder))
    optimiser = _optimiser(network, recipe)
    rng = random.Random(recipe.seed)  # noqa: S311 - no secret
    network.train()
    for epoch in range(recipe.epochs):
        batches = list(_batches(examples, recipe.batch, rng))
        total = 0.0
        for number, batch in enumerate(batches):
            _set_rate(optimiser, recipe, (epoch + number / len(batches)) / recipe.epochs)
            total += _step(network, optimiser, batch)
        tell(Told(epoch + 1, recipe.epochs, total / len(batches)))
    return network.eval()


def _examples(sets: Sequence[LabelSet], subwords: Subwords) -> list[_Example]:
    """Give every caption's sub-words the label of their word."""
    found = []
    for part in sets:
        numbers = {label: number for number, label in enumerate(part.labels)}
        for caption in part.captions:
            for piece in subwords.pieces(caption.words):
                labels = tuple(
                    _IGNORED if owner < 0 else numbers[caption.labels[owner]]
                    for owner in piece.owners
                )
                found.append(_Example(part.name, piece.ids, labels))
    return found


def _batches(
    examples: Sequence[_Example], size: int, rng: random.Random
) -> Iterator[list[_Example]]:
    """Give batches of like length (less padding, less time) in an order that the seed decides."""
    order = list(examples)
    rng.shuffle(order)
    found = []
    for start in range(0, len(order), size * 8):
        near = sorted(order[start : start + size * 8], key=lambda one: len(one.ids))
        found += [near[row : row + size] for row in range(0, len(near), size)]
    rng.shuffle(found)
    yield from found


def _optimiser(network: Network, recipe: Recipe) -> torch.optim.Optimizer:
    trained = network.trained().items()
    heads = [value for name, value in trained if name.startswith("heads.")]
    updates = [value for name, value in trained if not name.startswith("heads.")]
    return torch.optim.AdamW(
        [
            {"params": updates, "lr": recipe.rate, "highest": recipe.rate},
            {"params": heads, "lr": recipe.head_rate, "highest": recipe.head_rate},
        ],
        weight_decay=recipe.decay,
    )


def _set_rate(optimiser: torch.optim.Optimizer, recipe: Recipe, done: float) -> None:
    """Warm up and then fall to 0, both in a straight line."""
    rise = min(1.0, (done + 1e-3) / recipe.warm_up) if recipe.warm_up else 1.0
    for group in optimiser.param_groups:
        group["lr"] = group["highest"] * rise * (1 - done)


def _step(network: Network, optimiser: torch.optim.Optimizer, batch: Sequence[_Example]) -> float:
    """Take one step; the loss is the mean cross entropy over the batch's sub-words."""
    ids, mask, labels = _padded(batch)
    logits = network(ids, mask)
    losses = []
    for head in logits:
        rows = [row for row, example in enumerate(batch) if example.head == head]
        if rows:
            losses.append(
                functional.cross_entropy(
                    logits[head][rows].flatten(0, 1),
                    labels[rows].flatten(),
                    ignore_index=_IGNORED,
                    reduction="sum",
                )
            )
    loss = torch.stack(losses).sum() / (labels != _IGNORED).sum()
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.trained().values(), 1.0)
    optimiser.step()
    return float(loss.detach())


def _padded(batch: Sequence[_Example]) -> tuple[Tensor, Tensor, Tensor]:
    """Give ids, mask and labels, each of shape (examples, longest)."""
    shape = (len(batch), max(len(example.ids) for example in batch))
    ids, mask = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    labels = torch.full(shape, _IGNORED)
    for row, example in enumerate(batch):
        length = len(example.ids)
        ids[row, :length] = torch.tensor(example.ids)
        mask[row, :length] = 1
        labels[row, :length] = torch.tensor(example.labels)
    return ids, mask, labels
