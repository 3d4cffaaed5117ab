"""A labeller of words with parts to try: pooling, layers, parse, transitions, people, soft labels.

The encoder, its low-rank updates, the optimiser and the rates are the product's.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from scoring.models.descriptors.backbone import find_backbone
from scoring.models.descriptors.network_building import network_on_backbone
from scoring.train.descriptors.recipe import LabellerRecipe
from scoring.train.descriptors.training import _optimiser, _set_rate, shape_of

Table = NDArray[np.float32]
_TAGS, _WIDTH = 64, 16
_FAST = 5.0  # transitions and people's shifts begin at 0 and have far to go


@dataclass(frozen=True)
class Way:
    """What is tried: all else is as in the recipe.

    ``layers``: how many last layers are mixed, by weights that are learned. ``parse``:
    spaCy's tags, arcs, vectors and the encoder's vector of the head word join a word's
    vector. ``crf``: a linear chain over labels. ``people``: a shift of the logits for
    who labelled, averaged out in use. ``channel``: captions with the small inventory
    also teach the large one's head, through how the same captions were labelled with both.
    """

    layers: int = 1
    parse: bool = False
    crf: bool = False
    people: bool = False
    channel: bool = False


@dataclass(frozen=True)
class Example:
    """A caption: ids, the word of each, and per head a table (words, labels) of what is right."""

    ids: tuple[int, ...]
    owners: tuple[int, ...]
    targets: Mapping[str, Table]
    person: int = 0
    tags: tuple[tuple[int, int, int, int], ...] = ()
    vectors: Table | None = None


@dataclass
class Batch:
    """Padded tensors of examples."""

    ids: Tensor
    mask: Tensor
    pool: Tensor
    words: Tensor
    people: Tensor
    tags: Tensor | None = None
    vectors: Tensor | None = None
    rows: list[Example] = field(default_factory=list)


class Words(nn.Module):
    """Scores of every word, for each head."""

    def __init__(
        self, recipe: LabellerRecipe, heads: Mapping[str, int], way: Way, people: int
    ) -> None:
        super().__init__()
        self.way = way
        self.base = network_on_backbone(find_backbone(recipe.backbone), shape_of({}, recipe))
        width = int(self.base.encoder.config.hidden_size)
        self.dropout = nn.Dropout(recipe.dropout)
        self.mix = nn.Parameter(torch.zeros(way.layers))
        more = 2 * width + 3 * _WIDTH + 96 if way.parse else width
        self.tags = nn.ModuleList([nn.Embedding(_TAGS, _WIDTH) for _ in range(3 * way.parse)])
        self.heads = nn.ModuleDict({name: nn.Linear(more, n) for name, n in heads.items()})
        self.shifts = nn.ParameterDict(
            {name: nn.Parameter(torch.zeros(people, n)) for name, n in heads.items()}
        )
        self.chains = nn.ParameterDict(
            {name: nn.Parameter(torch.zeros(n + 2, n)) for name, n in heads.items()}
        )

    def trained(self) -> dict[str, Tensor]:
        """What is trained; what is no part of the encoder takes the heads' rate."""
        found = dict(self.base.trained())
        parts: list[tuple[str, Any]] = [("heads", self.heads), ("tags", self.tags)]
        parts += [("shifts", self.shifts)] * self.way.people
        parts += [("chains", self.chains)] * self.way.crf
        for name, part in parts:
            found |= {f"heads.{name}.{key}": value for key, value in part.named_parameters()}
        return found | ({"heads.mix": self.mix} if self.way.layers > 1 else {})

    def shift(self, head: str) -> Tensor:
        """How much more each person gives each label, as logits."""
        return _FAST * self.shifts[head]

    def moves(self, head: str) -> Tensor:
        """The scores of one label after another, then of the first and of the last one."""
        return _FAST * self.chains[head]

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """Logits, shape (captions, words, labels), by head; people's shifts not in them."""
        told = self.base.encoder(
            input_ids=batch.ids,
            attention_mask=batch.mask,
            return_dict=True,
            output_hidden_states=self.way.layers > 1,
        )
        hidden = told.last_hidden_state
        if self.way.layers > 1:
            shares = self.mix.softmax(0)
            layers = told.hidden_states[-self.way.layers :]
            hidden = sum(share * layer for share, layer in zip(shares, layers, strict=True))
        words = batch.pool @ hidden
        if self.way.parse and batch.tags is not None and batch.vectors is not None:
            heads = batch.tags[:, :, 3]
            of_head = words.gather(1, heads[:, :, None].expand(-1, -1, words.shape[2]))
            known = [part(batch.tags[:, :, row]) for row, part in enumerate(self.tags)]
            words = torch.cat([words, of_head, *known, batch.vectors], 2)
        words = self.dropout(words)
        return {name: head(words) for name, head in self.heads.items()}


def batched(rows: Sequence[Example], way: Way, padding: int) -> Batch:
    """Pad examples."""
    count, long = len(rows), max(len(one.ids) for one in rows)
    wide = max(max(one.owners) + 1 for one in rows)
    ids = torch.full((count, long), padding)
    mask = torch.zeros((count, long), dtype=torch.long)
    pool = torch.zeros((count, wide, long))
    words = torch.zeros((count, wide))
    for row, one in enumerate(rows):
        ids[row, : len(one.ids)] = torch.tensor(one.ids)
        mask[row, : len(one.ids)] = 1
        for at, owner in enumerate(one.owners):
            if owner >= 0:
                pool[row, owner, at] = 1
        words[row, : max(one.owners) + 1] = 1
    pool /= pool.sum(2, keepdim=True).clamp(min=1)
    found = Batch(ids, mask, pool, words, torch.tensor([one.person for one in rows]))
    if way.parse:
        found.tags = torch.zeros((count, wide, 4), dtype=torch.long)
        found.vectors = torch.zeros((count, wide, 96))
        for row, one in enumerate(rows):
            found.tags[row, : len(one.tags)] = torch.tensor(one.tags)
            found.vectors[row, : len(one.tags)] = torch.from_numpy(one.vectors)
    found.rows = list(rows)
    return found


def fit_words(
    examples: Sequence[Example],
    heads: Mapping[str, int],
    recipe: LabellerRecipe,
    way: Way,
    *,
    people: int = 1,
    channel: tuple[str, str, Table] | None = None,
) -> Words:
    """Train as the product does, on words; ``channel`` is from head, to head, and P(to | from)."""
    torch.manual_seed(recipe.seed)
    network = Words(recipe, heads, way, people)
    optimiser = _optimiser(network, recipe)  # type: ignore[arg-type]
    rng = random.Random(recipe.seed)
    padding = network.base.subwords.padding
    for epoch in range(recipe.epochs):
        network.train()
        batches = list(_batches(examples, recipe.batch, rng))
        for place, rows in enumerate(batches):
            _set_rate(optimiser, recipe, (epoch + place / len(batches)) / recipe.epochs)
            loss = _loss(network, batched(rows, way, padding), channel)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.trained().values(), 1.0)
            optimiser.step()
    return network.eval()


def _batches(examples: Sequence[Example], size: int, rng: random.Random) -> Iterator[list[Example]]:
    order = list(examples)
    rng.shuffle(order)
    found = []
    for start in range(0, len(order), size * 8):
        near = sorted(order[start : start + size * 8], key=lambda one: len(one.ids))
        found += [near[row : row + size] for row in range(0, len(near), size)]
    rng.shuffle(found)
    yield from found


def _loss(network: Words, batch: Batch, channel: tuple[str, str, Table] | None) -> Tensor:
    """The mean cross entropy over the batch's words, or that of whole captions (crf)."""
    logits = network(batch)
    losses, count = [], 0.0
    for head, scores in logits.items():
        rows = [row for row, one in enumerate(batch.rows) if head in one.targets]
        if not rows:
            continue
        part, words = scores[rows], batch.words[rows]
        if network.way.people:
            part = part + network.shift(head)[batch.people[rows]][:, None, :]
        right = torch.zeros_like(part)
        for place, row in enumerate(rows):
            table = batch.rows[row].targets[head]
            right[place, : len(table)] = torch.from_numpy(table)
        if network.way.crf:
            losses.append(_chain_loss(part, words, right, network.moves(head)))
        else:
            losses.append(-(right * part.log_softmax(2)).sum())
        count += float(words.sum())
        if channel is not None and head == channel[1]:
            large = logits[channel[0]][rows].softmax(2) @ torch.from_numpy(channel[2])
            losses.append(-(right * large.clamp(min=1e-6).log()).sum())
            count += float(words.sum())
    return torch.stack(losses).sum() / count


def _chain_loss(scores: Tensor, words: Tensor, right: Tensor, moves: Tensor) -> Tensor:
    """The negative log likelihood of the right paths, summed over captions."""
    between, first, last = moves[:-2], moves[-2], moves[-1]
    path = right.argmax(2)
    lengths = words.sum(1).long()
    told = (scores * right).sum() + first[path[:, 0]].sum()
    told = told + last[path.gather(1, lengths[:, None] - 1)].sum()
    told = told + (between[path[:, :-1], path[:, 1:]] * words[:, 1:]).sum()
    return chain_total(scores, words, moves).sum() - told


def chain_total(scores: Tensor, words: Tensor, moves: Tensor) -> Tensor:
    """The log of the sum over all paths, by caption."""
    between, first, last = moves[:-2], moves[-2], moves[-1]
    alpha = scores[:, 0] + first
    for at in range(1, scores.shape[1]):
        step = (alpha[:, :, None] + between).logsumexp(1) + scores[:, at]
        alpha = torch.where(words[:, at, None] > 0, step, alpha)
    return (alpha + last).logsumexp(1)


def tables(
    network: Words, head: str, example: Example, shares: Sequence[float] | None = None
) -> Table:
    """The probabilities of a caption's labels, shape (words, labels).

    With people, the mean over them by their shares, or those of one (a share of 1).
    """
    batch = batched([example], network.way, network.base.subwords.padding)
    with torch.no_grad():
        scores = network(batch)[head]
    if network.way.crf:
        scores.requires_grad_(True)
        total = chain_total(scores, batch.words, network.moves(head).detach()).sum()
        found = torch.autograd.grad(total, scores)[0][0]
    elif network.way.people:
        each = (scores + network.shift(head).detach()[:, None, :]).softmax(2)
        found = (each * torch.tensor(shares)[:, None, None]).sum(0)
    else:
        found = scores[0].softmax(1)
    return found.numpy()


def probabilities(network: Words, rows: Sequence[Example]) -> dict[str, list[Table]]:
    """The probabilities of captions' labels, by head; no chain and no people."""
    batch = batched(rows, network.way, network.base.subwords.padding)
    with torch.no_grad():
        scores = network(batch)
    return {
        head: [
            table[: max(one.owners) + 1].numpy()
            for table, one in zip(found.softmax(2), rows, strict=True)
        ]
        for head, found in scores.items()
    }
