"""Other ways to train the descriptor labeller, judged on the folds that the product judges.

    python -m tests.bench.bench_recipes [WAY ...] [--folds 1,2] [--seeds 1] [--epochs N]

Ways are listed by --help: ``default`` is the product's own training, ``words`` the same with
one vector a word, the others ``words`` with one thing more (``Way``). ``distil`` needs ``words``
with seeds 2, 3 and 4. Folds are those of ``--folds 5 --seed 1`` of the trainer. A fold that is
done is kept (``--runs``) and not done again. The table has every way for which all folds asked
for are there, and means of probabilities: of a way's seeds where it has several, and of all ways.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from scoring.models.descriptors.backbone import find_backbone
from scoring.models.descriptors.network import DescriptorNetwork, head_name
from scoring.models.descriptors.network_building import network_on_backbone
from scoring.models.descriptors.subwords import Subwords
from scoring.train.descriptors import AnnotatedCaption, LabelSet, read_sets, token_agreement
from scoring.train.descriptors.data_split import DataSplit, fold_numbers, fold_split
from scoring.train.descriptors.recipe import LabellerRecipe, default_recipe
from scoring.train.descriptors.training import fit, shape_of
from tests.bench.data import add_data_argument, stop_without
from tests.bench.output import say
from tests.bench.recipes.captions import example, given, unlabelled, who_labelled
from tests.bench.recipes.words import (
    Example,
    Table,
    Way,
    Words,
    fit_words,
    probabilities,
    tables,
)
from tests.real_data import ROOT

SEED, FOLDS = 1, 5
RUNS = ROOT / "var" / "recipes"
TEACHERS = (2, 3, 4)
Tables = list[list[list[list[float]]]]  # by set, caption, word, label


@dataclass(frozen=True)
class Trial:
    """A way, the recipe it changes, and how many captions without labels it takes."""

    way: Way | None
    more: dict[str, Any]
    without_labels: int = 0


TRIALS: dict[str, Trial] = {
    "default": Trial(None, {}),
    "words": Trial(Way(), {}),
    "layers": Trial(Way(layers=4), {}),
    "parse": Trial(Way(parse=True), {}),
    "crf": Trial(Way(crf=True), {}),
    "people": Trial(Way(people=True), {}),
    "channel": Trial(Way(channel=True), {}),
    "crf-channel": Trial(Way(crf=True, channel=True), {}),
    "distil": Trial(Way(), {}, 4000),
}


class Bench:
    """Folds of the labelled captions, and where runs are kept."""

    def __init__(self, data: Path, runs: Path, backbone: str = "", epochs: int = 0) -> None:
        self.data, self.runs, self.backbone, self.epochs = data, runs, backbone, epochs
        self.sets = read_sets([data / "descriptors"])
        self.places = fold_numbers(self.sets, FOLDS, SEED)
        self.who = who_labelled(data)
        self.names = sorted(set(self.who.values()))
        runs.mkdir(parents=True, exist_ok=True)

    def fold(self, number: int) -> DataSplit:
        """A fold, counted from 1."""
        return fold_split(self.sets, self.places, number - 1)

    def file(self, name: str, fold: int, seed: int) -> Path:
        """Name a run's file."""
        return self.runs / f"{name}{self.tag}-f{fold}-s{seed}.json"

    @property
    def tag(self) -> str:
        """Tell the backbone and the number of epochs, where they are not the usual ones."""
        on = f" on {Path(self.backbone).name}" if self.backbone else ""
        return f" {self.epochs} epochs{on}" if self.epochs else on

    def run(self, name: str, fold: int, seed: int) -> None:
        """Train and judge a way on a fold, unless that is done."""
        file = self.file(name, fold, seed)
        if file.exists():
            return
        trial = TRIALS[name]
        recipe = replace(default_recipe(**trial.more), seed=seed, backbone=self.backbone)
        if self.epochs:
            recipe = replace(recipe, epochs=self.epochs)
        part = self.fold(fold)
        began, cpu = time.perf_counter(), time.process_time()
        if trial.way is None:
            told = self._plain(part, recipe)
        else:
            told = self._words(part, recipe, trial, trial.way, file, fold)
        seconds = time.process_time() - cpu
        file.write_text(json.dumps({"seconds": seconds, **told}))
        scores = [
            f"{name}{self.tag}, fold {fold}, seed {seed}",
            f"{seconds:.0f} s cpu",
            f"{time.perf_counter() - began:.0f} s",
        ]
        say(
            "  ".join(
                [
                    *scores,
                    *(figures(p, t) for p, t in zip(part.judged, told["tables"], strict=True)),
                ]
            )
        )

    def _plain(self, part: DataSplit, recipe: LabellerRecipe) -> dict[str, Any]:
        """Train by the product."""
        network = fit(part.learned, recipe).network
        found = [
            [_plain(network, one, judged) for one in judged.captions] for judged in part.judged
        ]
        return {"tables": found}

    def _words(
        self, part: DataSplit, recipe: LabellerRecipe, trial: Trial, way: Way, file: Path, fold: int
    ) -> dict[str, Any]:
        """Train a network over words."""
        cut = _subwords(recipe)
        rows = [
            example(one, cut, given(each, one), person=self.person(each, one), parse=way.parse)
            for each in part.learned
            for one in each.captions
        ]
        if trial.without_labels:
            rows += self._taught(part, trial, cut, fold)
        heads = {head_name(each.name): len(each.labels) for each in part.learned}
        channel = _channel(part.learned) if way.channel else None
        network = fit_words(rows, heads, recipe, way, people=len(self.names), channel=channel)
        weights = {n: v for n, v in network.named_parameters() if v.requires_grad}
        torch.save(weights, file.with_suffix(".pt"))
        found: Tables = []
        known: Tables = []
        for each in part.judged:
            share = self._shares(part.learned, each)
            head = head_name(each.name)
            examples = [example(one, cut, {}, parse=way.parse) for one in each.captions]
            found.append([_rounded(tables(network, head, one, share)) for one in examples])
            if way.people:
                exact = np.eye(len(self.names))
                sure = [exact[self.person(each, one)].tolist() for one in each.captions]
                pairs = zip(examples, sure, strict=True)
                known.append([_rounded(tables(network, head, one, s)) for one, s in pairs])
        return {"tables": found} | ({"known": known} if known else {})

    def _taught(self, part: DataSplit, trial: Trial, cut: Subwords, fold: int) -> list[Example]:
        """Label captions by the mean of teachers that learned from this fold's captions."""
        captions = unlabelled(self.data, self.sets, trial.without_labels)
        rows = [example(one, cut, {}) for one in sorted(captions, key=lambda one: len(one.words))]
        teachers = [self._teacher(part, fold, seed) for seed in TEACHERS]
        found = []
        for start in range(0, len(rows), 64):
            block = rows[start : start + 64]
            said = [probabilities(teacher, block) for teacher in teachers]
            for row, one in enumerate(block):
                mean = {head: np.mean([each[head][row] for each in said], 0) for head in said[0]}
                found.append(replace(one, targets=mean))
        return found

    def _teacher(self, part: DataSplit, fold: int, seed: int) -> Words:
        """Read the network of a run of ``words`` with as many epochs; it must be there."""
        heads = {head_name(each.name): len(each.labels) for each in part.learned}
        network = Words(default_recipe(), heads, Way(), len(self.names))
        path = self.file("words", fold, seed).with_suffix(".pt")
        network.load_state_dict(torch.load(path, weights_only=True), strict=False)
        return network.eval()

    def person(self, part: LabelSet, one: AnnotatedCaption) -> int:
        """Number the person who labelled a caption."""
        count = 13 if part.name == "aces-13" else 10
        return self.names.index(self.who[count, one.key, one.labels])

    def same(self, pair: tuple[AnnotatedCaption, AnnotatedCaption]) -> bool:
        """Tell whether one person labelled a caption with both inventories."""
        return self.person(self.sets[0], pair[0]) == self.person(self.sets[1], pair[1])

    def _shares(self, learned: Sequence[LabelSet], part: LabelSet) -> list[float]:
        """Each person's share of the captions of a set that are learned from."""
        rows = next(each.captions for each in learned if each.name == part.name)
        counts = np.bincount([self.person(part, one) for one in rows], minlength=len(self.names))
        return (counts / counts.sum()).tolist()


def _subwords(recipe: LabellerRecipe) -> Subwords:
    return network_on_backbone(find_backbone(recipe.backbone), shape_of({}, recipe)).subwords


def _rounded(table: Table) -> list[list[float]]:
    return np.round(table.astype(float), 5).tolist()


def _plain(
    network: DescriptorNetwork, caption: AnnotatedCaption, part: LabelSet
) -> list[list[float]]:
    """The probabilities of each word's most certain sub-word, as the product labels."""
    (piece,) = network.subwords.pieces(caption.words)
    with torch.inference_mode():
        logits = network(torch.tensor([piece.ids]))[head_name(part.name)][0]
    table = logits.double().softmax(-1).numpy()
    best: list[Any] = [None] * len(caption.words)
    for owner, row in zip(piece.owners, table, strict=True):
        if owner >= 0 and (best[owner] is None or row.max() > best[owner].max()):
            best[owner] = row
    return _rounded(np.array(best))


def _channel(learned: Sequence[LabelSet]) -> tuple[str, str, Table]:
    """Count how words of captions labelled with both inventories were labelled, a tenth added."""
    large, small = learned
    others = {one.key: one for one in small.captions}
    counts = np.full((len(large.labels), len(small.labels)), 0.1, np.float32)
    for one in large.captions:
        for ours, theirs in zip(one.labels, others[one.key].labels, strict=True):
            counts[large.labels.index(ours), small.labels.index(theirs)] += 1
    table = counts / counts.sum(1, keepdims=True)
    return head_name(large.name), head_name(small.name), table


def figures(part: LabelSet, found: list[list[list[float]]]) -> str:
    """Say weighted F1 with O, micro F1 without O, F1 of exact spans."""
    labels = [[part.labels[int(np.argmax(word))] for word in caption] for caption in found]
    told = token_agreement([one.labels for one in part.captions], labels)
    return f"{told.weighted:.3f} {told.micro:.3f} {told.span:.3f}"


def table(bench: Bench, folds: Sequence[int]) -> None:
    """Print a line per way and seed, and one for each mean."""
    runs: dict[tuple[str, int], list[dict[str, Any]]] = {}
    names = sorted({file.name.rsplit("-f", 1)[0] for file in bench.runs.glob("*-f*-s*.json")})
    for name in names:
        for seed in range(1, 10):
            files = [bench.runs / f"{name}-f{fold}-s{seed}.json" for fold in folds]
            if all(file.exists() for file in files):
                runs[name, seed] = [json.loads(file.read_text()) for file in files]
    if not runs:
        say(f"Nothing is trained yet. Name ways: {', '.join(TRIALS)}.")
        return
    parts = [bench.fold(fold) for fold in folds]
    for (name, seed), told in runs.items():
        seconds = sum(one["seconds"] for one in told)
        _line(f"{name}, seed {seed}", parts, [one["tables"] for one in told], seconds)
        if "known" in told[0]:
            _line(f"{name}, seed {seed}, who labels known", parts, [one["known"] for one in told])
    for name in names:
        several = [told for (other, _), told in runs.items() if other == name]
        if len(several) > 1:
            _line(f"{name}, mean of {len(several)} seeds", parts, _mean(several))
    first = [told for (_, seed), told in runs.items() if seed == SEED]
    if len(first) > 1:
        _line(f"mean of all {len(first)} ways, seed {SEED}", parts, _mean(first))


def _mean(several: Sequence[Sequence[dict[str, Any]]]) -> list[Tables]:
    """The mean of the probabilities of runs, by fold."""
    found = []
    for same in zip(*several, strict=True):
        sets = zip(*(one["tables"] for one in same), strict=True)
        found.append(
            [
                [np.mean([np.array(t) for t in c], 0).tolist() for c in zip(*s, strict=True)]
                for s in sets
            ]
        )
    return found


def _line(
    title: str, parts: Sequence[DataSplit], told: Sequence[Tables], seconds: float = 0
) -> None:
    cells = []
    for row in range(len(parts[0].judged)):
        captions = tuple(one for part in parts for one in part.judged[row].captions)
        first = parts[0].judged[row]
        joined = LabelSet(first.name, first.labels, captions)
        cells.append(figures(joined, [caption for one in told for caption in one[row]]))
    say(f"{title:45} {'  |  '.join(cells)}  {f'{seconds:.0f} s' if seconds else ''}")


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "ways", nargs="*", choices=[*TRIALS, []], metavar="WAY", help=", ".join(TRIALS)
    )
    parser.add_argument("--runs", type=Path, default=RUNS, help="where runs are kept")
    parser.add_argument("--folds", default="1,2")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--backbone", default="")
    parser.add_argument("--epochs", type=int, default=0, help="instead of the way's own")
    add_data_argument(parser)
    options = parser.parse_args()
    stop_without(options.data / "descriptors")
    torch.set_num_threads(1)
    bench = Bench(options.data, options.runs, options.backbone, options.epochs)
    folds = [int(fold) for fold in options.folds.split(",")]
    for seed in map(int, options.seeds.split(",")):
        for way in options.ways:
            for fold in folds:
                bench.run(way, fold, seed)
    table(bench, folds)


if __name__ == "__main__":
    main()
