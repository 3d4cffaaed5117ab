"""Prepare recordings for captioning as Clotho's were: clips of 15 to 30 s at 44.1 kHz.

Silence at both ends is trimmed. Recordings that are shorter than --shortest then are left out; of
those longer than --longest a part is cut, whose length is drawn so that the durations of all clips
are spread evenly. Both ends are faded. Each FILE is a recording, or a folder whose recordings are
taken; DIR gets a WAV file (16 bits) of each. The same files, options and seed give the same clips.
"""

import csv
from collections.abc import Iterator
from dataclasses import asdict, fields
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from earmark.captions import Fault
from earmark.captions.faults import count_of
from earmark.cli.files import Misuse, check_outputs, write_text
from earmark.datasets.preparing import (
    RATE,
    WINDOWS,
    LeftOut,
    Preparation,
    PreparedRecording,
    prepare_recordings,
)

SUFFIXES = frozenset(
    [".aif", ".aiff", ".au", ".caf", ".flac", ".mp3", ".oga", ".ogg", ".opus", ".w64", ".wav"]
)
DEFAULT = Preparation()
HELP = __doc__


class Command(BaseCommand):
    """Find the recordings, write every fault, else prepare each and say what became of it."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the recordings, how clips are made of them, and where they go."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--out", required=True, type=Path, metavar="DIR")
        parser.add_argument(
            "--report", metavar="FILE.csv", help="Table of all clips; choose_clips reads its names."
        )
        for name, default in (("shortest", DEFAULT.shortest), ("longest", DEFAULT.longest)):
            parser.add_argument(
                *(f"--{name}",), type=float, default=default, help="Seconds (default %(default)g)."
            )
        parser.add_argument(
            "--duration-shares",
            type=_shares,
            default=DEFAULT.duration_shares,
            metavar="A,B,...",
            help="Divide the range of durations into bins of equal width and give them clips in "
            "these proportions (default 1: evenly spread).",
        )
        parser.add_argument(
            "--silence",
            dest="silence_db",
            type=float,
            default=DEFAULT.silence_db,
            metavar="DB",
            help="Trim what is so many dB below the loudest sample (default %(default)g).",
        )
        parser.add_argument(
            "--window",
            choices=WINDOWS,
            default=DEFAULT.window,
            help="Cut where the energy is highest, or at random (default %(default)s).",
        )
        parser.add_argument("--seed", type=int, default=DEFAULT.seed, help="0 (default) or more.")
        parser.add_argument("--replace", action="store_true", help="Overwrite files in DIR.")

    def handle(self, *_args: Any, files: list[Path], out: Path, **options: Any) -> None:
        """Prepare all recordings; exit status 1 if one cannot be read."""
        plan = Preparation(**{field.name: options[field.name] for field in fields(Preparation)})
        sources = [source for path in files for source in _recordings(path)]
        faults = [*_option_faults(plan), *_file_faults(files, sources, out, options["replace"])]
        if faults:
            self.stderr.write("\n".join(f"{fault.severity}: {fault}" for fault in faults))
            raise CommandError(f"{count_of(len(faults), 'error')}. No recording was prepared.")
        try:
            check_outputs([str(path) for path in sources], options["report"])
            out.mkdir(parents=True, exist_ok=True)
            outcomes = prepare_recordings(sources, out, plan, self._tell)
            clips = [one for one in outcomes if isinstance(one, PreparedRecording)]
            if options["report"]:
                write_text(options["report"], _table(clips))
        except (Misuse, OSError) as error:
            raise CommandError(str(error)) from error
        left = [one for one in outcomes if isinstance(one, LeftOut)]
        self.stdout.write(f"{count_of(len(clips), 'clip')} at {RATE:,} Hz, {len(left):,} left out.")
        unusable = sum(not one.too_short for one in left)
        if unusable:
            raise CommandError(f"{count_of(unusable, 'recording')} cannot be used.", returncode=1)

    def _tell(self, outcome: PreparedRecording | LeftOut) -> None:
        if isinstance(outcome, LeftOut):
            self.stderr.write(f"{outcome.source} {outcome.reason}")
            return
        self.stdout.write(
            f"{outcome.source}: {outcome.cut_from:.2f} to {outcome.cut_to:.2f} s of"
            f" {outcome.source_seconds:.2f} s ({outcome.trimmed_start:.2f} s of silence trimmed"
            f" before, {outcome.trimmed_end:.2f} s after)"
        )


def _shares(text: str) -> tuple[float, ...]:
    return tuple(float(share) for share in text.split(","))


def _recordings(path: Path) -> list[Path]:
    """A file, or the recordings of a folder by name."""
    if not path.is_dir():
        return [path]
    return sorted(one for one in path.iterdir() if one.suffix.lower() in SUFFIXES)


def _option_faults(plan: Preparation) -> Iterator[Fault]:
    shares = plan.duration_shares
    checks = (
        (
            0.05 <= plan.shortest < plan.longest < float("inf"),
            *("--shortest", plan.shortest, "Give less than --longest, and at least 0.05 s."),
        ),
        (
            all(isfinite(share) and share >= 0 for share in shares) and any(shares),
            *("--duration-shares", shares, "Give numbers of 0 or more, at least one above 0."),
        ),
        (0 < plan.silence_db <= 200, "--silence", plan.silence_db, "Give dB from 0 to 200."),
        (plan.seed >= 0, "--seed", plan.seed, "Give a whole number, 0 or more."),
    )
    for holds, name, value, message in checks:
        if not holds:
            yield Fault(None, name, str(value), message)


def _file_faults(
    paths: list[Path], sources: list[Path], out: Path, replace: bool
) -> Iterator[Fault]:
    """What is wrong with the names: nothing found, two clips of one name, a file overwritten."""
    for path in paths:
        if path.is_dir() and not _recordings(path):
            message = f"The folder has no recordings ({' '.join(sorted(SUFFIXES))})."
            yield Fault(None, None, "", message, file=str(path))
    same = {source.resolve() for source in sources}
    seen: dict[str, Path] = {}
    for source in sources:
        target = out / f"{source.stem}.wav"
        other = seen.setdefault(target.name.casefold(), source)
        if not source.is_file():
            message = "There is no such file. Check the path."
        elif other is not source:
            message = f"{other} would have the same clip, {target.name}. Rename one of them."
        elif target.resolve() in same:
            message = "The clip would overwrite a recording. Give another --out."
        elif target.exists() and not replace:
            message = f"{target} already exists. Give another --out, or overwrite with --replace."
        else:
            continue
        yield Fault(None, None, "", message, file=str(source))


def _table(clips: list[PreparedRecording]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([field.name for field in fields(PreparedRecording)])
    for clip in clips:
        row = asdict(clip).values()
        writer.writerow([f"{cell:.4f}" if isinstance(cell, float) else cell for cell in row])
    return text.getvalue()
