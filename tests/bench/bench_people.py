"""How near people come to each other by the labeller's own measures.

    python -m tests.bench.bench_people

Captions labelled with both inventories, the 13 labels turned into the 10: one with two
equivalents never agrees, or agrees where either does. Where ``bench_recipes default`` was
run, its labeller is judged on the same captions, in the folds that are there.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from scoring.train.descriptors import AnnotatedCaption, LabelSet, token_agreement
from tests.bench.bench_recipes import FOLDS, RUNS, Bench
from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say

TWO = {"WHO_WHAT_PROPERTY": ("WHO", "WHAT"), "WHAT/WHERE": ("WHAT", "WHERE")}
ONE = {"HOW_PROPERTY": "HOW"}
Pair = tuple[AnnotatedCaption, AnnotatedCaption]


def turned(large: Sequence[str], small: Sequence[str], *, either: bool) -> list[str]:
    """Turn 13 labels into 10; of two equivalents the one that agrees, or one that never does."""
    found = []
    for label, other in zip(large, small, strict=True):
        if label in TWO:
            found.append(other if either and other in TWO[label] else "none")
        else:
            found.append(ONE.get(label, label))
    return found


def told(given: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> str:
    """Say weighted F1 with O, micro F1 without O, exact spans."""
    one = token_agreement(given, found)
    return f"{one.weighted:.3f} {one.micro:.3f} {one.span:.3f} ({one.captions} captions)"


def people(pairs: Sequence[Pair], title: str) -> None:
    """Judge the labels of the 13-label file as if they were a labeller's, on the 10-label file."""
    for either in (False, True):
        given = [small.labels for _, small in pairs]
        found = [turned(large.labels, small.labels, either=either) for large, small in pairs]
        say(f"{title}, {'agrees with either' if either else 'never agrees'}: {told(given, found)}")


def disputed(pairs: Sequence[Pair], labels: dict[tuple[int, str], list[str]]) -> None:
    """Say how many wrong words of the labeller are words that two people dispute."""
    words: Counter[bool] = Counter()
    wrong: Counter[bool] = Counter()
    theirs = 0
    for large, small in pairs:
        mine = turned(large.labels, small.labels, either=True)
        for one, other, ours in zip(mine, small.labels, labels[10, small.key], strict=True):
            words[one != other] += 1
            if ours != other:
                wrong[one != other] += 1
                theirs += ours == one
    say(
        f"  disputed: {words[True]} of {words.total()} words, {wrong[True]} of"
        f" {wrong.total()} wrong ones; in {theirs} the labeller says what the other person says"
    )


def said(bench: Bench) -> dict[tuple[int, str], list[str]]:
    """The labels that the default said of captions not learned from, by set and words."""
    found = {}
    for fold in range(1, FOLDS + 1):
        file = bench.file("default", fold, 1)
        if not file.exists():
            continue
        tables = json.loads(file.read_text())["tables"]
        for part, rows in zip(bench.fold(fold).judged, tables, strict=True):
            for one, row in zip(part.captions, rows, strict=True):
                labels = [part.labels[int(np.argmax(word))] for word in row]
                found[len(part.labels), one.key] = labels
    return found


def main() -> None:
    """Print people against people, and the labeller against people."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=Path, default=RUNS)
    add_data_argument(parser)
    options = parser.parse_args()
    stop_without(options.data / "descriptors")
    bench = Bench(options.data, options.runs)
    large, small = bench.sets
    others = {one.key: one for one in small.captions}
    pairs = [(one, others[one.key]) for one in large.captions]
    kinds: dict[str, Callable[[Pair], bool]] = {
        "all": lambda pair: True,
        "same person": bench.same,
        "two people": lambda pair: not bench.same(pair),
    }
    labels = said(bench)
    for name, fits in kinds.items():
        rows = [pair for pair in pairs if fits(pair)]
        people(rows, f"{name}: 13 against 10 labels")
        known = [pair for pair in rows if (10, pair[1].key) in labels]
        if known:
            ours = [labels[10, pair[1].key] for pair in known]
            say(f"  labeller against the 10 labels: {told([s.labels for _, s in known], ours)}")
            people(known, "  people, the same captions")
            disputed(known, labels)
            ours = [labels[13, pair[0].key] for pair in known]
            say(f"  labeller against the 13 labels: {told([a.labels for a, _ in known], ours)}")
    if labels:
        mistakes(large, labels)
        by_person(bench, labels)


def by_person(bench: Bench, labels: dict[tuple[int, str], list[str]]) -> None:
    """Judge the labeller on each person's captions."""
    for part in bench.sets:
        for person in range(len(bench.names)):
            rows = [
                one
                for one in part.captions
                if bench.person(part, one) == person and (len(part.labels), one.key) in labels
            ]
            if rows:
                found = [labels[len(part.labels), one.key] for one in rows]
                say(f"{part.name}, person {person + 1}: {told([r.labels for r in rows], found)}")


def mistakes(part: LabelSet, labels: dict[tuple[int, str], list[str]]) -> None:
    """List what is most often taken for what."""
    wrong = Counter(
        (a, b)
        for one in part.captions
        if (len(part.labels), one.key) in labels
        for a, b in zip(one.labels, labels[len(part.labels), one.key], strict=True)
        if a != b
    )
    say(
        f"{wrong.total()} words wrong: "
        + ", ".join(f"{a} as {b} {n}" for (a, b), n in wrong.most_common(12))
    )


if __name__ == "__main__":
    main()
