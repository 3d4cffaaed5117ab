"""Descriptor labellers: finding them, labelling captions, and how uncertain a label is.

torch is imported when the first caption is labelled.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from earmark.errors import ResourceMissing, ScoringError
from earmark.models.descriptors.subwords import SubwordPiece, Subwords
from earmark.models.descriptors.words import RESOURCES, Span, Word, spans_of, words_of
from earmark.models.encoder import weights_digest
from earmark.runtime import Device, Heartbeat, compute_device

Probabilities = NDArray[np.float32]

SHIPPED = RESOURCES
_WEIGHTS = "model.safetensors"


class LabellerMissing(ResourceMissing):
    """A descriptor labeller is not where it should be."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no descriptor labeller at {path}. Give the folder of one trained with "
            "python -m earmark train descriptors"
        )
        self.path = path


class LabellerFailed(ScoringError):
    """A labeller whose files can be read but which cannot label."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The labeller cannot label: {reason}. Use another labeller.")


@dataclass(frozen=True, slots=True)
class DescriptorLabeller:
    """A labeller's folder.

    ``identity`` is ``name@xxxxxxxx``, as it stands in signatures: the first 8
    hex digits of the sha256 of its trained weights. ``labels`` is its
    inventory, in the order of its probabilities.
    """

    folder: Path
    identity: str
    labels: tuple[str, ...]


class LabelNetwork(Protocol):
    """A labeller's network in memory."""

    subwords: Subwords

    @property
    def known_ids(self) -> int:
        """Ids of sub-words are below this."""
        ...

    def logits(self, pieces: Sequence[Sequence[int]]) -> Iterator[tuple[list[int], Any]]:
        """Places of pieces of one length, and logits, shape (pieces, sub-words, labels)."""
        ...


@dataclass(frozen=True, slots=True)
class LabelledCaption:
    """Caption labelled by a model: its words, the label and probability of each, and the spans."""

    words: tuple[Word, ...]
    labels: tuple[str, ...]
    confidences: tuple[float, ...]

    @property
    def spans(self) -> list[Span]:
        """Runs of words with one label."""
        return spans_of([word.text for word in self.words], self.labels, self.confidences)


def find_labeller(path: str = "") -> DescriptorLabeller:
    """Find a labeller and hash its weights; loads nothing. Empty: the shipped one.

    A token classifier that transformers saved, such as that of ACES' authors, is one as well; it is
    called after its folder. Raises ``LabellerMissing``.
    """
    folder = Path(path).resolve() if path else SHIPPED
    weights = folder / _WEIGHTS
    if not weights.is_file():
        raise LabellerMissing(folder)
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if names := config.get("id2label"):  # a token classifier that transformers saved
            # Its labels are by number, and are written here as ours are: SOUND_TYPE.
            written = (names[str(number)] for number in range(len(names)))
            name, labels = folder.name, tuple(one.upper().replace(" ", "_") for one in written)
        else:
            name, labels = str(config["name"]), tuple(map(str, config["labels"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LabellerMissing(folder) from error
    return DescriptorLabeller(folder, f"{name}@{weights_digest(weights)[:8]}", labels)


def label(
    labeller: DescriptorLabeller,
    captions: Sequence[str],
    *,
    device: Device = "auto",
    heartbeat: Heartbeat | None = None,
) -> list[LabelledCaption]:
    """Label the words of captions; a word takes the label of its most certain sub-word.

    A confidence is that sub-word's probability, over 1 / number of labels. A label
    does not depend on the other captions: bit for bit on CPU. ``heartbeat(done, total)``
    counts pieces again and again and may raise to stop. Raises ``TokeniserFailed`` and
    ``LabellerFailed``.
    """
    network = _load(labeller, compute_device(device))
    return label_with_network(network, labeller.labels, captions, heartbeat=heartbeat)


def label_with_network(
    network: LabelNetwork,
    labels: Sequence[str],
    captions: Sequence[str],
    *,
    heartbeat: Heartbeat | None = None,
) -> list[LabelledCaption]:
    """Label captions by a network that is loaded, as ``label`` does."""
    words = [words_of(caption) for caption in captions]
    pieces = [
        (row, piece)
        for row, caption_words in enumerate(words)
        for piece in network.subwords.pieces([word.text for word in caption_words])
    ]
    # On a GPU an id without a vector would end all that the process does there.
    if any(max(piece.ids) >= network.known_ids for _, piece in pieces):
        raise LabellerFailed("its tokeniser gives sub-words that its encoder has no vectors for")
    best = [[(0.0, 0)] * len(caption_words) for caption_words in words]
    for rows, probabilities in _probabilities(network, [piece for _, piece in pieces], heartbeat):
        for place, table in zip(rows, probabilities, strict=True):
            caption, piece = pieces[place]
            _keep_most_certain(best[caption], piece, table)
    return [
        LabelledCaption(
            tuple(caption_words),
            tuple(labels[number] for _, number in chosen),
            tuple(sure for sure, _ in chosen),
        )
        for caption_words, chosen in zip(words, best, strict=True)
    ]


def _keep_most_certain(
    best: list[tuple[float, int]], piece: SubwordPiece, table: Probabilities
) -> None:
    """Keep for each word its most certain sub-word; the first one where two are as certain."""
    numbers = table.argmax(axis=1).tolist()
    sure = table.max(axis=1).tolist()
    for owner, number, probability in zip(piece.owners, numbers, sure, strict=True):
        if owner >= 0 and probability > best[owner][0]:
            best[owner] = (probability, number)


def _probabilities(
    network: LabelNetwork, pieces: Sequence[SubwordPiece], heartbeat: Heartbeat | None
) -> Iterator[tuple[list[int], Probabilities]]:
    """Rows and their probabilities, shape (rows, sub-words, labels), batch by batch."""
    done = 0
    for rows, logits in network.logits([piece.ids for piece in pieces]):
        probabilities: Probabilities = logits.cpu().double().softmax(-1).float().numpy()
        if not np.isfinite(probabilities).all():
            raise LabellerFailed("what it computes are no numbers")
        yield rows, probabilities
        done += len(rows)
        if heartbeat is not None:
            heartbeat(done, len(pieces))


@lru_cache(maxsize=2)
def _load(labeller: DescriptorLabeller, device: str) -> LabelNetwork:
    from earmark.models.descriptors.packed_labeller import load_packed

    packed = load_packed(labeller.folder, device)
    if packed is not None:
        return packed
    from earmark.models.descriptors.files import load_network

    return load_network(labeller.folder, device)


def uncertainty(labelled: LabelledCaption) -> float:
    """Uncertainty of the labeller about a caption, 0 (certain) to 1; the site orders by it.

    1 less the mean probability of its words, 0 where it has none. What was measured of it and of
    other measures: docs/reference/descriptors.md, "Uncertain first".
    """
    return 1.0 - fmean(labelled.confidences) if labelled.confidences else 0.0
