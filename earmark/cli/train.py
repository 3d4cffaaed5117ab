"""``train``: make the models that the metrics use."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earmark.captions.caption_lists import read_captions
from earmark.cli import train_earmark
from earmark.cli.files import Misuse, command_parser, given_options, make_folder, print_line

if TYPE_CHECKING:
    from earmark.train.descriptors import PlanProgress, TrainingPlan

_DESCRIPTION = "Train a model that a metric uses, on captions of your own."
_FLUENCY = """\
Train a fluency detector from clean captions: errors are added to them by rules, and the
detector learns to tell the altered captions from the clean ones. The same captions and options
give the same detector (one thread, CPU). Use it with "fluency --detector", or as the parameter
detector of fer and fense."""
_PARSER = """\
Tune the parser behind the scene graphs on captions: those in the progressive, which it reads
rightly ("a tap is dripping"), are put in the present tense ("a tap drips") with their parse;
sentences are composed of their clauses; and captions as they are, with the parse that they had,
keep it from forgetting. Written are the change of the weights and report.json: what it gains on
captions held out, and what it changes where it was right before. The same captions and options
give the same weights (CPU). The metrics read earmark/resources/parser."""
_DESCRIPTORS = """\
Train a descriptor labeller from captions whose words people have labelled: Prodigy's JSONL, one
or more files, or a folder of them. The labeller takes the largest inventory among the files;
captions labelled with another one help, as they train the same encoder through a head of their
own. All captions are used for training. Captions with the same or nearly the same text, or of
the same clip, are never divided between training and measurement. The measurements are in
report.json beside the labeller: figures and confusion per label, captions labelled wrong. Use
the labeller with "label --labeller", or as the parameter labeller of aces."""

_RECIPE_OPTIONS = ("epochs", "rate", "seed", "name", "batch", "rank", "head_rate", "hidden")


def add_command(commands: Any) -> None:
    """Add ``train`` with its models to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "train", help="train a model that a metric uses", description=_DESCRIPTION
    )
    models = parser.add_subparsers(title="models", metavar="MODEL", required=True)
    _add_fluency(models)
    _add_descriptors(models)
    _add_parser(models)
    train_earmark.add_model(models)


def _add_fluency(models: Any) -> None:
    parser = command_parser(
        models, "fluency", "the detector of captions that are not fluent", _FLUENCY
    )
    _add_captions(parser, "folder for the detector")
    parser.add_argument(
        "--calibrate",
        nargs="+",
        default=[],
        metavar="CAPTIONS",
        help="clean captions that are not learned from: hardly one of them may be flagged",
    )
    parser.add_argument("--epochs", type=int, default=None, help="passes over the captions")
    parser.add_argument("--seed", type=int, default=None, help="seed of errors and weights")
    parser.add_argument("--name", default=None, help="name that appears in signatures")
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where to train (default: cpu)"
    )
    parser.set_defaults(run=run_fluency)


def _add_captions(parser: argparse.ArgumentParser, out: str) -> None:
    parser.add_argument(
        "captions",
        nargs="+",
        metavar="CAPTIONS",
        help="captions: CSV, or one caption per line",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help=out)
    parser.add_argument(
        "--exclude",
        nargs="+",
        default=[],
        metavar="FILE",
        help="texts to keep out of the training: CSV (every cell), JSON (every string) or lines",
    )


def run_fluency(parsed: argparse.Namespace) -> int:
    """Train a detector, and return the exit code."""
    captions, excluded = _captions_and_excluded(parsed)
    calibration = [text for path in parsed.calibrate for text in read_captions(Path(path))]

    import torch

    from earmark.train.fluency.training import DetectorRecipe, train

    torch.set_num_threads(1)  # sums in one order, so that a training can be repeated
    train(
        captions,
        Path(parsed.out),
        excluded=excluded,
        calibration=calibration,
        recipe=DetectorRecipe(**given_options(parsed, "epochs", "seed", "name")),
        device=parsed.device,
        log=print_line,
    )
    return 0


def _captions_and_excluded(parsed: argparse.Namespace) -> tuple[list[str], set[str]]:
    """What to learn from and what to leave out; the folder for the model is there."""
    from earmark.train.fluency.examples import read_sentences

    if parsed.epochs is not None and parsed.epochs < 1:
        raise Misuse(f"{parsed.epochs} epochs are too few. Give at least 1.")
    captions = [text for path in parsed.captions for text in read_captions(Path(path))]
    excluded = {text for path in parsed.exclude for text in read_sentences(Path(path))}
    make_folder(Path(parsed.out))
    return captions, excluded


def _add_parser(models: Any) -> None:
    parser = command_parser(models, "parser", "the parser behind scene graphs", _PARSER)
    _add_captions(parser, "folder for the change of the weights")
    parser.add_argument(
        "--captions", type=int, default=None, help="how many captions are drawn", dest="drawn"
    )
    parser.add_argument("--epochs", type=int, default=None, help="passes over the sentences")
    parser.add_argument("--seed", type=int, default=None, help="seed of draw, order and dropout")
    parser.set_defaults(run=run_parser)


def run_parser(parsed: argparse.Namespace) -> int:
    """Tune the parser, and return the exit code."""
    captions, excluded = _captions_and_excluded(parsed)

    from earmark.train.parser.training import ParserRecipe, train

    drawn = {} if parsed.drawn is None else {"captions": parsed.drawn}
    measured = train(
        captions,
        Path(parsed.out),
        excluded=excluded,
        recipe=ParserRecipe(**given_options(parsed, "epochs", "seed"), **drawn),
        log=print_line,
    )
    for dress, row in measured.items():
        sys.stdout.write(
            f"{dress}: {row.verbs:,} verbs in the present tense, right {row.verbs_before:.1%}"
            f" before and {row.verbs_after:.1%} after; {row.words:,} words read rightly"
            f" before, {row.same_tags:.2%} with the same tag and {row.same_arcs:.2%} with the"
            " same arc\n"
        )
    return 0


def _add_descriptors(models: Any) -> None:
    parser = command_parser(
        models, "descriptors", "the labeller of sound descriptors", _DESCRIPTORS
    )
    parser.add_argument("data", nargs="+", metavar="DATA", help="labelled captions, JSONL")
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for the labeller")
    _add_measures(parser)
    add_recipe(parser)
    parser.add_argument(
        "--work",
        default="",
        metavar="DIR",
        help="folder for checkpoints: after an interruption, the same command continues from there",
    )
    parser.set_defaults(run=run_descriptors)


def _add_measures(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--folds",
        type=int,
        default=0,
        metavar="K",
        help="also measure with cross-validation on K folds",
    )
    parser.add_argument(
        "--held-out",
        type=float,
        default=None,
        metavar="SHARE",
        help="first train without this share of the captions (0 to 0.5) and measure on them "
        "after each epoch (default: 0, with --curve 0.2)",
    )
    parser.add_argument(
        "--curve",
        action="store_true",
        help="also train on 25, 50 and 75 %% of the captions and measure on those held out",
    )
    parser.add_argument(
        "--keep-held-out",
        action="store_true",
        help="write the labeller that was not trained on the held-out captions",
    )
    parser.add_argument(
        "--helpers-without",
        default="",
        metavar="SOURCE",
        help="leave captions whose meta.source is this out of the files with a smaller inventory,"
        " for the labeller that is written",
    )


def add_recipe(parser: argparse.ArgumentParser) -> None:
    """Add the options of a recipe; what is left out is the default of the method."""
    parser.add_argument(
        "--method",
        choices=("lora", "head", "full"),
        default="lora",
        help="train low-rank updates (default), only a head, or every weight",
    )
    parser.add_argument(
        "--backbone",
        default="",
        metavar="NAME",
        help="a folder or a name on Hugging Face, such as roberta-base (default: the packaged"
        " all-MiniLM-L6-v2)",
    )
    parser.add_argument("--epochs", type=int, default=None, help="passes over the captions")
    parser.add_argument("--batch", type=int, default=None, help="captions in a batch")
    parser.add_argument("--rate", type=float, default=None, help="highest learning rate")
    parser.add_argument("--head-rate", type=float, default=None, help="the same, of the head")
    parser.add_argument("--rank", type=int, default=None, help="rank of the low-rank updates")
    parser.add_argument(
        "--hidden", type=int, default=None, help="width of the head's inner layer, 0 for none"
    )
    parser.add_argument("--seed", type=int, default=None, help="seed of parts, order and weights")
    parser.add_argument("--name", default=None, help="name that appears in signatures")
    parser.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="cpu",
        help="where to train (default: cpu, where a training can be repeated bit for bit)",
    )


def run_descriptors(parsed: argparse.Namespace) -> int:
    """Train a labeller, and return the exit code."""
    from earmark.train.descriptors import TrainingEnvironment, check_plan, read_sets, run_training

    plan = _plan(parsed)
    check_plan(plan)
    folder = Path(parsed.out)
    make_folder(folder)
    sets = read_sets([Path(path) for path in parsed.data])
    for part in sets:
        print_line(f"{part.name}: {len(part.captions):,} captions, {len(part.labels)} labels")
    work = Path(parsed.work) if parsed.work else None
    environment = TrainingEnvironment(device=parsed.device)
    report = run_training(
        sets, plan, folder, work=work, on_progress=print_epoch, environment=environment
    )
    _print_report(report)
    return 0


def recipe_from(parsed: argparse.Namespace) -> Any:
    """Recipe that the arguments describe."""
    from earmark.train.descriptors import default_recipe

    chosen = given_options(parsed, *_RECIPE_OPTIONS)
    return default_recipe(parsed.method, parsed.backbone, **chosen)


def print_epoch(progress: "PlanProgress") -> None:
    """Write a line after each epoch."""
    if progress.ended:
        f1 = "" if progress.f1 is None else f", token micro F1 without O {progress.f1:.3f}"
        epoch = f"epoch {progress.epoch} of {progress.epochs}"
        print_line(f"{progress.stage}, {epoch}: loss {progress.loss:.4f}{f1}")


def _plan(parsed: argparse.Namespace) -> "TrainingPlan":
    from earmark.train.descriptors import TrainingPlan

    share = parsed.held_out
    if share is None:
        share = 0.2 if parsed.curve or parsed.keep_held_out else 0.0
    return TrainingPlan(
        recipe_from(parsed),
        held_out=share,
        folds=parsed.folds,
        curve=parsed.curve,
        learn_all=not parsed.keep_held_out,
        helpers_without=parsed.helpers_without,
    )


def _print_report(report: dict[str, Any]) -> None:
    _print_figures(report["inventories"], "held out")
    folds = report["folds"] or {}
    _print_figures(folds, "unseen")
    for name, figures in folds.items():
        sys.stdout.write(f"{name}: each fold {', '.join(f'{f1:.3f}' for f1 in figures['each'])}\n")
    for point in report["curve"] or ():
        sys.stdout.write(
            f"learned from {point['captions']:,} captions: token micro F1 without O"
            f" {point['micro']:.3f}, token weighted F1 with O {point['weighted']:.3f}\n"
        )


def _print_figures(judged: dict[str, Any], which: str) -> None:
    for name, figures in judged.items():
        sys.stdout.write(
            f"{name}: {figures['captions']:,} {which} captions, token micro F1 without O"
            f" {figures['micro']:.3f}, token weighted F1 with O {figures['weighted']:.3f},"
            f" exact-span F1 {figures['span']:.3f}\n"
        )
