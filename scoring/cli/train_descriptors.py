"""``train descriptors``: the labeller behind aces, from captions labelled by people."""

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.cli.misuse import Misuse

if TYPE_CHECKING:
    from scoring.train.descriptors import Agreement

_DESCRIPTION = """\
Train a descriptor labeller from captions whose words people have labelled: Prodigy's JSONL, one
or more files, or a folder of them. The labeller takes the largest inventory among the files;
captions labelled with another one help, as they train the same encoder through a head of their
own. All captions are learned from. With --folds, the recipe is judged first on captions that it
has not seen (captions of one text, of nearly one text or of one clip are never parted), and
report.json is written beside the labeller.
Use the labeller with "label --labeller", or as the parameter labeller of aces."""


def add_command(models: Any) -> None:
    """Add ``descriptors`` to the models of ``train``."""
    parser: argparse.ArgumentParser = models.add_parser(
        "descriptors",
        help="the labeller of sound descriptors",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", nargs="+", metavar="DATA", help="labelled captions, JSONL")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the labeller")
    parser.add_argument(
        "--folds", type=int, default=0, metavar="K", help="judge the recipe on K folds first"
    )
    parser.add_argument(
        "--helpers-without",
        default="",
        metavar="SOURCE",
        help="leave captions whose meta.source is this out of the files with a smaller inventory,"
        " in the final training",
    )
    parser.add_argument("--epochs", type=int, default=None, help="passes over the captions")
    parser.add_argument("--rate", type=float, default=None, help="highest learning rate")
    parser.add_argument("--seed", type=int, default=None, help="seed of folds, order and weights")
    parser.add_argument("--name", default=None, help="name that stands in signatures")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Train, and give the exit code."""
    _check(parsed)
    folder = Path(parsed.out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"Cannot write into {folder}: {error.strerror}.") from error
    from scoring.train.descriptors import read_sets

    sets = read_sets([Path(path) for path in parsed.data])
    for part in sets:
        _say(f"{part.name}: {len(part.captions):,} captions, {len(part.labels)} labels")

    import torch

    from scoring.train.descriptors import Recipe, cross_validate, save, train, without_source
    from scoring.train.descriptors.validation import told_to

    torch.set_num_threads(1)  # sums in one order, so that a training can be repeated
    given = {name: getattr(parsed, name) for name in ("epochs", "rate", "seed", "name")}
    recipe = replace(Recipe(), **{name: v for name, v in given.items() if v is not None})
    if parsed.folds:
        found = cross_validate(sets, recipe, parsed.folds, log=_say)
        _report(folder, found, {"recipe": asdict(recipe), "folds": parsed.folds})
    if parsed.helpers_without:
        sets = without_source(sets, parsed.helpers_without)
    _say(f"all {sum(len(part.captions) for part in sets):,} captions")
    save(train(sets, recipe, tell=told_to(_say)), sets[0], recipe, folder)
    return 0


def _check(parsed: argparse.Namespace) -> None:
    if parsed.folds < 0 or parsed.folds == 1:
        raise Misuse(f"{parsed.folds} folds judge nothing. Give at least 2, or leave --folds out.")
    if parsed.epochs is not None and parsed.epochs < 1:
        raise Misuse(f"{parsed.epochs} epochs train nothing. Give at least 1.")
    if parsed.rate is not None and not parsed.rate > 0:
        raise Misuse(f"A learning rate of {parsed.rate} trains nothing. Give one over 0.")


def _report(folder: Path, found: "dict[str, Agreement]", made: dict[str, Any]) -> None:
    """Print the figures, and write them with those per label."""
    for name, figures in found.items():
        sys.stdout.write(
            f"{name}: {figures.captions:,} unseen captions, token micro F1 without O"
            f" {figures.micro:.3f}, token weighted F1 with O {figures.weighted:.3f},"
            f" exact-span F1 {figures.span:.3f}\n"
        )
    report = {**made, "inventories": {name: asdict(value) for name, value in found.items()}}
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
