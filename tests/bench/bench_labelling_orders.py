"""Print what an order of labelling would have saved, on captions that are labelled already.

    python -m tests.bench.bench_labelling_orders ../shared/data/descriptors [--seeds 2] [--most 200]

Captions are learned from in rounds, as if people labelled them one after the other:
in random order, or most uncertain first by what was learned so far. Every order starts
from the same captions and is judged on the same ones, which are never learned from. Only the
largest inventory of the files is used.
"""

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from earmark.models.descriptors import LabelledCaption, uncertainty
from earmark.train.descriptors.data_split import held_out_split
from earmark.train.descriptors.evaluation import token_agreement
from earmark.train.descriptors.labelled_captions import AnnotatedCaption, LabelSet, read_sets
from earmark.train.descriptors.recipe import (
    LabellerRecipe,
    default_recipe,
)
from earmark.train.descriptors.training import label_captions, predict, train
from tests.bench.output import say

RANDOM = "random"
# Doubt about a caption: that of the site, that of its least certain word, and how many labels are
# expected to be wrong, by which long captions come first.
MEASURES: dict[str, Callable[[LabelledCaption], float]] = {
    "mean": uncertainty,
    "least": lambda labelled: 1.0 - min(labelled.confidences, default=1.0),
    "errors": lambda labelled: sum(1.0 - sure for sure in labelled.confidences),
}


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """Settings of a simulation.

    ``seeds`` times with other captions at the start; ``start`` captions first, ``step``
    more each round, at most ``most`` (0: all). ``orders``: ``random`` and ``MEASURES``.
    ``held_out`` is the share that is judged, parted by the recipe's seed.
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
    orders differ by the captions alone. ``on_round`` is called after each round. Raises
    ``TooFewGroups``.
    """
    parted = held_out_split([part], rounds.held_out, rounds.recipe.seed)
    pool, judged = parted.learned[0], parted.judged[0]
    simulation = Simulation(rounds, len(pool.captions), len(judged.captions))
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


def _simulated_rounds(
    pool: LabelSet, judged: LabelSet, rounds: SimulationPlan
) -> Iterator[SimulatedRound]:
    most = min(rounds.most or len(pool.captions), len(pool.captions))
    for seed in range(1, rounds.seeds + 1):
        rng = random.Random(seed)
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


def main() -> None:
    """Play the orders through and print them beside each other."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="+", type=Path, help="labelled captions, JSONL")
    parser.add_argument("--seeds", type=int, default=2, help="runs with different starts")
    parser.add_argument("--most", type=int, default=200, help="captions to stop at; 0: all")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--orders", default="random,mean,errors")
    asked = parser.parse_args()
    torch.set_num_threads(1)  # sums in one order, so that it can be repeated
    recipe = default_recipe("lora", "", epochs=asked.epochs, batch=8)
    orders = tuple(asked.orders.split(","))
    plan = SimulationPlan(recipe, seeds=asked.seeds, most=asked.most, orders=orders)
    part = read_sets(asked.data)[0]
    say(f"{part.name}: {len(part.captions):,} captions, {len(part.labels)} labels")
    curves = average_curves(simulate(part, plan, on_round=_say_round))
    say("Token micro F1 without O on held-out captions, mean of the starts")
    say("captions  " + "  ".join(f"{order:>8}" for order in orders))
    for row in zip(*curves.values(), strict=True):
        say(f"{row[0][0]:8}  " + "  ".join(f"{micro:8.3f}" for _, micro, _ in row))
    say(f"Captions for the F1 that {orders[0]} has")
    for captions, micro, _ in curves[orders[0]]:
        counts = [captions_needed(curves[order], micro) for order in orders]
        values = "  ".join("   never" if one is None else f"{one:8.0f}" for one in counts)
        say(f"{captions:8}  {values}")


def _say_round(ended: SimulatedRound) -> None:
    say(
        f"seed {ended.seed}, {ended.order}: {ended.captions} captions ({ended.words:,} words),"
        f" token micro F1 without O {ended.micro:.3f}"
    )


if __name__ == "__main__":
    main()
