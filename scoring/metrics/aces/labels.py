"""Captions labelled by the labeller, every distinct one of a run once, and as arrays."""

from collections.abc import Sequence

import numpy as np

from scoring.captions import References
from scoring.models.descriptors import DescriptorLabeller, LabelledCaption, label, words_of
from scoring.runtime import Heartbeat
from scoring.text.arrays import Ints, split
from scoring.workspace import Workspace


def labelled(
    workspace: Workspace,
    captions: Sequence[str],
    labeller: DescriptorLabeller,
    *,
    heartbeat: Heartbeat | None = None,
) -> list[LabelledCaption]:
    """Label captions; ``heartbeat(done, total)`` counts those that are new to the run."""
    device = workspace.device
    return workspace.computed_once(
        f"descriptors {labeller.identity}",
        captions,
        lambda new: label(labeller, new, device=device, heartbeat=heartbeat),
    )


def span_texts(captions: Sequence[LabelledCaption]) -> list[str]:
    """List the distinct span texts in order of first appearance."""
    return list(dict.fromkeys(span.text for caption in captions for span in caption.spans))


def label_numbers(captions: Sequence[LabelledCaption], labels: Sequence[str]) -> tuple[Ints, Ints]:
    """Label number of every word, and the words per caption."""
    numbers = {name: number for number, name in enumerate(labels)}
    words = np.array([len(caption.labels) for caption in captions], np.int64)
    flat = [numbers[name] for caption in captions for name in caption.labels]
    return np.array(flat, np.int64), words


def from_numbers(
    references: References, numbers: Ints, words: Ints, labels: Sequence[str]
) -> list[list[LabelledCaption]]:
    """Labelled references of each clip from their ``label_numbers``; every confidence is 1."""
    rows = iter(split([labels[number] for number in numbers.tolist()], words))
    return [
        [
            LabelledCaption(tuple(words_of(caption)), tuple(row), (1.0,) * len(row))
            for caption, row in zip(clip.references, rows, strict=False)
        ]
        for clip in references.clips
    ]
