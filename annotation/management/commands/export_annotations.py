"""Write the labels of a project to a file."""

import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.lookup import project_required
from annotation.selectors.formats import ANSWERS, FORMATS, ExportSelection, download_of
from leaderboard.web.file_responses import Download
from leaderboard.web.refusals import Refused

HELP = __doc__


class Command(BaseCommand):
    """Write a file piece by piece, whatever its size; without --out to standard output."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the project, the format, and whose work is wanted."""
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("--format", choices=FORMATS, default="prodigy")
        parser.add_argument(
            "--who", default="all", help="all (default), gold, or the name of a member."
        )
        parser.add_argument(
            "--answer",
            choices=ANSWERS,
            default="",
            help="Default: any for prodigy and csv, accept for the others.",
        )
        parser.add_argument("--out", type=Path, metavar="FILE")

    def handle(self, *_args: Any, project: str, out: Path | None, **options: Any) -> None:
        """Write the file, or nothing at all."""
        choice = ExportSelection(options["who"], options["answer"])
        try:
            download = download_of(project_required(project), options["format"], choice)
        except Refused as error:
            raise CommandError(str(error)) from error
        if out is None:
            _print(download)
            return
        # Beside it first, so that what breaks off leaves no half file under its name.
        part = out.with_name(f"{out.name}.part")
        try:
            with part.open("wb") as file:
                size = _write(download, file)
            part.replace(out)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from error
        self.stdout.write(f"Wrote {out} ({size:,} bytes).")


def _print(download: Download) -> None:
    try:
        _write(download, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Who reads has had enough, as `head` has; nothing is left to be flushed at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(download: Download, file: BinaryIO) -> int:
    return sum(file.write(piece) for piece in download.pieces)
