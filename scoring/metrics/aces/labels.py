"""What the labeller says of captions, asked once per distinct caption of a run."""

from collections.abc import Sequence

import numpy as np

from scoring.captions import References
from scoring.models.descriptors import DescriptorLabeller, LabelledCaption, label, words_of
from scoring.runtime import Heartbeat
from scoring.text.arrays import Ints
from scoring.workspace import Workspace


def labelled(
    workspace: Workspace,
    captions: Sequence[str],
    labeller: DescriptorLabeller,
    *,
    heartbeat: Heartbeat | None = None,
    padded: bool = True,
) -> list[LabelledCaption]:
    """Label captions; ``heartbeat(done, total)`` counts those that are new to the run.

    ``padded`` is ``label``'s.
    """
    known = workspace.memo(f"descriptors {labeller.identity}")
    new = [caption for caption in dict.fromkeys(captions) if caption not in known]
    if new:
        found = label(labeller, new, device=workspace.device, heartbeat=heartbeat, padded=padded)
        known.update(zip(new, found, strict=True))
    return [known[caption] for caption in captions]


def span_texts(captions: Sequence[LabelledCaption]) -> list[str]:
    """List the distinct span texts in order of first appearance."""
    return list(dict.fromkeys(span.text for caption in captions for span in caption.spans))


def label_numbers(captions: Sequence[LabelledCaption], labels: Sequence[str]) -> tuple[Ints, Ints]:
    """Give the label number of every word, and the words per caption."""
    numbers = {name: number for number, name in enumerate(labels)}
    words = np.array([len(caption.labels) for caption in captions], np.int64)
    flat = [numbers[name] for caption in captions for name in caption.labels]
    return np.array(flat, np.int64), words


def from_numbers(
    references: References, numbers: Ints, words: Ints, labels: Sequence[str]
) -> list[list[LabelledCaption]]:
    """Give back, clip by clip, what ``label_numbers`` took apart, without confidences."""
    names = iter([labels[number] for number in numbers.tolist()])
    found = []
    counts = iter(words.tolist())
    for clip in references.clips:
        captions = []
        for caption in clip.references:
            count = next(counts)
            taken = tuple(next(names) for _ in range(count))
            captions.append(LabelledCaption(tuple(words_of(caption)), taken, (1.0,) * count))
        found.append(captions)
    return found
