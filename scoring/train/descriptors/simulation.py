"""Simulation of active learning on captions that are labelled already.

Captions are learned from in rounds, as if people labelled them one after the other:
in random order, or most uncertain first by what was learned so far. Every order starts
from the same captions and is judged on the same ones, which are never learned from.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any

from scoring.models.descriptors.labeller import MEASURES
from scoring.train.descriptors.data_split import held_out_split
from scoring.train.descriptors.evaluation import token_agreement
from scoring.train.descriptors.labelled_captions import AnnotatedCaption, LabelSet
from scoring.train.descriptors.recipe import (
    LabellerRecipe,
    TrainingPlan,
    UnusablePlan,
    check_plan,
    memory_errors_explained,
)
from scoring.train.descriptors.training import label_captions, predict, train

RANDOM = "random"


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """Settings of a simulation.

    ``seeds`` times with other captions at the start; ``start`` captions first, ``step``
    more each round, at most ``most`` (0: all). ``orders``: ``random`` and measures of
    ``scoring.models.descriptors.labeller`` ("mean", "least", "errors"). ``held_out``
    is the share that is judged, parted by the recipe's seed.
    """

    recipe: LabellerRecipe
    seeds: int = 3
    start: int = 40
    step: int = 40
    most: int = 0
    held_out: float = 0.2
    orders: tuple[str, ...] = (RANDOM, "mean")


@dataclass(frozen=True, slots=True)
class SimulatedRound:
    """F1 on the held-out captions after one round of one order and seed.

    ``words`` is how many words these captions have, as a person has them to read.
    """

    order: str
    seed: int
    captions: int
    words: int
    micro: float
    weighted: float


@dataclass(frozen=True, slots=True)
class Simulation:
    """Rounds of a simulation; ``pool`` captions could be learned from, ``judged`` could not."""

    rounds: SimulationPlan
    pool: int
    judged: int
    reached: list[SimulatedRound] = field(default_factory=list)


def simulate(
    part: LabelSet,
    rounds: SimulationPlan,
    *,
    on_round: Callable[[SimulatedRound], None] = lambda _round: None,
) -> Simulation:
    """Play the rounds through on one inventory's captions.

    A training is the same for the same captions, whatever order chose them, so that
    orders differ by the captions alone. ``on_round`` is called after each round and may
    raise to stop. Raises ``UnusablePlan``, ``TooFewGroups``, ``OutOfMemory``.
    """
    _check(rounds)
    parted = held_out_split([part], rounds.held_out, rounds.recipe.seed)
    pool, judged = parted.learned[0], parted.judged[0]
    if rounds.start + rounds.step > len(pool.captions):
        raise UnusablePlan(
            f"{rounds.start} captions and {rounds.step} more are not there: {len(pool.captions)}"
            " can be learned from. Give less."
        )
    simulation = Simulation(rounds, len(pool.captions), len(judged.captions))
    with memory_errors_explained(rounds.recipe):
        for reached in _simulated_rounds(pool, judged, rounds):
            simulation.reached.append(reached)
            on_round(reached)
    return simulation


def average_curves(simulation: Simulation) -> dict[str, list[tuple[int, float, float]]]:
    """Captions, mean micro F1 and mean weighted F1 over the seeds, by order."""
    curves: dict[str, list[tuple[int, float, float]]] = {}
    for order in simulation.rounds.orders:
        rows = [reached for reached in simulation.reached if reached.order == order]
        curves[order] = [
            (
                count,
                fmean(reached.micro for reached in rows if reached.captions == count),
                fmean(reached.weighted for reached in rows if reached.captions == count),
            )
            for count in sorted({reached.captions for reached in rows})
        ]
    return curves


def captions_needed(curve: Sequence[tuple[int, float, float]], f1: float) -> float | None:
    """Captions needed for a micro F1, on straight lines between rounds; None: not reached.

    >>> captions_needed([(40, 0.5, 0.0), (80, 0.7, 0.0)], 0.6)
    60.0
    """
    before: tuple[int, float] | None = None
    for captions, micro, _ in curve:
        if micro >= f1:
            if before is None or micro == before[1]:
                return float(captions)
            share = (f1 - before[1]) / (micro - before[1])
            return before[0] + share * (captions - before[0])
        before = captions, micro
    return None


def simulation_json(simulation: Simulation) -> dict[str, Any]:
    """Simulation as JSON can hold it, with its averages."""
    return {
        "rounds": {**asdict(simulation.rounds), "orders": list(simulation.rounds.orders)},
        "pool": simulation.pool,
        "judged": simulation.judged,
        "averages": {
            order: [
                {"captions": n, "micro": micro, "weighted": weighted} for n, micro, weighted in rows
            ]
            for order, rows in average_curves(simulation).items()
        },
        "reached": [asdict(reached) for reached in simulation.reached],
    }


def _check(rounds: SimulationPlan) -> None:
    check_plan(TrainingPlan(rounds.recipe, held_out=rounds.held_out))
    known = (RANDOM, *MEASURES)
    unknown = [order for order in rounds.orders if order not in known]
    if unknown or not rounds.orders:
        raise UnusablePlan(f"There is no order {unknown}. Give some of: {', '.join(known)}.")
    if not rounds.held_out:
        raise UnusablePlan("F1 needs captions to be judged on. Hold a share out.")
    if min(rounds.seeds, rounds.start, rounds.step) < 1 or rounds.most < 0:
        raise UnusablePlan("Seeds, start and step are at least 1.")


def _simulated_rounds(
    pool: LabelSet, judged: LabelSet, rounds: SimulationPlan
) -> Iterator[SimulatedRound]:
    most = min(rounds.most or len(pool.captions), len(pool.captions))
    for seed in range(1, rounds.seeds + 1):
        rng = random.Random(seed)  # noqa: S311 - no secret
        shuffled = rng.sample(range(len(pool.captions)), len(pool.captions))
        trainer = _Trainer(pool, judged, replace(rounds.recipe, seed=seed))
        for order in rounds.orders:
            chosen = shuffled[: rounds.start]
            while True:
                round_ = trainer.after(chosen)
                yield round_.reached(order, seed)
                if len(chosen) >= most:
                    break
                left = [place for place in shuffled if place not in set(chosen)]
                if order != RANDOM:
                    left = round_.most_doubted(left, order)
                chosen = [*chosen, *left[: min(rounds.step, most - len(chosen))]]


class _Trainer:
    """Trains on chosen captions, once for each choice."""

    def __init__(self, pool: LabelSet, judged: LabelSet, recipe: LabellerRecipe) -> None:
        self.pool = pool
        self.judged = judged
        self.recipe = recipe
        self._known: dict[frozenset[int], _Round] = {}

    def after(self, chosen: Sequence[int]) -> "_Round":
        """Learn from these captions, in the order of the pool."""
        key = frozenset(chosen)
        if key not in self._known:
            self._known[key] = self._round(sorted(chosen))
        return self._known[key]

    def _round(self, chosen: Sequence[int]) -> "_Round":
        captions = tuple(self.pool.captions[place] for place in chosen)
        network = train([LabelSet(self.pool.name, self.pool.labels, captions)], self.recipe)
        left = [place for place in range(len(self.pool.captions)) if place not in set(chosen)]
        labelled = label_captions(network, self.pool, [self.pool.captions[place] for place in left])
        doubts = {
            name: {place: measure(one) for place, one in zip(left, labelled, strict=True)}
            for name, measure in MEASURES.items()
        }
        gold_labels = [caption.labels for caption in self.judged.captions]
        figures = token_agreement(gold_labels, predict(network, self.judged, self.judged.captions))
        return _Round(captions, figures.micro, figures.weighted, doubts)


@dataclass(frozen=True, slots=True)
class _Round:
    """Captions learned from, the F1 reached, and the doubt about each remaining caption."""

    captions: tuple[AnnotatedCaption, ...]
    micro: float
    weighted: float
    doubts: dict[str, dict[int, float]]

    def reached(self, order: str, seed: int) -> SimulatedRound:
        words = sum(len(caption.words) for caption in self.captions)
        return SimulatedRound(order, seed, len(self.captions), words, self.micro, self.weighted)

    def most_doubted(self, left: Sequence[int], order: str) -> list[int]:
        """Order captions, most uncertain first; as they were where equal."""
        return sorted(left, key=lambda place: -self.doubts[order][place])
