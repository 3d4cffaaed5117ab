"""One training loop for both models, which goes on after a kill as if nothing had happened.

What is drawn at random depends on the seed alone: the order of an epoch on the seed and the
epoch, everything else on torch's generator, whose state is stored with the weights. So a training
that was stopped anywhere ends with the numbers of one that was not (on a processor; the sums of a
GPU may come in another order).
"""

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from captions import END, Clip, Vocabulary
from earmark import Scorer
from features import FeatureStore, load_features
from modern_baseline import ModernBaseline
from runs import Run, file_write, optimizer_restore, optimizer_tensors, tensors_read, tensors_write
from search import beam_search

METRICS = ("fense", "cider_d")
SHOWN = 3
_GRADIENT_NORM = 1.0


@dataclass(frozen=True)
class Heard:
    """Clips with the files that have their features."""

    clips: Sequence[Clip]
    features: Sequence[Path]

    @classmethod
    def of(cls, clips: Sequence[Clip], store: FeatureStore, say: Callable[[str], None]) -> "Heard":
        """Compute the features of clips, or find them."""
        files, last_report = [], time.monotonic()
        for place, clip in enumerate(clips, 1):
            files.append(store.stored(clip.path))
            if time.monotonic() - last_report > 10:
                last_report = time.monotonic()
                say(f"features: {place} of {len(clips)} clips")
        return cls(clips, files)


@dataclass
class Place:
    """How far a training is: ``batch`` batches of ``epoch`` are done."""

    epoch: int = 0
    batch: int = 0
    loss: float = 0.0
    seconds: float = 0.0
    best: float = -1.0
    history: list[dict[str, Any]] = field(default_factory=list)


class Training:
    """A model, where its training stands, and the folder in which both are stored."""

    def __init__(self, run: Run, folder: Path, development: Heard, device: torch.device) -> None:
        torch.manual_seed(run.seed)
        self.run, self.folder, self.development, self.device = run, folder, development, device
        self.vocabulary = Vocabulary(run.vocabulary)
        self.model = run.new_model()
        if isinstance(self.model, ModernBaseline):
            # Of the frames of up to 500 clips.
            files = development.features[:: max(1, len(development.features) // 500)]
            frames = torch.cat([load_features(path) for path in files])
            self.model.standardise(frames.mean(dim=0), frames.std(dim=0).clamp(min=1e-3))
        self.model.to(device)
        self.optimizer = self.model.optimizer(run.training["learning_rate"])
        self.place = Place()
        self.items = [
            (clip, caption)
            for clip, each in enumerate(development.clips)
            for caption in range(len(each.captions))
        ]
        self.batches = -(-len(self.items) // run.training["batch"])

    def restore(self) -> bool:
        """Go on from where the folder says that the training stands, if it does."""
        path = self.folder / "last.safetensors"
        if not path.exists():
            return False
        tensors, place = tensors_read(path)
        model = {name: tensors[f"model.{name}"] for name in self.model.state_dict()}
        self.model.load_state_dict(model)
        optimizer_restore(self.optimizer, tensors)
        torch.set_rng_state(tensors["random.cpu"])
        if self.device.type == "cuda" and "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"], self.device)
        self.place = Place(**place)
        return True

    def save(self) -> None:
        """Store all that is needed to go on, in one file."""
        tensors = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        tensors |= optimizer_tensors(self.optimizer)
        tensors["random.cpu"] = torch.get_rng_state()
        if self.device.type == "cuda":
            tensors["random.cuda"] = torch.cuda.get_rng_state(self.device)
        tensors_write(self.folder / "last.safetensors", tensors, vars(self.place))

    def epoch(self, *, save_after: float, say: Callable[[str], None]) -> None:
        """Train on what is left of an epoch; store the place every ``save_after`` seconds."""
        self.model.train()
        began = saved = time.monotonic()
        for batch in self._batches_left():
            self._step(*batch)
            now = time.monotonic()
            self.place.seconds += now - began
            began = now
            if now - saved >= save_after:
                self.save()
                saved = began = time.monotonic()
                say(self._progress())
        self.place.history.append(
            {"epoch": self.place.epoch + 1, "loss": self.place.loss / self.batches}
        )
        self.place.epoch, self.place.batch, self.place.loss = self.place.epoch + 1, 0, 0.0

    def _progress(self) -> str:
        place = self.place
        return (
            f"epoch {place.epoch + 1} of {self.run.training['epochs']}, batch {place.batch} of "
            f"{self.batches}: loss {place.loss / place.batch:.3f}"
        )

    def _batches_left(self) -> Iterator[tuple[Tensor, ...]]:
        order = list(self.items)
        random.Random(f"{self.run.seed} {self.place.epoch}").shuffle(order)  # noqa: S311
        size = self.run.training["batch"]
        for start in range(self.place.batch * size, len(order), size):
            chosen = order[start : start + size]
            frames = [load_features(self.development.features[clip]) for clip, _ in chosen]
            texts = [self.development.clips[clip].captions[caption] for clip, caption in chosen]
            batch = (
                *stacked(frames, zeros_in_front=self.model.zeros_in_front),
                *_words([self.vocabulary.encode(text) for text in texts]),
            )
            yield tuple(part.to(self.device) for part in batch)

    def _step(self, features: Tensor, lengths: Tensor, words: Tensor, ends: Tensor) -> None:
        done = self.place.epoch * self.batches + self.place.batch + 1
        share = done / (self.run.training["epochs"] * self.batches)
        for group in self.optimizer.param_groups:
            group["lr"] = self.run.training["learning_rate"] * self.model.learning_rate(share)
        with _mixed_precision(self.model, self.device):
            loss = self.model.loss(features, lengths, words, ends)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        if isinstance(self.model, ModernBaseline):
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), _GRADIENT_NORM)
        self.optimizer.step()
        self.place.loss += float(loss.detach())
        self.place.batch += 1


class Validation:
    """Captions of clips that are not trained on, scored as the leaderboard scores them."""

    def __init__(self, heard: Heard, vocabulary: Vocabulary, device: torch.device) -> None:
        self.heard, self.vocabulary, self.device = heard, vocabulary, device
        references = [list(clip.captions) for clip in heard.clips]
        self.scorer = Scorer(references, METRICS, device="cpu")

    def captions(self, model: Any, *, batch: int = 32) -> list[str]:
        """Greedy captions of all clips."""
        model.eval()
        captions: list[str] = []
        for start in range(0, len(self.heard.features), batch):
            frames = [load_features(path) for path in self.heard.features[start : start + batch]]
            features, lengths = stacked(frames, zeros_in_front=model.zeros_in_front)
            best = beam_search(model, features.to(self.device), lengths.to(self.device), beam=1)
            captions += [self.vocabulary.decode(one[0].words) for one in best]
        return captions

    def scores(self, captions: list[str]) -> dict[str, float]:
        """FENSE and CIDEr-D of captions of all clips."""
        scores = self.scorer.score(captions)
        return {name: float(scores[name]) for name in METRICS}


def train(
    training: Training,
    validation: Validation,
    *,
    validate_every: int = 1,
    save_after: float = 60.0,
    keep: str = "fense",
    say: Callable[[str], None] = print,
) -> None:
    """Train to the last epoch; ``keep`` is the metric by which the best weights are kept."""
    place, epochs = training.place, training.run.training["epochs"]
    while place.epoch < epochs:
        training.epoch(save_after=save_after, say=say)
        row = place.history[-1]
        line = f"epoch {place.epoch} of {epochs}: loss {row['loss']:.3f}"
        if place.epoch % validate_every == 0 or place.epoch == epochs:
            captions = validation.captions(training.model)
            row |= validation.scores(captions)
            better = row[keep] > place.best
            if better:
                place.best = row[keep]
                info = {**row, "kept_by": keep, "seconds": place.seconds}
                weights = dict(training.model.state_dict())
                tensors_write(training.folder / "best.safetensors", weights, info)
            scores = ", ".join(f"{name} {row[name]:.3f}" for name in METRICS)
            line += f", validation {scores}{' (the best so far)' if better else ''}"
            line += _shown(validation.heard.clips, captions)
        say(f"{line}  [{place.seconds:.0f} s]")
        text = json.dumps(place.history, indent=1)
        file_write(training.folder / "log.json", lambda part, text=text: part.write_text(text))  # type: ignore[misc]
        training.save()


def stacked(frames: Sequence[Tensor], *, zeros_in_front: bool) -> tuple[Tensor, Tensor]:
    """Features of a batch, made equally long with zeros, and their own lengths."""
    lengths = torch.tensor([len(one) for one in frames])
    batch = torch.zeros(len(frames), int(lengths.max()), frames[0].shape[1])
    for place, one in enumerate(frames):
        if zeros_in_front:
            batch[place, batch.shape[1] - len(one) :] = one
        else:
            batch[place, : len(one)] = one
    return batch, lengths


def _words(captions: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
    """Captions filled up with ends, and how many words each has to be predicted."""
    ends = torch.tensor([len(caption) - 1 for caption in captions])
    batch = torch.full((len(captions), int(ends.max()) + 1), END)
    for place, caption in enumerate(captions):
        batch[place, : len(caption)] = torch.tensor(caption)
    return batch, ends


def _mixed_precision(model: Any, device: torch.device) -> AbstractContextManager[None]:
    """Half the bits where a GPU has them and the model is not that of a paper."""
    enabled = device.type == "cuda" and isinstance(model, ModernBaseline)
    context: AbstractContextManager[None] = torch.autocast(
        device.type, dtype=torch.bfloat16, enabled=enabled and torch.cuda.is_bf16_supported()
    )
    return context


def _shown(clips: Sequence[Clip], captions: Sequence[str]) -> str:
    return "".join(
        f"\n    {clip.name}: {caption!r}, a reference: {clip.captions[0]!r}"
        for clip, caption in list(zip(clips, captions, strict=True))[:SHOWN]
    )
