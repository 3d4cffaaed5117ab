"""Make short sounds with captions that are true of them, for trying things out without recordings.

DIR gets `sounds/` with the WAV files, `captions.csv` in Clotho's form, and `pool.csv` with the tags
and durations that choose_clips reads. The same count and seed make the same files.
"""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.datasets.sounds import RATE, MadeSound, make_sounds, wav_bytes

MOST = 10_000


class Command(BaseCommand):
    """Write the sounds and the two tables."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the folder, how many, and the seed."""
        parser.add_argument("folder", type=Path, metavar="DIR")
        parser.add_argument("--count", type=int, default=30, help=f"1 to {MOST:,} (default 30).")
        parser.add_argument("--seed", type=int, default=0, help="0 (default) or more.")

    def handle(self, *_args: Any, folder: Path, count: int, seed: int, **_options: Any) -> None:
        """Refuse a folder that holds something, else write."""
        if not 1 <= count <= MOST:
            raise CommandError(f"--count {count}: give a whole number from 1 to {MOST:,}.")
        if seed < 0:
            raise CommandError(f"--seed {seed}: give 0 or more.")
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandError(f"{folder} already exists. Name a new or empty folder.")
        sounds = folder / "sounds"
        sounds.mkdir(parents=True)
        made = []
        for sound in make_sounds(count, seed=seed):
            (sounds / sound.file_name).write_bytes(wav_bytes(sound.samples, RATE))
            made.append(sound)
        _write_tables(folder, made)
        self.stdout.write(f"Made {len(made)} sounds in {folder}.")


def _write_tables(folder: Path, made: Sequence[MadeSound]) -> None:
    captions = [(sound.file_name, *sound.captions) for sound in made]
    names = (f"caption_{number}" for number in range(1, len(captions[0])))
    _write(folder / "captions.csv", [("file_name", *names), *captions])
    pool = [(sound.file_name, ";".join(sound.tags), f"{sound.seconds:.3f}") for sound in made]
    _write(folder / "pool.csv", [("file_name", "tags", "duration"), *pool])


def _write(path: Path, rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
