"""Why ACES and its balanced form rise where a false sound is added to a caption.

    python -m tests.bench.bench_false_sounds [--data ../shared/data]

Captions, references and sounds are those of ``scoring tricks --false-sounds``. Of the cases that
rise the table says what lets them: the fluency detector flagged the caption and spares the altered
one; other words of the caption have other labels since (with their labels of before it does not
rise); or the words added match words of the references. Figures of docs/reference/descriptors.md.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from scoring.captions import References, read_candidates, read_references
from scoring.captions.corpus import one_reference_against_others
from scoring.metrics.aces.labels import labelled, span_texts
from scoring.metrics.aces.matching import Vectors, bag_of, judge
from scoring.metrics.aces.metric import BETA, PENALTY
from scoring.metrics.fluency.metric import THRESHOLD, FluencyPenalty
from scoring.models.descriptors import LabelledCaption, find_labeller
from scoring.models.encoder import find_encoder
from scoring.tricks.events import events_of
from scoring.tricks.false_sounds import CHANGE, with_false_sounds
from scoring.tricks.measuring import measured_tricks
from scoring.workspace import Workspace
from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say

REASONS = ("verdict on fluency", "labels of other words", "words added match")
FORMS = {"aces": "ACES", "aces_balanced": "ACES balanced"}


def read(data: Path) -> Iterator[tuple[str, Sequence[str], References]]:
    """Captions of people and of the system, each with their references."""
    kept = measured_tricks()
    path = data / "clotho" / kept.references
    stop_without(path)
    references = read_references(path.read_bytes(), file_name=path.name).value
    assert references is not None
    people, others = one_reference_against_others(references)
    yield "people", people.first, others
    path = data / "systems" / kept.candidates
    candidates = read_candidates(path.read_bytes(), references, file_name=path.name).value
    assert candidates is not None
    yield "system", candidates.first, references


class Scores:
    """Both forms of ACES from labels, without the verdict on fluency."""

    def __init__(self, captions: Sequence[LabelledCaption], workspace: Workspace) -> None:
        texts = span_texts(captions)
        rows = workspace.embeddings(texts, find_encoder())
        self._vectors: Vectors = dict(zip(texts, rows.astype("float64"), strict=True))

    def of(self, caption: LabelledCaption, told: Sequence[LabelledCaption]) -> dict[str, float]:
        """Each form of a caption against pooled references."""
        labels = find_labeller().labels
        found = judge(bag_of([caption]), bag_of(told), self._vectors, labels, beta=BETA)
        return {"aces": found.score, "aces_balanced": found.balanced.f}


def with_labels_of(before: LabelledCaption, after: LabelledCaption) -> LabelledCaption:
    """The altered caption whose first words have the labels that they had alone."""
    return replace(after, labels=(*before.labels, *after.labels[len(before.labels) :]))


def count(
    captions: Sequence[str], references: References, events: Sequence[str], workspace: Workspace
) -> dict[str, Counter[str]]:
    """By form, how many cases rise and why."""
    altered = with_false_sounds(captions, references, events)
    labeller = find_labeller()
    both = labelled(workspace, [*captions, *altered], labeller)
    before, after = both[: len(captions)], both[len(captions) :]
    held = [with_labels_of(*pair) for pair in zip(before, after, strict=True)]
    told = dict(
        zip(references.captions, labelled(workspace, references.captions, labeller), strict=True)
    )
    scores = Scores([*both, *held, *told.values()], workspace)
    penalty = FluencyPenalty("", THRESHOLD, PENALTY)
    kept = penalty.judge([*captions, *altered], workspace).kept
    found: dict[str, Counter[str]] = {form: Counter() for form in FORMS}
    for at, clip in enumerate(references.clips):
        others = [told[text] for text in clip.references]
        own, new, same = (scores.of(one[at], others) for one in (before, after, held))
        spared, flagged = kept[len(captions) + at], kept[at]
        for form, counter in found.items():
            if new[form] * spared - own[form] * flagged <= CHANGE:
                continue
            counter["rises"] += 1
            if (new[form] - own[form]) * flagged <= CHANGE:
                counter[REASONS[0]] += 1
            elif (same[form] - own[form]) * flagged <= CHANGE:
                counter[REASONS[1]] += 1
            else:
                counter[REASONS[2]] += 1
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_argument(parser)
    sides = list(read(parser.parse_args().data))
    events = events_of(sides[-1][2].captions)
    workspace = Workspace()
    say(f"| captions | form | cases | rise | {' | '.join(REASONS)} |\n|{'---|' * 7}")
    for whose, captions, references in sides:
        for form, counter in count(captions, references, events, workspace).items():
            cells = " | ".join(f"{counter[name]:,}" for name in ("rises", *REASONS))
            say(f"| {whose} | {FORMS[form]} | {len(captions):,} | {cells} |")


if __name__ == "__main__":
    main()
