"""Write captions: ``python predict.py --run RUN --audio FOLDER --out captions.csv``.

With ``--out SYSTEM.zip`` and ``--label Kim_SNU_task6_1`` a package with metadata is written,
ready to be submitted. ``--n-best 5`` or ``--samples 5`` writes several candidates for each clip.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from captions import Clip, InputUnusable, Vocabulary, read_folder, read_split, read_table
from features import FeatureStore, load_features
from runs import Model, best_model, run_read
from search import Found, beam_search, samples
from submission import captions_csv, label_check, metadata_of, package_write
from training import stacked


def main() -> None:
    """Read the options, and write captions."""
    options = parsed()
    try:
        if options.out.suffix == ".zip":
            label_check(options.label)
        predicted(options)
    except InputUnusable as error:
        sys.exit(str(error))


def predicted(options: argparse.Namespace) -> None:
    """Caption every clip, and write them to the file or package."""
    run = run_read(options.run)
    model, best = best_model(options.run)
    clips, vocabulary = clips_chosen(options), Vocabulary(run.vocabulary)
    store = FeatureStore(options.cache or options.run / "features", run.feature_settings)
    rows = []
    for clip, captions in zip(clips, candidates(model, clips, store, options), strict=True):
        texts = [vocabulary.decode(one.words) for one in captions]
        rows.append((clip.name, texts))
        if len(rows) <= 3 or len(rows) % 100 == 0:
            print(f"{len(rows)} of {len(clips)}: {clip.name}: {texts[0]}", flush=True)
    table = captions_csv(rows)
    if options.out.suffix == ".zip":
        weights = sum(weight.numel() for weight in model.parameters())
        metadata = metadata_of(run, best, options.label, options.name, weights)
        package_write(options.out, options.label, table, metadata)
    else:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(table, encoding="utf-8", newline="")
    print(f"{options.out}: captions of {len(clips)} clips")


def clips_chosen(options: argparse.Namespace) -> list[Clip]:
    """The clips to describe: those of a table, of a folder, or of a split of a data set."""
    if options.clips and options.audio:
        return read_table(options.clips, options.audio)
    if options.audio:
        return read_folder(options.audio)
    if options.data:
        return read_split(options.data, options.split)
    raise InputUnusable("Name the audio: --audio FOLDER with --clips CSV, or --data FOLDER.")


def candidates(
    model: Model, clips: Sequence[Clip], store: FeatureStore, options: argparse.Namespace
) -> Iterator[list[Found]]:
    """The candidates of each clip, best first."""
    device = torch.device(options.device)
    model.to(device)
    generator = torch.Generator().manual_seed(options.seed)
    for start in range(0, len(clips), options.batch):
        frames = [load_features(store.stored(clip.path)) for clip in clips[start:][: options.batch]]
        features, lengths = stacked(frames, zeros_in_front=model.zeros_in_front)
        inputs = features.to(device), lengths.to(device)
        if options.samples:
            yield from samples(
                model,
                *inputs,
                count=options.samples,
                generator=generator,
                temperature=options.temperature,
                top_p=options.top_p,
            )
        else:
            beam = max(options.beam, options.n_best)
            for beams in beam_search(model, *inputs, beam=beam, length_power=options.length_power):
                yield beams[: options.n_best]


def parsed() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder of a training")
    parser.add_argument("--audio", type=Path, metavar="FOLDER", help="audio to describe")
    parser.add_argument("--clips", type=Path, metavar="CSV", help="names, in a column file_name")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="Clotho's or AudioCaps' layout")
    parser.add_argument("--split", default="evaluation", choices=("validation", "evaluation"))
    parser.add_argument("--out", type=Path, required=True, help="captions.csv, or SYSTEM.zip")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="features (RUN/features)")
    parser.add_argument("--label", default="", help="of a package, such as Kim_SNU_task6_1")
    parser.add_argument("--name", default="", help="the system's name in a package")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--length-power", type=float, default=1.0)
    parser.add_argument("--n-best", type=int, default=1, metavar="N")
    parser.add_argument("--samples", type=int, default=0, metavar="N")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--top-p", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


if __name__ == "__main__":
    main()
