"""Train a baseline: ``python train.py --model clotho --data FOLDER --out RUN``.

Run the same command again after an interruption: it goes on where it was.
"""

import argparse
import hashlib
import sys
from dataclasses import asdict, replace
from pathlib import Path

import torch

from captions import Clip, InputUnusable, Vocabulary, read_split, read_table
from features import FeatureStore, load_features
from runs import PRESETS, Run, run_open
from training import METRICS, Heard, Training, Validation, train


def main() -> None:
    """Read the options, and train."""
    options = parsed()
    try:
        trained(options)
    except InputUnusable as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("Stopped. Run the same command again to go on.")


def trained(options: argparse.Namespace) -> None:
    """Train to the end, from the start or from where it was."""
    device = torch.device(options.device)
    development = split(options, "development")
    preset = PRESETS[options.model][options.preset]
    features = replace(preset["features"], encoder=options.encoder)
    if options.encoder:
        features = replace(features, rate=options.encoder_rate, pool=1)
    store = FeatureStore(options.cache or options.out / "features", features)
    heard = Heard.of(development, store, say)
    overrides = {name: getattr(options, name) for name in ("epochs", "batch", "learning_rate")}
    settings = dict(preset["model"])
    if options.model == "modern":
        settings["convolutions"] = not options.encoder
    elif options.reads_words is not None:
        settings["reads_words"] = options.reads_words
    run = Run(
        model=options.model,
        preset=options.preset,
        seed=options.seed,
        size=load_features(heard.features[0]).shape[1],
        features=asdict(features),
        settings=settings,
        training=preset["training"] | {name: value for name, value in overrides.items() if value},
        data=description(development),
        vocabulary=Vocabulary.of(text for clip in development for text in clip.captions).words,
    )
    run_open(options.out, run)
    training = Training(run, options.out, heard, device)
    weights = sum(weight.numel() for weight in training.model.parameters())
    say(f"{run.model}: {weights:,} parameters, {len(run.vocabulary):,} words, {device}")
    if training.restore():
        say(f"Going on after {training.place.epoch} epochs and {training.place.batch} batches.")
    unseen = Heard.of(split(options, "validation"), store, say)
    validation = Validation(unseen, training.vocabulary, device)
    train(
        training,
        validation,
        validate_every=options.validate_every,
        save_after=options.save_after,
        keep=options.keep,
        say=say,
    )


def split(options: argparse.Namespace, name: str) -> list[Clip]:
    """The clips of a split, from the data folder or from files that the options name."""
    table, audio = getattr(options, f"{name}_captions"), getattr(options, f"{name}_audio")
    if table and audio:
        return read_table(table, audio)
    if not options.data:
        raise InputUnusable(
            "Name the data: --data FOLDER, or --development-captions CSV with "
            "--development-audio FOLDER, and the same for --validation-..."
        )
    return read_split(options.data, name)


def description(clips: list[Clip]) -> dict[str, object]:
    """What is known of the data that a model is trained on; the hash is of names and captions."""
    text = "\n".join("\t".join((clip.name, *clip.captions)) for clip in clips)
    return {
        "clips": len(clips),
        "captions": sum(len(clip.captions) for clip in clips),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def parsed() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=sorted(PRESETS), required=True)
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="Clotho's or AudioCaps' layout")
    for name in ("development", "validation"):
        parser.add_argument(f"--{name}-captions", type=Path, metavar="CSV")
        parser.add_argument(f"--{name}-audio", type=Path, metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="RUN", help="folder to train in")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="features (RUN/features)")
    parser.add_argument(
        "--preset",
        choices=("full", "small"),
        default="full",
        help="small: for one processor",
    )
    parser.add_argument("--encoder", default="", metavar="FOLDER", help="a pretrained encoder")
    parser.add_argument("--encoder-rate", type=int, default=16_000, metavar="HZ")
    parser.add_argument(
        "--reads-words", type=int, metavar="SIZE", help="clotho: the decoder reads what it wrote"
    )
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--validate-every", type=int, default=1, metavar="EPOCHS")
    parser.add_argument("--save-after", type=float, default=60.0, metavar="SECONDS")
    parser.add_argument("--keep", choices=METRICS, default="fense", help="what the best is best in")
    return parser.parse_args()


def say(line: str) -> None:
    """Print at once, also into a file."""
    print(line, flush=True)


if __name__ == "__main__":
    main()
