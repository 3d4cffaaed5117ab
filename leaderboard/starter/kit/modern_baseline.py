"""A baseline to start from today: convolutions and a transformer that hear, another that writes.

Log mel energies are standardised with the mean and deviation of the development clips, halved in
time twice by convolutions, and read by a transformer encoder; a transformer decoder writes the
caption. Trained with label smoothing (Szegedy et al., 2016), SpecAugment (Park et al., 2019),
AdamW, and a learning rate that rises and then falls as a cosine. With a pretrained encoder
(``--encoder``) its frames take the place of the mel energies, and of the convolutions.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from features import FeatureSettings

PRESETS: dict[str, dict[str, Any]] = {
    # For data of Clotho's size and a GPU.
    "full": {
        "features": FeatureSettings(rate=32_000, bands=64, window=0.040),
        "model": {"width": 384, "heads": 6, "layers": 6, "writers": 4, "channels": 64},
        "training": {"epochs": 60, "batch": 64, "learning_rate": 5e-4},
    },
    # Minutes of one processor.
    "small": {
        "features": FeatureSettings(rate=16_000, bands=64, window=0.046, pool=2),
        "model": {"width": 96, "heads": 4, "layers": 2, "writers": 2, "channels": 16},
        "training": {"epochs": 20, "batch": 32, "learning_rate": 2e-3},
    },
}
SMOOTHING = 0.1
WARM_UP = 0.1
State = tuple[Tensor, ...]


class ModernBaseline(nn.Module):
    """Frames to words; shapes: features (clips, frames, size), words (clips, length)."""

    # Where zeros go that make features of a batch equally long; here they are masked.
    zeros_in_front = False

    def __init__(
        self,
        words: int,
        size: int,
        *,
        width: int = 384,
        heads: int = 6,
        layers: int = 6,
        writers: int = 4,
        channels: int = 64,
        dropout: float = 0.2,
        convolutions: bool = True,
    ) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("deviation", torch.ones(size))
        self.front = _Convolutions(size, width, channels) if convolutions else _Linear(size, width)
        encoder = nn.TransformerEncoderLayer(
            width, heads, 4 * width, dropout, "gelu", batch_first=True, norm_first=True
        )
        decoder = nn.TransformerDecoderLayer(
            width, heads, 4 * width, dropout, "gelu", batch_first=True, norm_first=True
        )
        end = nn.LayerNorm(width)
        self.encoder = nn.TransformerEncoder(encoder, layers, end, enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(decoder, writers, nn.LayerNorm(width))
        self.embedding = nn.Embedding(words, width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        self.dropout = nn.Dropout(dropout)
        # Written words are compared with the embeddings of those that were read.
        self.bias = nn.Parameter(torch.zeros(words))

    def standardise(self, mean: Tensor, deviation: Tensor) -> None:
        """Set what features are standardised with; both of shape (size,)."""
        self.get_buffer("mean").copy_(mean)
        self.get_buffer("deviation").copy_(deviation)

    def start(self, features: Tensor, lengths: Tensor) -> State:
        """Encode clips: their frames, which of them are empty, and no word yet."""
        frames = (features - self.get_buffer("mean")) / self.get_buffer("deviation")
        if self.training:
            frames = spec_augment(frames)
        frames = frames.masked_fill(_beyond(lengths, frames.shape[1])[..., None], 0.0)
        frames, lengths = self.front(frames, lengths)
        empty = _beyond(lengths, frames.shape[1])
        frames = self.encoder(self.dropout(frames + _positions(frames)), src_key_padding_mask=empty)
        return frames, empty, torch.empty(len(frames), 0, dtype=torch.long, device=frames.device)

    def step(self, state: State, words: Tensor) -> tuple[Tensor, State]:
        """Logits of the next word, shape (clips, words), after ``words``, shape (clips,)."""
        frames, empty, written = state
        written = torch.cat((written, words[:, None]), dim=1)
        return self._logits(frames, empty, written)[:, -1], (frames, empty, written)

    def loss(self, features: Tensor, lengths: Tensor, words: Tensor, ends: Tensor) -> Tensor:
        """Smoothed cross entropy of the words up to the first end; ``ends`` is where that is."""
        frames, empty, _ = self.start(features, lengths)
        logits = self._logits(frames, empty, words[:, :-1])
        beyond = _beyond(ends, words.shape[1] - 1)
        targets = words[:, 1:].masked_fill(beyond, -100)
        smoothing = SMOOTHING if self.training else 0.0
        return functional.cross_entropy(logits.float().mT, targets, label_smoothing=smoothing)

    def _logits(self, frames: Tensor, empty: Tensor, words: Tensor) -> Tensor:
        read = self.embedding(words) * math.sqrt(self.embedding.embedding_dim)
        later = torch.ones(words.shape[1], words.shape[1], dtype=torch.bool, device=words.device)
        hidden = self.decoder(
            self.dropout(read + _positions(read)),
            frames,
            tgt_mask=later.triu(1),
            memory_key_padding_mask=empty,
            tgt_is_causal=True,
        )
        return functional.linear(hidden, self.embedding.weight, self.bias)

    def optimizer(self, learning_rate: float) -> torch.optim.Optimizer:
        """AdamW; weights that are matrices decay."""
        matrices = [weight for weight in self.parameters() if weight.dim() > 1]
        others = [weight for weight in self.parameters() if weight.dim() <= 1]
        groups = [
            {"params": matrices, "weight_decay": 0.01},
            {"params": others, "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=learning_rate, betas=(0.9, 0.98))

    @staticmethod
    def learning_rate(share: float) -> float:
        """What the learning rate is multiplied by once a share of the training is done."""
        if share < WARM_UP:
            return share / WARM_UP
        return 0.5 * (1 + math.cos(math.pi * (share - WARM_UP) / (1 - WARM_UP)))


class _Convolutions(nn.Module):
    """Halve frames twice and bands three times."""

    def __init__(self, size: int, width: int, channels: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, channels, 3, stride=2, padding=1)
        self.second = nn.Conv2d(channels, 2 * channels, 3, stride=2, padding=1)
        self.third = nn.Conv2d(2 * channels, 2 * channels, 3, stride=(1, 2), padding=1)
        self.out = nn.Linear(2 * channels * math.ceil(size / 8), width)

    def forward(self, frames: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        maps = functional.gelu(self.first(frames[:, None]))
        maps = functional.gelu(self.second(maps))
        maps = functional.gelu(self.third(maps))
        return self.out(maps.transpose(1, 2).flatten(2)), (lengths + 3) // 4


class _Linear(nn.Module):
    """Frames of a pretrained encoder as they are, at another width."""

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.out = nn.Linear(size, width)

    def forward(self, frames: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        return self.out(frames), lengths


def spec_augment(
    frames: Tensor, *, masks: int = 2, time: float = 0.1, band: float = 0.15
) -> Tensor:
    """Blank ``masks`` stretches of time and of bands, each up to a share of the whole."""
    clips, length, size = frames.shape
    for axis, whole, share in ((1, length, time), (2, size, band)):
        widths = torch.rand(clips, masks, 1, device=frames.device) * share * whole
        starts = torch.rand(clips, masks, 1, device=frames.device) * (whole - widths)
        places = torch.arange(whole, device=frames.device)
        blank = ((places >= starts) & (places < starts + widths)).any(dim=1)
        frames = frames.masked_fill(blank[:, :, None] if axis == 1 else blank[:, None], 0.0)
    return frames


def _beyond(lengths: Tensor, longest: int) -> Tensor:
    """Which places lie beyond lengths, shape (clips, longest)."""
    return torch.arange(longest, device=lengths.device) >= lengths[:, None]


def _positions(frames: Tensor) -> Tensor:
    """Sines and cosines of the places, shape (length, width)."""
    length, width = frames.shape[1:]
    places = torch.arange(length, device=frames.device)[:, None]
    waves = torch.arange(0, width, 2, device=frames.device) * (-math.log(10_000) / width)
    angles = places * waves.exp()
    return torch.stack((angles.sin(), angles.cos()), dim=2).flatten(1)[:, :width]
