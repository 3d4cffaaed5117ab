"""Split captioned clips into parts by words, as Clotho was split, and write a table for each.

Files are in any form that references have (Clotho, AudioCaps, JSON, JSONL; .gz is unpacked).
Clips of one recording or uploader, and clips with near-equal captions, stay together. The same
files, options and seed give the same parts.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import Progress as Bars

from earmark.captions import Fault
from earmark.captions.faults import count_of
from earmark.datasets.splitting import (
    SIMILARITY,
    TRIALS,
    ClipSplit,
    GivenFile,
    PartsRead,
    SplitInput,
    read_parts,
    read_split_input,
    split_clips,
    split_report,
)
from earmark.datasets.splitting.part_files import (
    existing_faults,
    part_path,
    write_parts,
    write_report,
)
from earmark.datasets.splitting.split import STAGES, Progress

MOST_LISTED = 10
HELP = __doc__


class Command(BaseCommand):
    """Read everything, write every fault, else split and write."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the files, the parts, and where they go."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--parts",
            required=True,
            metavar="NAME=SHARE,...",
            help="For example development=.6,validation=.2,evaluation=.2. Clotho's "
            "constraints for the development split apply to the largest part.",
        )
        parser.add_argument("--out", required=True, type=Path, metavar="DIR")
        parser.add_argument(
            "--json", type=Path, metavar="F", help="Also write the report to this file as JSON."
        )
        parser.add_argument("--seed", type=int, default=0, help="0 (default) or more.")
        parser.add_argument(
            "--metadata",
            nargs="+",
            type=Path,
            default=[],
            metavar="TABLE",
            help="Table that says where clips come from (sound_id, uploader, manufacturer "
            "...): one for all files, or one for each file in the same order. The "
            "caption files may have such columns too.",
        )
        parser.add_argument(
            "--keep-together",
            action="append",
            default=[],
            metavar="COLUMN",
            help="Also keep clips together that have the same value in this column.",
        )
        parser.add_argument(
            "--similarity",
            default=str(float(SIMILARITY)),
            help="Keep clips together if their captions share at least this proportion of "
            "words, above 0 and up to 1 (default %(default)s; 1: all).",
        )
        parser.add_argument(
            "--trials",
            type=int,
            default=TRIALS,
            help=f"Largest number of exchanges of clips to try (default {TRIALS:,}), 1,000 for "
            "each clip.",
        )
        parser.add_argument("--replace", action="store_true", help="Overwrite files in DIR.")

    def handle(self, *_args: Any, files: list[Path], out: Path, **options: Any) -> None:
        """Split and write, or write nothing at all."""
        parts = read_parts(options["parts"])
        faults = _option_faults(options)
        if not options["replace"] and not parts.faults:
            faults += existing_faults(out, parts.parts)
        split_input = self._input(files, parts, options, faults)
        with self._progress() as progress:
            split = split_clips(
                [clip.captions for clip in split_input.clips],
                parts.parts,
                seed=options["seed"],
                groups=split_input.groups,
                namesakes=split_input.namesakes,
                trials=options["trials"],
                progress=progress,
            )
        _require_usable(split, split_input)
        try:
            write_parts(out, split, split_input.clips)
            if options["json"] is not None:
                write_report(options["json"], split)
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be written: {error.strerror}.") from error
        self._report(out, split, split_input)

    def _input(
        self, files: list[Path], parts: PartsRead, options: dict[str, Any], faults: list[Fault]
    ) -> SplitInput:
        """Read the files; raises ``CommandError`` after every fault has been written."""
        split_input = read_split_input(
            _read(files, faults),
            parts,
            metadata=_read(options["metadata"], faults),
            columns=options["keep_together"],
            similarity=_similarity(options) or SIMILARITY,
        )
        faults += split_input.faults
        for fault in faults:
            self.stderr.write(f"{fault.severity}: {fault}")
        errors = sum(fault.severity == "error" for fault in faults)
        if errors:
            raise CommandError(f"{count_of(errors, 'error')}. Nothing was written.")
        return split_input

    @contextmanager
    def _progress(self) -> Iterator[Progress]:
        """A function that shows progress on a terminal, and elsewhere nothing."""
        if not self.stderr.isatty():
            yield lambda _what, _done, _total: None
            return
        with Bars(console=Console(stderr=True), transient=True) as bars:
            tasks = {what: bars.add_task(what, total=None) for what in STAGES}
            yield lambda what, done, total: bars.update(tasks[what], completed=done, total=total)

    def _report(self, out: Path, split: ClipSplit, split_input: SplitInput) -> None:
        measures = split.measures
        for part, clips, size, words, outside in zip(
            split.parts,
            split.clip_counts,
            split.sizes,
            split.word_counts,
            measures.outside_by_part,
            strict=True,
        ):
            kept = "" if clips == size else f" ({size:,} asked for: groups stay together)"
            self.stdout.write(
                f"{part_path(out, part)}: {clips:,} clips{kept}, {words:,} words,"
                f" {outside:,} words outside the tolerance"
            )
        self.stdout.write(
            f"Words of two clips or more: {measures.words_in_one_part:,} in only one part,"
            f" {measures.words_not_in_development:,} not in {split.development.name},"
            f" {measures.words_outside_tolerance:,} outside the tolerance there; distance by"
            f" Clotho's equation 2 {measures.distance:.4f} (as printed"
            f" {measures.distance_as_printed:.4f}), distance from the shares"
            f" {measures.share_distance:.4f}."
        )
        for line in _violation_lines(split):
            self.stdout.write(line)
        stay, largest = split_input.kept_together
        if stay:
            self.stdout.write(
                f"{count_of(stay, 'group')} of clips stay together; the largest has {largest:,}."
            )


def _read(paths: list[Path], faults: list[Fault]) -> list[GivenFile]:
    files = []
    for path in paths:
        try:
            files.append(GivenFile(str(path), path.read_bytes()))
        except OSError as error:
            message = f"The file cannot be read: {error.strerror}. Check the path."
            faults.append(Fault(None, None, "", message, file=str(path)))
    return files


def _require_usable(split: ClipSplit, split_input: SplitInput) -> None:
    """Refuse a split that leaves a part without clips, or two of one name in a part."""
    for places in split_input.namesakes:
        if len({int(split.assignment[place]) for place in places}) < len(places):
            raise CommandError(
                f"Clips of the name {split_input.clips[places[0]].name} cannot be put into "
                "different parts without separating other clips that stay together. Rename one of "
                "them. Nothing was written."
            )
    for part, clips in zip(split.parts, split.clip_counts, strict=True):
        if clips == 0:
            raise CommandError(
                f"No clip is left for {part.name}: the groups of clips that stay together are too"
                " large for its share. Raise the share, or keep fewer clips together. Nothing was"
                " written."
            )


def _violation_lines(split: ClipSplit) -> Iterator[str]:
    """The first words that break constraints, and how many more there are."""
    violations = split_report(split).violations
    for one in violations[:MOST_LISTED]:
        counts = " / ".join(map(str, one.counts))
        wanted = f"{one.ideal} +- {one.tolerance}" if one.tolerance else f"{one.ideal}"
        yield (
            f'  "{one.word}", {one.frequency:,} clips, {counts}: {", ".join(one.violations)}'
            f" ({wanted} wanted in {split.development.name})"
        )
    if len(violations) > MOST_LISTED:
        yield f"  and {count_of(len(violations) - MOST_LISTED, 'further word')}."


def _similarity(options: dict[str, Any]) -> Fraction | None:
    try:
        similarity = Fraction(options["similarity"])
    except (ValueError, ZeroDivisionError):
        return None
    return similarity if 0 < similarity <= 1 else None


def _option_faults(options: dict[str, Any]) -> list[Fault]:
    faults = []
    for name in ("seed", "trials"):
        if options[name] < 0:
            message = "This must be 0 or more."
            faults.append(Fault(None, None, str(options[name]), message, file=f"--{name}"))
    if _similarity(options) is None:
        message = "This must be a number above 0 and up to 1."
        faults.append(Fault(None, None, options["similarity"], message, file="--similarity"))
    return faults
