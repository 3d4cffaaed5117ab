"""Choose clips from a pool, so that their tags are as evenly spread as they can be.

The pool is a table (CSV with commas, tabs or semicolons, UTF-8) with a row for each clip: its
file name, its tags, and where it matters its duration in seconds and its group, such as who
uploaded it. Without --json the chosen names are printed, one a line.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser

from earmark.captions.faults import Fault, count_of
from earmark.cli.files import Misuse, check_outputs, read_file, write_text
from earmark.datasets.choosing import (
    ChoiceRejected,
    ChoiceRequest,
    ChosenClips,
    ClipPool,
    PoolColumns,
    choice_json,
    choose_clips,
    read_pool,
    request_faults,
    split_tags,
)

HELP = __doc__


class Command(BaseCommand):
    """Read the pool, or write all that is wrong with it; choose; write what was chosen."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the pool, what is asked of the choice, and where to write it."""
        parser.add_argument("pool", metavar="POOL.csv")
        parser.add_argument("--count", type=int, required=True, help="Number of clips to choose.")
        parser.add_argument("--seed", type=int, default=0, help="Default 0.")
        parser.add_argument(
            "--json",
            metavar="FILE",
            help="JSON file for the names and figures of the chosen clips.",
        )
        _add_columns(parser)
        _add_limits(parser)

    def handle(self, *_args: Any, pool: str, **options: Any) -> None:
        """Choose clips, or say all that keeps it from working."""
        try:
            check_outputs([pool], options["json"])
            data = read_file(pool)
            clips, request = self._read(data, options)
            chosen = self._chosen(clips, request)
            if options["json"]:
                source = {"file": Path(pool).name, "sha256": hashlib.sha256(data).hexdigest()}
                report = {"pool": source, **choice_json(chosen, clips, request)}
                write_text(options["json"], json.dumps(report, ensure_ascii=False, indent=1) + "\n")
        except Misuse as error:
            raise CommandError(str(error)) from error
        self._report(chosen)
        if not options["json"]:
            self.stdout.writelines(f"{clip.name}\n" for clip in chosen.clips)

    def _read(self, data: bytes, options: dict[str, Any]) -> tuple[ClipPool, ChoiceRequest]:
        values = _given(ChoiceRequest, options)
        for name in ("excluded_tags", "ignored_tags"):
            values[name] = split_tags(values[name], options["separator"])
        request = ChoiceRequest(**values)
        reading = read_pool(data, PoolColumns(**_given(PoolColumns, options)))
        faults = (*reading.faults, *request_faults(request, reading.pool))
        if faults or reading.pool is None:
            self._refuse(faults)
        return reading.pool, request

    def _chosen(self, pool: ClipPool, request: ChoiceRequest) -> ChosenClips:
        try:
            return choose_clips(pool, request, self._tell)
        except ChoiceRejected as error:
            self._refuse(error.faults)

    def _refuse(self, faults: Iterable[Fault]) -> NoReturn:
        lines = [f"{fault.severity}: {fault}" for fault in faults]
        self.stderr.write("\n".join(lines))
        raise CommandError(f"{count_of(len(lines), 'error')}. No clips were chosen.")

    def _tell(self, step: str, entropy: float) -> None:
        self.stderr.write(f"{step}: {entropy:.4f} bits")

    def _report(self, chosen: ChosenClips) -> None:
        self.stderr.write(
            f"{count_of(len(chosen.clips), 'clip')} of {chosen.eligible:,}. Entropy of the tags"
            f" {chosen.entropy:.4f} bits; of all {chosen.eligible:,} {chosen.pool_entropy:.4f},"
            f" at most {chosen.entropy_limit:.4f}. {chosen.covered:,} of"
            f" {count_of(chosen.tags, 'tag')}."
        )
        if chosen.excluded:
            self.stderr.write(f"{count_of(chosen.excluded, 'clip')} left out for excluded tags.")
        for row in chosen.bins:
            short = "" if row.chosen >= row.asked else f", {row.asked:,} asked for"
            self.stderr.write(
                f"{row.shortest:g} to {row.longest:g} s: {row.chosen:,} of {row.eligible:,}{short}"
            )


def _add_columns(parser: CommandParser) -> None:
    columns = parser.add_argument_group("columns of the pool")
    columns.add_argument(
        "--separator", default=";", help='Between the tags of a cell (default ";").'
    )
    for what, usual in (
        ("name", "file_name, fname, youtube_id"),
        ("tags", "tags, keywords, labels, positive_labels"),
        ("duration", "duration, seconds"),
    ):
        columns.add_argument(
            f"--{what}-column", dest=what, default="", metavar="NAME", help=f"Default: {usual}."
        )
    columns.add_argument(
        "--group-column", dest="group", default="", metavar="NAME", help="For example uploader."
    )
    columns.add_argument(
        "--skip-untagged", action="store_true", help="Leave out clips without tags."
    )


def _add_limits(parser: CommandParser) -> None:
    limits = parser.add_argument_group("limits")
    limits.add_argument(
        "--min-tag-clips",
        dest="fewest_clips",
        type=int,
        default=1,
        metavar="K",
        help="Ignore tags that occur in fewer clips of the pool (default 1).",
    )
    limits.add_argument(
        "--min-tag-share",
        dest="least_share",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="Ignore tags that a smaller share of the clips has (default 0; Clotho: .01).",
    )
    limits.add_argument(
        "--exclude-tags",
        dest="excluded_tags",
        default="",
        metavar="TAGS",
        help="Leave out clips with one of these tags, separated as in the pool (Clotho: tags of "
        "music, sound effects and speech).",
    )
    limits.add_argument(
        "--ignore-tags",
        dest="ignored_tags",
        default="",
        metavar="TAGS",
        help="Ignore these tags, separated as in the pool (Clotho: tags of time and of recording, "
        "such as autumn or field-recording).",
    )
    limits.add_argument("--shortest", type=float, metavar="SECONDS")
    limits.add_argument("--longest", type=float, metavar="SECONDS")
    limits.add_argument(
        "--duration-shares",
        type=_shares,
        default=(),
        metavar="A,B,...",
        help="Divide the range of durations into bins of equal width and give them clips in "
        "these proportions; 1,1,1 means three bins with the same number of clips.",
    )
    limits.add_argument("--most-per-group", type=int, metavar="M", help="Needs --group-column.")
    limits.add_argument(
        "--restarts",
        type=int,
        default=ChoiceRequest(1).restarts,
        help="How often the best set is changed at random and improved again (default "
        "%(default)s).",
    )


def _shares(text: str) -> tuple[float, ...]:
    return tuple(float(share) for share in text.split(","))


def _given(kind: type, options: dict[str, Any]) -> dict[str, Any]:
    """The options that are called as the fields of a class."""
    return {field.name: options[field.name] for field in fields(kind) if field.name in options}
