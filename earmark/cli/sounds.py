"""``sounds``: make a data set of short sounds with captions that are true of them."""

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from earmark.cli.files import Misuse, command_parser, make_folder, print_line
from earmark.datasets.made_sounds import DEFAULT_RATE, split_counts, write_data_set
from earmark.datasets.made_sounds.rendering import HIGHEST_RATE, LOWEST_RATE
from earmark.progress_bars import progress_bars

_MOST_CLIPS = 100_000
_DESCRIPTION = """\
Make short sounds by rules: tones, sirens, noises, knocks, birds, water, engines, steps and bells;
alone, at once or in order. Each has five captions that are true of it. FOLDER gets development/,
validation/ and evaluation/ with WAV files of 3 to 6 seconds, and captions_development.csv and so
on in Clotho's layout. The same arguments make the same files, and a clip stays the same whatever
the number of clips."""


def add_command(commands: Any) -> None:
    """Add ``sounds`` to the parser."""
    parser = command_parser(
        commands,
        "sounds",
        "make short sounds with true captions, for a first training",
        _DESCRIPTION,
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a new or empty folder")
    parser.add_argument(
        "--clips",
        type=int,
        default=600,
        metavar="N",
        help="clips for development (default: 600); validation and evaluation get a sixth each, at"
        " least 72",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="0 (default) or more")
    parser.add_argument(
        "--rate",
        type=int,
        default=DEFAULT_RATE,
        metavar="HZ",
        help=f"samples per second, {LOWEST_RATE} (default) to {HIGHEST_RATE}",
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Make all files, print what was made, and return the exit code."""
    _check(parsed)
    folder: Path = parsed.folder
    make_folder(folder)
    counts = split_counts(parsed.clips)
    with progress_bars(Console(stderr=True)) as bars:
        bar = bars.add_task("Clips", total=sum(counts.values()))
        try:
            write_data_set(
                folder,
                counts,
                seed=parsed.seed,
                rate=parsed.rate,
                on_clip=lambda made: bars.update(bar, completed=made),
            )
        except OSError as error:
            raise Misuse(f"Cannot write into {folder}: {error.strerror or error}.") from error
    parts = ", ".join(f"{count:,} for {split}" for split, count in counts.items())
    print_line(f"Made {sum(counts.values()):,} clips in {folder}: {parts}.")
    return 0


def _check(parsed: argparse.Namespace) -> None:
    if not 1 <= parsed.clips <= _MOST_CLIPS:
        raise Misuse(f"--clips {parsed.clips}: give a whole number from 1 to {_MOST_CLIPS:,}.")
    if parsed.seed < 0:
        raise Misuse(f"--seed {parsed.seed}: give 0 or more.")
    if not LOWEST_RATE <= parsed.rate <= HIGHEST_RATE:
        raise Misuse(f"--rate {parsed.rate}: give {LOWEST_RATE} to {HIGHEST_RATE} Hz.")
    folder: Path = parsed.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Misuse(f"{folder} already holds something. Name a new or empty folder.")
