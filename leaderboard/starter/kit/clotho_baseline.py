"""Clotho's baseline: Drossos, Lipping and Virtanen, Clotho: an audio captioning dataset, 2020.

Section 3 of https://arxiv.org/abs/1910.09387 says what is here: 64 log mel energies under a
Hamming window of 46 ms with half overlap; an encoder of three bidirectional GRU layers of 256
in each direction; an attention that is a feed-forward network; a GRU decoder whose input is what
the attention gives; a classifier with a softmax over the words. Trained for 150 epochs with cross
entropy and Adam with its proposed settings, every clip once for each of its captions. In each
batch captions are padded with the end of the sequence, features by zeros in front.

Not in the paper, and chosen here: the size of the decoder and of the attention (256 each) and of
a batch (16). As in the paper nothing is masked: the zeros in front are heard, and every end
that fills up a caption counts in the loss. Nor does the decoder read the words that it wrote,
unless ``reads_words`` says so, which is not the paper's and much better.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from features import FeatureSettings

FEATURES = FeatureSettings(rate=44_100, bands=64, window=0.046)
PRESETS: dict[str, dict[str, Any]] = {
    # As in the paper.
    "full": {
        "features": FEATURES,
        "model": {"width": 256, "layers": 3, "decoder": 256, "attention": 256},
        "training": {"epochs": 150, "batch": 16, "learning_rate": 1e-3},
    },
    # Minutes of one processor: narrower, at 16 kHz, with eight frames averaged; and it reads its
    # words, without which so short a training comes to nothing.
    "small": {
        "features": FeatureSettings(rate=16_000, bands=64, window=0.046, pool=8),
        "model": {"width": 64, "layers": 3, "decoder": 128, "attention": 64, "reads_words": 64},
        "training": {"epochs": 20, "batch": 32, "learning_rate": 2e-3},
    },
}
State = tuple[Tensor, ...]


class ClothoBaseline(nn.Module):
    """Log mel energies to words; shapes: features (clips, frames, bands), words (clips, length)."""

    # Where zeros go that make features of a batch equally long.
    zeros_in_front = True

    def __init__(
        self,
        words: int,
        size: int,
        *,
        width: int = 256,
        layers: int = 3,
        decoder: int = 256,
        attention: int = 256,
        reads_words: int = 0,
    ) -> None:
        super().__init__()
        self.encoder = nn.GRU(size, width, num_layers=layers, bidirectional=True, batch_first=True)
        self.attend_to_frame = nn.Linear(2 * width, attention)
        self.attend_from_state = nn.Linear(decoder, attention, bias=False)
        self.attention_weight = nn.Linear(attention, 1, bias=False)
        self.read = nn.Embedding(words, reads_words) if reads_words else None
        self.decoder = nn.GRUCell(2 * width + reads_words, decoder)
        self.classifier = nn.Linear(decoder, words)

    def start(self, features: Tensor, lengths: Tensor) -> State:
        """Encode clips: frames, what the attention makes of them, and the decoder's first state."""
        frames, _ = self.encoder(features)
        first = frames.new_zeros(len(frames), self.decoder.hidden_size)
        return frames, self.attend_to_frame(frames), first

    def step(self, state: State, words: Tensor) -> tuple[Tensor, State]:
        """Logits of the next word, shape (clips, words), after ``words``, shape (clips,)."""
        frames, keys, hidden = state
        scores = self.attention_weight(torch.tanh(keys + self.attend_from_state(hidden)[:, None]))
        context = (scores.softmax(dim=1) * frames).sum(dim=1)
        if self.read is not None:
            context = torch.cat((context, self.read(words)), dim=1)
        hidden = self.decoder(context, hidden)
        return self.classifier(hidden), (frames, keys, hidden)

    def loss(self, features: Tensor, lengths: Tensor, words: Tensor, ends: Tensor) -> Tensor:
        """Cross entropy over all places, those that fill up a caption among them."""
        state = self.start(features, lengths)
        logits = []
        for place in range(words.shape[1] - 1):
            word_logits, state = self.step(state, words[:, place])
            logits.append(word_logits)
        return functional.cross_entropy(torch.stack(logits, dim=1).mT, words[:, 1:])

    def optimizer(self, learning_rate: float) -> torch.optim.Optimizer:
        """Adam as proposed by Kingma and Ba."""
        return torch.optim.Adam(self.parameters(), lr=learning_rate)

    @staticmethod
    def learning_rate(share: float) -> float:
        """What the learning rate is multiplied by once a share of the training is done."""
        return 1.0
