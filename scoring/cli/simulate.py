"""``simulate``: what an order of labelling would have saved; what intervals and tests promise."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.cli import simulate_intervals
from scoring.cli.files import Misuse, command_parser, print_line
from scoring.cli.train import add_recipe, recipe_from

if TYPE_CHECKING:
    from scoring.train.descriptors import Simulation
    from scoring.train.descriptors.simulation import SimulatedRound

_DESCRIPTION = """\
Simulate labelling with captions that people have already labelled (Prodigy's JSONL). Every
order starts from the same random captions; each round trains, then takes the next captions at
random or the most uncertain ones first, and is measured on captions that are never used for
training. Only the largest inventory among the files is used. Prints F1 by number of captions
and how many captions each order needs for the same F1."""


def add_command(commands: Any) -> None:
    """Add ``simulate`` with what can be simulated to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "simulate", help="simulate labelling orders, or how far intervals and tests hold"
    )
    subjects = parser.add_subparsers(title="subjects", metavar="SUBJECT", required=True)
    _add_descriptors(subjects)
    simulate_intervals.add_subject(subjects)


def _add_descriptors(subjects: Any) -> None:
    parser = command_parser(
        subjects, "descriptors", "the labeller of sound descriptors", _DESCRIPTION
    )
    parser.add_argument("data", nargs="+", metavar="DATA", help="labelled captions, JSONL")
    parser.add_argument("--seeds", type=int, default=3, help="number of runs with different starts")
    parser.add_argument("--start", type=int, default=40, help="captions labelled at the start")
    parser.add_argument("--step", type=int, default=40, help="captions labelled each round")
    parser.add_argument(
        "--most", type=int, default=0, help="stop at this number of captions (default: all)"
    )
    parser.add_argument(
        "--held-out", type=float, default=0.2, help="share of captions used for measurement"
    )
    parser.add_argument(
        "--orders",
        default="random,mean",
        help="random, and measures of doubt: mean (1 less the mean probability of the words),"
        " least (1 less that of the least certain word), errors (the sum over the words)",
    )
    parser.add_argument("--json", default="", metavar="FILE", help="also write all results as JSON")
    add_recipe(parser)
    parser.set_defaults(run=run, epochs=12, batch=8)


def run(parsed: argparse.Namespace) -> int:
    """Play through, print, and return the exit code."""
    import torch

    from scoring.train.descriptors import SimulationPlan, read_sets, simulate, simulation_json

    rounds = SimulationPlan(
        recipe_from(parsed),
        seeds=parsed.seeds,
        start=parsed.start,
        step=parsed.step,
        most=parsed.most,
        held_out=parsed.held_out,
        orders=tuple(order.strip() for order in parsed.orders.split(",")),
    )
    part = read_sets([Path(path) for path in parsed.data])[0]
    print_line(f"{part.name}: {len(part.captions):,} captions, {len(part.labels)} labels")
    torch.set_num_threads(1)  # sums in one order, so that it can be repeated
    simulation = simulate(part, rounds, on_round=_print_round)
    _print(simulation)
    if parsed.json:
        try:
            text = json.dumps(simulation_json(simulation), indent=1) + "\n"
            Path(parsed.json).write_text(text, encoding="utf-8")
        except OSError as error:
            raise Misuse(f"Cannot write {parsed.json}: {error.strerror}.") from error
    return 0


def _print_round(ended: "SimulatedRound") -> None:
    print_line(
        f"seed {ended.seed}, {ended.order}: {ended.captions} captions ({ended.words:,} words),"
        f" token micro F1 without O {ended.micro:.3f}"
    )


def _print(simulation: "Simulation") -> None:
    """Print F1 by number of captions, and what each order needs for the same F1."""
    from scoring.train.descriptors.simulation import average_curves, captions_needed

    curves = average_curves(simulation)
    orders = list(curves)
    sys.stdout.write(f"token micro F1 without O of {simulation.judged} captions held out, mean of")
    sys.stdout.write(f" {simulation.rounds.seeds} starts\n")
    sys.stdout.write("captions  " + "  ".join(f"{order:>8}" for order in orders) + "\n")
    for row in zip(*curves.values(), strict=True):
        values = "  ".join(f"{micro:8.3f}" for _, micro, _ in row)
        sys.stdout.write(f"{row[0][0]:8}  {values}\n")
    first = orders[0]
    sys.stdout.write(f"captions for the F1 that {first} has\n")
    for captions, micro, _ in curves[first]:
        counts = [captions_needed(curves[order], micro) for order in orders]
        values = "  ".join("   never" if one is None else f"{one:8.0f}" for one in counts)
        sys.stdout.write(f"{captions:8}  {values}\n")
