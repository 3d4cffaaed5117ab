"""Running a training plan: train, measure, and write the labeller."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from earmark.models.descriptors.backbone import find_backbone
from earmark.models.descriptors.network import DescriptorNetwork
from earmark.runtime import Device, compute_device
from earmark.train.descriptors.checkpoints import (
    CheckpointStore,
    Epoch,
    training_hash,
    write_folder,
)
from earmark.train.descriptors.data_split import (
    QUARTERS,
    DataSplit,
    data_hash,
    data_split,
    fold_numbers,
    fold_split,
    held_out_split,
    learning_curve_sets,
)
from earmark.train.descriptors.evaluation import evaluate_inventory
from earmark.train.descriptors.labelled_captions import LabelSet, without_source
from earmark.train.descriptors.recipe import (
    PlanProgress,
    ProgressListener,
    TrainingPlan,
    UnusablePlan,
    check_plan,
    memory_errors_explained,
)
from earmark.train.descriptors.training import (
    FitSettings,
    Trained,
    fit,
    predict,
    save_trained,
)


@dataclass(frozen=True, slots=True)
class TrainingEnvironment:
    """Settings of the machine that a plan runs on.

    ``threads``: of torch, on CPU; with one, sums have
    one order, so that a training can be repeated on any number of cores. ``every``: after so
    many seconds within an epoch a checkpoint is taken.
    """

    device: Device = "auto"
    threads: int = 1
    clock: Callable[[], float] = time.perf_counter
    every: float = 60.0


def run_training(
    sets: Sequence[LabelSet],
    plan: TrainingPlan,
    out: Path,
    *,
    work: Path | None = None,
    on_progress: ProgressListener = lambda _progress: None,
    environment: TrainingEnvironment | None = None,
) -> dict[str, Any]:
    """Train by a plan, measure, and write the labeller with its report into a folder.

    ``out`` gets config.json, model.safetensors and report.json at once, or nothing; the report is
    returned, too. Its ``captions`` are those ``learned`` from and ``held_out`` behind
    ``inventories``, over all sets, and those that the ``written`` labeller learned from.
    ``inventories`` is empty where nothing was held out. In ``folds`` an inventory's figures are
    pooled, and ``each`` has the micro F1 of each fold; captions of ``curve`` are those of the first
    inventory. ``seconds`` is what the epochs took, with those before a resume.
    The first set is what the labeller knows, the others help. ``on_progress`` is called
    after each batch and may raise to stop. ``work`` is a folder for checkpoints: called
    again with the same captions and plan after a stop or a kill, the training goes on
    after the last epoch that was done, or in a long one after the last minute, and gives
    the weights of an uninterrupted one, bit for bit on CPU; checkpoints of other captions
    or of another plan are not used. The caller removes ``work`` when the labeller is
    where it belongs.

    Raises ``UnusablePlan``, ``TooFewGroups``, ``BackboneMissing``, ``OutOfMemory`` and
    ``TrainingDiverged``; whatever ``on_progress`` raises goes through.
    """
    environment = environment or TrainingEnvironment()
    check_plan(plan)
    _check_sets(sets)
    with memory_errors_explained(plan.recipe), _threads(environment.threads):
        if work is not None:
            work.mkdir(parents=True, exist_ok=True)
        network, report = _TrainingRun(sets, plan, work, environment, on_progress).run()
        write_folder(
            out,
            lambda folder: save_trained(network, sets[0], plan.recipe, folder),
            {"report.json": json.dumps(report, indent=2) + "\n"},
        )
    return report


# Labels that were given to captions, by set.
_Labels = list[list[list[str]]]


class _TrainingRun:
    """Running plan: its parts in order, and how much of the work is done."""

    def __init__(
        self,
        sets: Sequence[LabelSet],
        plan: TrainingPlan,
        work: Path | None,
        environment: TrainingEnvironment,
        on_progress: ProgressListener,
    ) -> None:
        self.sets = list(sets)
        self.plan = plan
        self.work = work
        self.environment = environment
        self.on_progress = on_progress
        self.device = compute_device(environment.device)
        self.encoder = find_backbone(plan.recipe.backbone, fetch=True).identity
        self.seconds = 0.0
        self.done = 0
        seed = plan.recipe.seed
        self.main = held_out_split(self.sets, plan.held_out, seed)
        if plan.held_out and not plan.learn_all:
            self.main = data_split(self._written(self.main.learned), self.main.judged)
        self.curve = learning_curve_sets(self.main.learned, seed) if plan.curve else []
        places = fold_numbers(self.sets, plan.folds, seed) if plan.folds else {}
        self.folds = [fold_split(self.sets, places, fold) for fold in range(plan.folds)]
        self.all = self._written(self.sets)
        self.total = plan.recipe.epochs * sum(_captions(part) for part in self._trainings())

    def run(self) -> tuple[DescriptorNetwork, dict[str, Any]]:
        """Train and measure by the plan; the network that is to be written, and the report."""
        plan = self.plan
        measured = plan.held_out > 0
        learned = self.main.learned if measured else self.all
        network, history = self._train("training", "Training", DataSplit(learned, self.main.judged))
        labels = _labels(network, self.main.judged)
        curve = self._curve(labels) if plan.curve else None
        folds = self._cross_validate() if plan.folds else None
        if measured and plan.learn_all:
            everything = DataSplit(self.all, [])
            network, _ = self._train("all", "Training on all captions", everything)
            learned = self.all
        return network, {
            "data_hash": data_hash(self.sets),
            "captions": {
                "learned": _captions(self.main.learned if measured else learned),
                "held_out": _captions(self.main.judged),
                "written": _captions(learned),
            },
            "recipe": asdict(plan.recipe),
            "encoder": self.encoder,
            "training": [asdict(epoch) for epoch in history],
            "inventories": {
                part.name: evaluate_inventory(part, part.captions, given)
                for part, given in zip(self.main.judged, labels, strict=True)
                if part.captions
            },
            "folds": folds,
            "curve": curve,
            "seconds": round(self.seconds, 1),
        }

    def _trainings(self) -> list[list[LabelSet]]:
        """List what every training learns from."""
        one = self.main.learned if self.plan.held_out else self.all
        more = [self.all] if self.plan.held_out and self.plan.learn_all else []
        return [one, *self.curve, *(fold.learned for fold in self.folds), *more]

    def _written(self, sets: list[LabelSet]) -> list[LabelSet]:
        """Leave out what the written labeller is not to learn from."""
        source = self.plan.helpers_without
        return without_source(sets, source) if source else list(sets)

    def _cross_validate(self) -> dict[str, Any]:
        results = [
            self._part(f"fold-{number}", f"Fold {number} of {len(self.folds)}", fold)
            for number, fold in enumerate(self.folds, 1)
        ]
        report = {}
        for row, part in enumerate(self.sets):
            folds = [
                (fold.judged[row].captions, labels[row])
                for fold, labels in zip(self.folds, results, strict=True)
            ]
            captions = [one for judged, _ in folds for one in judged]
            labels = [one for _, given in folds for one in given]
            each = [evaluate_inventory(part, *fold)["micro"] for fold in folds if fold[0]]
            report[part.name] = {**evaluate_inventory(part, captions, labels), "each": each}
        return report

    def _curve(self, labels: _Labels) -> list[dict[str, Any]]:
        """Learn from ever more captions, judged on the same; the last point is the training's."""
        points = []
        for share, learned in zip(QUARTERS, self.curve, strict=True):
            stage = f"Learning curve, {share} %"
            part = self._part(f"curve-{share}", stage, DataSplit(learned, self.main.judged[:1]))
            points.append(self._point(learned, part))
        return [*points, self._point(self.main.learned, labels)]

    def _point(self, learned: list[LabelSet], labels: _Labels) -> dict[str, Any]:
        first = self.main.judged[0]
        figures = evaluate_inventory(first, first.captions, labels[0])
        return {"captions": len(learned[0].captions)} | {
            name: figures[name] for name in ("micro", "weighted")
        }

    def _part(self, name: str, stage: str, captions: DataSplit) -> _Labels:
        """Train and judge a part of which only the labels are kept, unless that is done."""
        checkpoints = self._checkpoints(name, captions)
        stored = checkpoints.result()
        if stored is not None:
            self._report_again(stage, captions, [Epoch(**epoch) for epoch in stored["epochs"]])
            kept: _Labels = stored["labels"]
            return kept
        network, epochs = self._train(name, stage, captions)
        labels = _labels(network, captions.judged)
        checkpoints.finish({"labels": labels, "epochs": [asdict(one) for one in epochs]})
        return labels

    def _train(self, name: str, stage: str, captions: DataSplit) -> Trained:
        judged = captions.judged[0].captions if captions.judged else ()
        setting = FitSettings(
            judged,
            self._checkpoints(name, captions),
            self.device,
            self.environment.clock,
            self.environment.every,
        )
        start = self.done

        def on_step(step: PlanProgress) -> None:
            share = step.done / step.total
            self.done = start + round(share * _captions(captions.learned) * self._epochs)
            self.on_progress(replace(step, stage=stage, done=self.done, total=self.total))

        network, epochs = fit(captions.learned, self.plan.recipe, on_step=on_step, setting=setting)
        self.seconds += sum(epoch.seconds for epoch in epochs)
        return network, epochs

    def _report_again(self, stage: str, captions: DataSplit, epochs: Sequence[Epoch]) -> None:
        """Report the epochs of a part that was done before."""
        for epoch in epochs:
            self.done += _captions(captions.learned)
            self.seconds += epoch.seconds
            counted = (self._epochs, epoch.loss, epoch.f1, self.done, self.total)
            progress = PlanProgress(stage, epoch.epoch, *counted, ended=True, kept=True)
            self.on_progress(progress)

    def _checkpoints(self, name: str, captions: DataSplit) -> CheckpointStore:
        made_from = training_hash(
            asdict(self.plan.recipe),
            self.encoder,
            self.device,
            self.environment.threads,
            data_hash(captions.learned),
            data_hash(captions.judged),
        )
        return CheckpointStore(self.work, name, made_from)

    @property
    def _epochs(self) -> int:
        return self.plan.recipe.epochs


def _labels(network: DescriptorNetwork, judged: Sequence[LabelSet]) -> _Labels:
    """Label what is judged, by each set's head."""
    return [predict(network, part, part.captions) if part.captions else [] for part in judged]


def _captions(sets: Sequence[LabelSet]) -> int:
    return sum(len(part.captions) for part in sets)


def _check_sets(sets: Sequence[LabelSet]) -> None:
    if not sets or not sets[0].captions:
        raise UnusablePlan("There is no labelled caption to learn from. Label some first.")
    names = [part.name for part in sets]
    if len(set(names)) < len(names):
        raise UnusablePlan("Two sets of captions have one name. Give each inventory once.")


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Have torch use so many threads while the block runs."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
