"""Say what somebody should look at in the captions of a data set before it is published.

FILE is a CSV, JSON or JSONL file in the form of Clotho, AudioCaps or `file_name,caption_1..n`,
also with .gz. Each finding is a line: the line of the file, the kind, the clip, the place as the
characters of the caption that it begins and ends at, what stands there, and suggestions. The
status is 0 where the file was checked, whatever was found; 1 with --strict where something was
found; 2 where the file or an option cannot be used.
"""

import json
import sys
from argparse import RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from earmark.captions.faults import count_of, cut, one_line
from earmark.datasets.findings import (
    DEFAULT_KINDS,
    KINDS,
    CheckedCaptions,
    CheckFinding,
    CheckOptions,
    PlacedCaption,
    check_captions,
)
from earmark.datasets.findings.captions_file import read_captions_file
from earmark.errors import ScoringError

UNUSABLE = 2
_STDOUT = "-"
_SHOWN = 60
HELP = __doc__


class Command(BaseCommand):
    """Print findings as a table, or all of them as JSON."""

    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Make a parser that keeps the lines of the help."""
        kwargs.setdefault("formatter_class", RawDescriptionHelpFormatter)
        lines = (
            f"  {kind.name:<12}{kind.explanation}{'' if kind.default else ' (off by default)'}"
            for kind in KINDS.values()
        )
        kwargs.setdefault("epilog", "\n".join(("kinds:", *lines)))
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file, kinds, lengths and where the findings go."""
        options = CheckOptions()
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument(
            "--kinds",
            default=",".join(DEFAULT_KINDS),
            help="Kinds separated by commas, or all (default: %(default)s).",
        )
        parser.add_argument(
            "--json",
            nargs="?",
            const=_STDOUT,
            metavar="F",
            help="Write the findings to this file as JSON (- or no file: standard output).",
        )
        parser.add_argument("--min-words", type=int, default=options.min_words, metavar="N")
        parser.add_argument("--max-words", type=int, default=options.max_words, metavar="N")
        parser.add_argument(
            "--strict", action="store_true", help="End with status 1 if anything is found."
        )

    def handle(self, *_args: Any, file: Path, **options: Any) -> None:
        """Read, check and print."""
        try:
            captions = self._read(file)
            limits = CheckOptions(options["min_words"], options["max_words"])
            checked = CheckedCaptions(captions, options=limits)
            kinds = [name.strip() for name in options["kinds"].split(",") if name.strip()]
            findings = list(check_captions(checked, kinds=kinds))
        except ScoringError as error:
            raise CommandError(str(error), returncode=UNUSABLE) from error
        if options["json"] is None:
            for finding in findings:
                self.stdout.write(_row(finding, captions[finding.caption]))
            for line in _summary(findings, len(captions)):
                self.stdout.write(line)
        else:
            self._write_json(findings, options["json"])
        if findings and options["strict"]:
            sys.exit(1)

    def _read(self, file: Path) -> dict[PlacedCaption, int]:
        reading = read_captions_file(file)
        for fault in reading.faults:
            self.stderr.write(f"{fault.severity}: {fault}")
        if reading.value is None:
            raise CommandError(
                f"{file} has {count_of(len(reading.errors), 'error')}; nothing was checked.",
                returncode=UNUSABLE,
            )
        return reading.value

    def _write_json(self, findings: list[CheckFinding], target: str) -> None:
        text = json.dumps([one.to_json() for one in findings], ensure_ascii=False, indent=1)
        if target == _STDOUT:
            self.stdout.write(text)
            return
        path = Path(target)
        # Beside it first, so that what breaks off leaves no half file under its name.
        part = path.with_name(f"{path.name}.part")
        try:
            part.write_text(text + "\n", encoding="utf-8")
            part.replace(path)
        except OSError as error:
            raise CommandError(
                f"{path} cannot be written: {error.strerror}.", returncode=UNUSABLE
            ) from error
        self.stdout.write(f"Wrote {path} ({count_of(len(findings), 'finding')}).")


def _row(finding: CheckFinding, line: int) -> str:
    place = f"{finding.start}-{finding.end}"
    clip = cut(finding.caption.file_name, 30)
    start = f"line {line:<6} {finding.kind:<11} {clip:<30} {place:>9}  {cut(finding.text, _SHOWN)}"
    shown = " | ".join(one_line(one) or "(remove)" for one in finding.suggestions)
    return f"{start}  ->  {shown}" if shown else start


def _summary(findings: Iterable[CheckFinding], captions: int) -> Iterator[str]:
    counts = Counter(one.kind for one in findings)
    yield f"{count_of(captions, 'caption')}, {count_of(counts.total(), 'finding')}"
    for name in KINDS:
        if name in counts:
            yield f"{counts[name]:>9,} {name}"
