"""``train``: make the models that the metrics use."""

import argparse
import sys
from pathlib import Path
from typing import Any

from scoring.captions.caption_lists import read_captions
from scoring.cli import train_descriptors
from scoring.cli.files import Misuse

_DESCRIPTION = "Train a model that a metric uses, on captions of your own."
_FLUENCY = """\
Train a fluency detector from clean captions: errors are made in them by rule, and the detector
learns to tell the altered captions from the clean ones. The same captions and options give the
same detector (one thread, CPU). Use it with "fluency --detector", or as the parameter detector
of fer and fense."""


def add_command(commands: Any) -> None:
    """Add ``train`` with its models to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "train", help="train a model that a metric uses", description=_DESCRIPTION
    )
    models = parser.add_subparsers(title="models", metavar="MODEL", required=True)
    _add_fluency(models)
    train_descriptors.add_command(models)


def _add_fluency(models: Any) -> None:
    parser: argparse.ArgumentParser = models.add_parser(
        "fluency",
        help="the detector of captions that are not fluent",
        description=_FLUENCY,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "captions", nargs="+", metavar="CAPTIONS", help="clean captions: CSV or a caption a line"
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the detector")
    parser.add_argument(
        "--exclude",
        nargs="+",
        default=[],
        metavar="FILE",
        help="texts to keep out of the training: CSV (every cell), JSON (every string) or lines",
    )
    parser.add_argument("--epochs", type=int, default=None, help="passes over the captions")
    parser.add_argument("--seed", type=int, default=None, help="seed of errors and weights")
    parser.add_argument("--name", default=None, help="name that stands in signatures")
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where to train (default: cpu)"
    )
    parser.set_defaults(run=run_fluency)


def run_fluency(parsed: argparse.Namespace) -> int:
    """Train, and return the exit code."""
    from scoring.train.fluency.examples import read_sentences

    given = {name: getattr(parsed, name) for name in ("epochs", "seed", "name")}
    if parsed.epochs is not None and parsed.epochs < 1:
        raise Misuse(f"{parsed.epochs} epochs train nothing. Give at least 1.")
    captions = [text for path in parsed.captions for text in read_captions(Path(path))]
    excluded = {text for path in parsed.exclude for text in read_sentences(Path(path))}
    _check_folder(Path(parsed.out))

    import torch

    from scoring.train.fluency.training import DetectorRecipe, train

    torch.set_num_threads(1)  # sums in one order, so that a training can be repeated
    train(
        captions,
        Path(parsed.out),
        excluded=excluded,
        recipe=DetectorRecipe(
            **{name: value for name, value in given.items() if value is not None}
        ),
        device=parsed.device,
        log=_say,
    )
    return 0


def _check_folder(folder: Path) -> None:
    """Raise ``Misuse`` now where the detector could not be written after the work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Misuse(f"Cannot write into {folder}: {error.strerror}.") from error


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
