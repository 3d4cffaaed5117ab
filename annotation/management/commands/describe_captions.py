"""Describe sets of captions beside each other: sizes, lengths, vocabulary, how alike they are.

Each FILE is a CSV, JSON or JSONL file in the form of Clotho, AudioCaps or
`file_name,caption_1..n`, also with .gz. Every file is a column of the table.
"""

import json
from argparse import RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from earmark.captions.faults import count_of, cut
from earmark.cli.files import Misuse, check_outputs, write_text
from earmark.datasets.describing import CaptionsDescribed, describe_captions, described_json
from earmark.datasets.findings.captions_file import read_captions_file
from earmark.errors import ScoringError

UNUSABLE = 2
_LABEL, _NARROWEST, _WIDEST = 34, 10, 28
# Sizes of samples by which vocabularies of sets of any size are compared.
_SAMPLES = (1_000, 5_000)
HELP = __doc__


class Command(BaseCommand):
    """Print a table with a column for each file, and write all figures as JSON."""

    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Make a parser that keeps the lines of the help."""
        kwargs.setdefault("formatter_class", RawDescriptionHelpFormatter)
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the files and where the figures go."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--json", metavar="F", help="Write all figures to this file as JSON.")

    def handle(self, *_args: Any, files: list[Path], **options: Any) -> None:
        """Read every file, then print; nothing is described where one cannot be used."""
        try:
            check_outputs(list(map(str, files)), options["json"])
            described = self._described(files)
            for line in _table([path.name for path in files], described):
                self.stdout.write(line)
            if options["json"]:
                rows = [
                    {"file": path.name, **described_json(one)}
                    for path, one in zip(files, described, strict=True)
                ]
                text = json.dumps(rows, ensure_ascii=False, indent=1)
                write_text(options["json"], text + "\n")
        except (Misuse, ScoringError) as error:
            raise CommandError(str(error), returncode=UNUSABLE) from error

    def _described(self, files: list[Path]) -> list[CaptionsDescribed]:
        described, faulty = [], []
        for path in files:
            reading = read_captions_file(path)
            for fault in reading.faults:
                self.stderr.write(f"{path.name}: {fault.severity}: {fault}")
            if reading.value is None:
                faulty.append(f"{path.name} has {count_of(len(reading.errors), 'error')}")
                continue
            clips: dict[str, list[str]] = {}
            for caption in reading.value:
                clips.setdefault(caption.file_name, []).append(caption.text)
            described.append(describe_captions(list(clips.values())))
        if faulty:
            raise CommandError(f"{'; '.join(faulty)}. Nothing was described.", returncode=UNUSABLE)
        return described


def _table(names: list[str], sets: list[CaptionsDescribed]) -> list[str]:
    rows: list[tuple[str, list[str]]] = [
        ("", [cut(name, _WIDEST) for name in names]),
        ("clips", [f"{one.clips:,}" for one in sets]),
        ("captions", [f"{one.captions:,}" for one in sets]),
        ("captions of a clip, mean", [f"{one.captions_per_clip.mean:.2f}" for one in sets]),
        ("words of a caption, mean", [f"{one.words_per_caption.mean:.2f}" for one in sets]),
        (
            "  least to most",
            [f"{one.words_per_caption.least} to {one.words_per_caption.most}" for one in sets],
        ),
        ("different words", [f"{one.vocabulary:,}" for one in sets]),
        *((f"  in {size:,} captions", [_grown(one, size) for one in sets]) for size in _SAMPLES),
        ("words that occur in only one clip", [f"{one.words_of_one_clip:,}" for one in sets]),
        ("similarity of a clip's captions", [_share(one.similarity_within_clips) for one in sets]),
        (
            "  of captions of different clips",
            [_share(one.similarity_across_clips) for one in sets],
        ),
    ]
    width = max(_NARROWEST, *(len(cell) for _, cells in rows for cell in cells)) + 2
    return [
        f"{label:<{_LABEL}}{''.join(f'{cell:>{width}}' for cell in cells)}" for label, cells in rows
    ]


def _grown(one: CaptionsDescribed, size: int) -> str:
    grown = dict(one.vocabulary_growth)
    return f"{grown[size]:,.0f}" if size in grown else "fewer"


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
