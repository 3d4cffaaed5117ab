"""Further learning of the packaged encoder from captions without labels: words are masked.

    python -m tests.bench.recipes.masked --out FOLDER [--captions 30000]

The folder is a backbone for ``train descriptors --backbone`` and ``bench_recipes``. The
head is the table of the words' vectors (the packaged model has none of its own). No
caption is taken that belongs together with a labelled one (``unlabelled``).
"""

import argparse
import random
import time
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from scoring.models.descriptors.backbone import find_backbone
from scoring.models.descriptors.network_building import network_on_backbone
from scoring.train.descriptors import default_recipe, read_sets
from scoring.train.descriptors.training import shape_of
from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say
from tests.bench.recipes.captions import unlabelled

MASKED, BATCH, RATE, MASK = 0.2, 32, 2e-4, 103


def learn(encoder: Any, pieces: list[tuple[int, ...]], rng: random.Random) -> None:
    """Read the captions once, in batches of like length; say the loss now and then."""
    width = int(encoder.config.hidden_size)
    turn = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width))
    bias = nn.Parameter(torch.zeros(int(encoder.config.vocab_size)))
    vectors = encoder.embeddings.word_embeddings.weight
    vectors.requires_grad_(False)  # its gradient would cost more than the rest of a step
    learned = [p for p in [*encoder.parameters(), *turn.parameters(), bias] if p.requires_grad]
    optimiser = torch.optim.AdamW(learned, lr=RATE, weight_decay=0.01)
    rng.shuffle(pieces)
    rows = [sorted(pieces[at : at + BATCH * 8], key=len) for at in range(0, len(pieces), BATCH * 8)]
    batches = [part[at : at + BATCH] for part in rows for at in range(0, len(part), BATCH)]
    encoder.train()
    for module in encoder.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    total = 0.0
    for place, batch in enumerate(batches):
        done = place / len(batches)
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (done + 1e-3) / 0.06) * (1 - done)
        ids, mask, hidden = _masked(batch, rng)
        found = encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        at = hidden >= 0
        scores = functional.linear(turn(found[at]), vectors, bias)
        loss = functional.cross_entropy(scores, hidden[at])
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimiser.step()
        total += float(loss.detach())
        if place % 50 == 49:
            say(f"{place + 1} of {len(batches)}: {total / 50:.3f}, {time.process_time():.0f} s cpu")
            total = 0.0


def _masked(batch: list[tuple[int, ...]], rng: random.Random) -> tuple[Tensor, Tensor, Tensor]:
    """Mask a share of the sub-words, at least one of a caption; -1 where nothing is asked."""
    shape = (len(batch), max(map(len, batch)))
    ids, mask = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    asked = torch.full(shape, -1)
    for row, one in enumerate(batch):
        ids[row, : len(one)] = torch.tensor(one)
        mask[row, : len(one)] = 1
        inside = range(1, len(one) - 1)
        for at in rng.sample(inside, max(1, round(MASKED * len(inside)))):
            asked[row, at] = one[at]
            if rng.random() < 0.9:
                ids[row, at] = MASK
    return ids, mask, asked


def main() -> None:
    """Read the options, learn, write the backbone."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--captions", type=int, default=30000)
    add_data_argument(parser)
    options = parser.parse_args()
    stop_without(options.data / "descriptors")
    torch.set_num_threads(1)
    torch.manual_seed(1)
    torch.backends.mkldnn.matmul.fp32_precision = "bf16"  # type: ignore[attr-defined]
    network = network_on_backbone(find_backbone(), shape_of({}, default_recipe("full")))
    captions = unlabelled(options.data, read_sets([options.data / "descriptors"]), options.captions)
    say(f"{len(captions)} captions, {time.process_time():.0f} s cpu")
    pieces = [network.subwords.pieces(one.words)[0].ids for one in captions]
    learn(network.encoder, pieces, random.Random(1))
    network.encoder.save_pretrained(options.out)
    (options.out / "tokenizer.json").write_text(network.subwords.text, encoding="utf-8")


if __name__ == "__main__":
    main()
