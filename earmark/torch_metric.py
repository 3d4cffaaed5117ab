"""A ``torchmetrics.Metric``, which Lightning logs and synchronises (pip install torchmetrics).

>>> score = CaptionScore("rouge_l")
>>> score.update(["a dog barks"], [["A dog barks.", "A dog is barking."]])
>>> score.update(["rain falls"], [["Rain falls on a roof."]])
>>> score.compute()
tensor(0.7652)
"""

import json
from dataclasses import astuple
from typing import Any, Unpack

import torch
from torch import Tensor
from torchmetrics import Metric
from torchmetrics.utilities import dim_zero_cat

from earmark.accumulator import CollectedClip, ScoreAccumulator
from earmark.chosen_metrics import RunOptions
from earmark.metric_sets import known_name
from earmark.registry import METRICS


class CaptionScore(Metric):
    """The corpus value of one metric of all captions that were given, on all ranks.

    Arguments as for ``earmark.score``. What is collected are texts; torchmetrics keeps and gathers
    tensors, so that they are kept as the bytes of one line of JSON per clip.
    """

    full_state_update = False
    is_differentiable = False
    clips: list[Tensor]

    def __init__(self, metric: str = "fense", **options: Unpack[RunOptions]) -> None:
        super().__init__()
        self.add_state("clips", default=[], dist_reduce_fx="cat")
        self._name = known_name(metric)
        self._scores = ScoreAccumulator(self._name, **options)

    @property
    def higher_is_better(self) -> bool:
        """Whether more is better, which decides which checkpoint is the best."""
        return METRICS[self._name].direction == "higher"

    def update(self, *batch: Any, **named: Any) -> None:
        """Add a batch: captions, references, names, as ``ScoreAccumulator`` takes them."""
        collected = ScoreAccumulator(self._name)
        collected.update(*batch, **named)
        lines = "".join(f"{json.dumps(astuple(clip))}\n" for clip in collected.state)
        data = torch.frombuffer(bytearray(lines, "ascii"), dtype=torch.uint8)
        self.clips.append(data.to(self.device))

    def sync(self, *options: Any, **named: Any) -> None:
        """Gather what all ranks collected; one that has no captions sends no bytes."""
        if len(self.clips) == 0:
            self.clips.append(torch.zeros(0, dtype=torch.uint8, device=self.device))
        super().sync(*options, **named)

    def compute(self) -> Tensor:
        """Corpus value, a number; raises ``NothingCollected``, ``NamedTwice`` or ``NoScore``."""
        data = bytes(dim_zero_cat(self.clips).tolist()) if len(self.clips) else b""
        rows = map(json.loads, data.splitlines())
        clips = [CollectedClip(name, tuple(own), tuple(theirs)) for name, own, theirs in rows]
        # They are those of all ranks already.
        return torch.tensor(self._scores.scored([clips])[self._name], device=self.device)
