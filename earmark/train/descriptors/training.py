"""Training a descriptor labeller."""

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from earmark.errors import ScoringError
from earmark.models.descriptors import LabelledCaption, words_of
from earmark.models.descriptors.backbone import find_backbone
from earmark.models.descriptors.files import LabellerConfig, save_labeller
from earmark.models.descriptors.network import (
    DescriptorNetwork,
    LabellerShape,
    architecture_of,
    head_name,
    network_on_backbone,
)
from earmark.models.descriptors.subwords import Subwords
from earmark.train.descriptors.checkpoints import (
    EPOCH_START,
    CheckpointStore,
    Epoch,
    PartialEpoch,
    new_checkpoint,
    restore,
)
from earmark.train.descriptors.evaluation import token_agreement
from earmark.train.descriptors.labelled_captions import AnnotatedCaption, LabelSet
from earmark.train.descriptors.recipe import LabellerRecipe, PlanProgress, ProgressListener

_IGNORED = -100  # what cross entropy leaves out: marks and padding
_NO_CHECKPOINTS = CheckpointStore(None, "", "")


class TrainingDiverged(ScoringError):
    """A loss that is no number any more."""

    def __init__(self, epoch: int, recipe: LabellerRecipe) -> None:
        super().__init__(
            f"The loss is not a finite number in epoch {epoch}. Give a smaller learning rate than"
            f" {recipe.rate:g} (heads: {recipe.head_rate:g})."
        )


@dataclass(frozen=True, slots=True)
class FitSettings:
    """Settings of a training beside captions and recipe.

    ``judged``: captions whose F1 is reported after each epoch, by the head of the first
    set. ``device``: where, ``cpu`` or ``cuda``. ``clock`` gives seconds; in epochs that
    take longer than ``every`` seconds a checkpoint is taken after so many.
    """

    judged: Sequence[AnnotatedCaption] = ()
    checkpoints: CheckpointStore = _NO_CHECKPOINTS
    device: str = "cpu"
    clock: Callable[[], float] = time.perf_counter
    every: float = 60.0


@dataclass(frozen=True, slots=True)
class _Example:
    """A caption as the network reads it: sub-words, and the label number of each."""

    head: str
    ids: tuple[int, ...]
    labels: tuple[int, ...]


# A network that is ready for use, and the epochs of its training.
Trained = tuple[DescriptorNetwork, list[Epoch]]


def train(sets: Sequence[LabelSet], recipe: LabellerRecipe) -> DescriptorNetwork:
    """Train one network on all captions given; see ``fit``."""
    return fit(sets, recipe)[0]


def fit(
    sets: Sequence[LabelSet],
    recipe: LabellerRecipe,
    *,
    on_step: ProgressListener = lambda _step: None,
    setting: FitSettings | None = None,
) -> Trained:
    """Train one network with a head per set, and tell its epochs; the first set's head is kept.

    The sets share the encoder, so that captions labelled with another inventory
    help. The same sets, recipe, device and number of threads give the same
    weights (bit for bit on CPU), also where the training was stopped and goes on
    from its last checkpoint. ``on_step`` is called after each batch, without a stage,
    and may raise to stop; epochs done before are reported again on a resume.
    Raises ``TrainingDiverged``.
    """
    setting = setting or FitSettings()
    devices = [torch.cuda.current_device()] if setting.device != "cpu" else []
    with torch.random.fork_rng(devices=devices):  # leaves the caller's random state alone
        torch.manual_seed(recipe.seed)
        return _Training(sets, recipe, setting).run(on_step)


def save_trained(
    network: DescriptorNetwork, part: LabelSet, recipe: LabellerRecipe, folder: Path
) -> None:
    """Write the labeller of a set: what was trained, with that set's head alone."""
    full = recipe.method == "full"
    backbone = find_backbone(recipe.backbone)
    config = LabellerConfig(
        recipe.name,
        part.labels,
        backbone.identity,
        recipe.rank,
        recipe.alpha,
        recipe.method,
        "" if full else backbone.name,
        recipe.hidden,
        architecture_of(network) if full else {},
    )
    prefix = f"heads.{head_name(part.name)}."
    weights = {
        name.replace(prefix, "heads.labels."): value
        for name, value in network.trained().items()
        if not name.startswith("heads.") or name.startswith(prefix)
    }
    save_labeller(folder, config, weights, network.subwords.text)


def predict(
    network: DescriptorNetwork, part: LabelSet, captions: Sequence[AnnotatedCaption]
) -> list[list[str]]:
    """Label captions that have people's labels, by the head of a set, one at a time."""
    return [list(one.labels) for one in label_captions(network, part, captions)]


def label_captions(
    network: DescriptorNetwork, part: LabelSet, captions: Sequence[AnnotatedCaption]
) -> list[LabelledCaption]:
    """Label captions by the head of a set, one at a time, with the probability of each label."""
    head = head_name(part.name)
    device = next(network.parameters()).device
    labelled = []
    network.eval()
    with torch.inference_mode():
        for caption in captions:
            best = [(0.0, "")] * len(caption.words)
            for piece in network.subwords.pieces(caption.words):
                logits = network(torch.tensor([piece.ids], device=device))[head][0]
                sure, numbers = logits.double().softmax(-1).max(-1)
                for owner, chance, number in zip(
                    piece.owners, sure.tolist(), numbers.tolist(), strict=True
                ):
                    if owner >= 0 and chance > best[owner][0]:
                        best[owner] = (chance, part.labels[number])
            labels, chances = [label for _, label in best], [chance for chance, _ in best]
            labelled.append(
                LabelledCaption(tuple(words_of(caption.key)), tuple(labels), tuple(chances))
            )
    return labelled


class _Training:
    """A training under way."""

    def __init__(
        self, sets: Sequence[LabelSet], recipe: LabellerRecipe, setting: FitSettings
    ) -> None:
        self.part = sets[0]
        self.recipe = recipe
        self.setting = setting
        heads = {head_name(part.name): len(part.labels) for part in sets}
        shape = LabellerShape(
            heads, recipe.rank, recipe.alpha, recipe.dropout, recipe.method, recipe.hidden
        )
        backbone = find_backbone(recipe.backbone, fetch=True)
        self.network = network_on_backbone(backbone, shape).to(setting.device)
        self.examples = _examples(sets, self.network.subwords)
        self.size = len(self.examples)
        self.optimiser = _optimiser(self.network, recipe)
        self.rng = random.Random(recipe.seed)  # noqa: S311 - no secret

    def run(self, on_step: ProgressListener) -> Trained:
        """Train all epochs that are not done yet."""
        epochs, within = self._resumed()
        for before in epochs:
            list(self._batches())  # so that the order goes on where it was
            on_step(self._ended(before))
        while len(epochs) < self.recipe.epochs:
            epochs.append(self._epoch(epochs, within, on_step))
            within = EPOCH_START
            self._keep(epochs, within)
            on_step(self._ended(epochs[-1]))
        return self.network.eval(), epochs

    def _resumed(self) -> tuple[list[Epoch], PartialEpoch]:
        """Go back to the last checkpoint; the epochs before it, and the unfinished one."""
        checkpoint = self.setting.checkpoints.checkpoint()
        if checkpoint is None:
            return [], EPOCH_START
        restore(checkpoint, self.network.trained(), self.optimiser, self.setting.device)
        return checkpoint.epochs, checkpoint.within

    def _keep(self, epochs: list[Epoch], within: PartialEpoch) -> None:
        network, device = self.network.trained(), self.setting.device
        fresh = new_checkpoint(network, self.optimiser, epochs, device, within)
        self.setting.checkpoints.keep(fresh)

    def _epoch(self, epochs: list[Epoch], within: PartialEpoch, on_step: ProgressListener) -> Epoch:
        """Read every caption once, but those that were read ``within`` this epoch before."""
        clock, number = self.setting.clock, len(epochs)
        last = clock()
        start = last - within.seconds
        self.network.train()
        batches = list(self._batches())
        before = batches[: within.batches]
        total, read = within.loss, number * self.size + sum(map(len, before))
        for place, batch in enumerate(batches[len(before) :], len(before)):
            done = (number + place / len(batches)) / self.recipe.epochs
            _set_rate(self.optimiser, self.recipe, done)
            total += _step(self.network, self.optimiser, batch, self.setting.device)
            if not math.isfinite(total):
                raise TrainingDiverged(number + 1, self.recipe)
            read += len(batch)
            kept = clock() - last >= self.setting.every
            if kept:
                self._keep(epochs, PartialEpoch(place + 1, total, clock() - start))
                last = clock()
            on_step(self._progress(number + 1, total / (place + 1), read, kept=kept))
        judged, f1 = self.setting.judged, None
        if judged:  # those that were held out
            predicted = predict(self.network, self.part, judged)
            f1 = token_agreement([caption.labels for caption in judged], predicted).micro
        return Epoch(number + 1, total / len(batches), f1, clock() - start)

    def _batches(self) -> Iterator[list[_Example]]:
        return _batches(self.examples, self.recipe.batch, self.rng)

    def _progress(self, epoch: int, loss: float, done: int, **more: Any) -> PlanProgress:
        """Progress of this training by itself, ``done`` of the captions that all epochs read."""
        epochs = self.recipe.epochs
        return PlanProgress("", epoch, epochs, loss, done=done, total=epochs * self.size, **more)

    def _ended(self, epoch: Epoch) -> PlanProgress:
        done = epoch.epoch * self.size
        return self._progress(epoch.epoch, epoch.loss, done, f1=epoch.f1, ended=True, kept=True)


def _examples(sets: Sequence[LabelSet], subwords: Subwords) -> list[_Example]:
    """Sub-words of every caption with the label of their word."""
    examples = []
    for part in sets:
        numbers = {label: number for number, label in enumerate(part.labels)}
        for caption in part.captions:
            for piece in subwords.pieces(caption.words):
                labels = tuple(
                    _IGNORED if owner < 0 else numbers[caption.labels[owner]]
                    for owner in piece.owners
                )
                examples.append(_Example(head_name(part.name), piece.ids, labels))
    return examples


def _batches(
    examples: Sequence[_Example], size: int, rng: random.Random
) -> Iterator[list[_Example]]:
    """Batches of similar length (less padding, less time) in an order that the seed decides."""
    order = list(examples)
    rng.shuffle(order)
    batches = []
    for start in range(0, len(order), size * 8):
        near = sorted(order[start : start + size * 8], key=lambda one: len(one.ids))
        batches += [near[row : row + size] for row in range(0, len(near), size)]
    rng.shuffle(batches)
    yield from batches


def _optimiser(network: DescriptorNetwork, recipe: LabellerRecipe) -> torch.optim.Optimizer:
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


def _set_rate(optimiser: torch.optim.Optimizer, recipe: LabellerRecipe, done: float) -> None:
    """Warm up and then fall to 0, both in a straight line."""
    rise = min(1.0, (done + 1e-3) / recipe.warm_up) if recipe.warm_up else 1.0
    for group in optimiser.param_groups:
        group["lr"] = group["highest"] * rise * (1 - done)


def _step(
    network: DescriptorNetwork,
    optimiser: torch.optim.Optimizer,
    batch: Sequence[_Example],
    device: str,
) -> float:
    """Take one step; the loss is the mean cross entropy over the batch's sub-words."""
    ids, mask, labels = (table.to(device) for table in _padded(batch, network.subwords.padding))
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


def _padded(batch: Sequence[_Example], padding: int) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, mask and labels, each of shape (examples, longest)."""
    shape = (len(batch), max(len(example.ids) for example in batch))
    ids = torch.full(shape, padding)
    mask = torch.zeros(shape, dtype=torch.long)
    labels = torch.full(shape, _IGNORED)
    for row, example in enumerate(batch):
        length = len(example.ids)
        ids[row, :length] = torch.tensor(example.ids)
        mask[row, :length] = 1
        labels[row, :length] = torch.tensor(example.labels)
    return ids, mask, labels
