"""Say how two files of labels (Prodigy's JSONL) agree on the captions that both have.

Captions are the same where text, source and index are. ``_session_id`` says who
labelled. Where the inventories differ, the labels of the first file are turned
into those of the second (``--map aces-13:aces-10``); what has several equivalents there
is counted as never agreeing, as agreeing with either, and left out.
"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.agreement.label_sets import (
    AmbiguousLabels,
    LabelledRecord,
    LabelMapping,
    MatchedCaptions,
    agreement_between,
    ambiguous_words,
    matched_captions,
)
from annotation.agreement.measures import KAPPA, OF_PAIR, Estimate
from annotation.formats import prodigy
from annotation.formats.records import Record, SkippedLine
from annotation.selectors.schemes import label_mapping
from leaderboard.web.refusals import Refused

_WIDE = 58
HELP = __doc__


class Command(BaseCommand):
    """Print agreement of two files, all together, by the same person and by pair of people."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the files and the inventories."""
        parser.add_argument("first", type=Path)
        parser.add_argument("second", type=Path)
        parser.add_argument(
            "--map",
            default="",
            metavar="FROM:TO",
            help="Inventories of the first and the second file, for example aces-13:aces-10.",
        )

    def handle(self, *_args: Any, first: Path, second: Path, **options: Any) -> None:
        """Read, match and print."""
        source, _, target = options["map"].partition(":")
        try:
            mapping = label_mapping(source, target) if options["map"] else {}
        except Refused as error:
            raise CommandError(str(error)) from error
        matched = matched_captions(self._read(first), self._read(second))
        if not matched.pairs:
            raise CommandError("The files have no caption in common (text, source and index).")
        words = sum(len(one.words) for one, _ in matched.pairs)
        self.stdout.write(f"{len(matched.pairs):,} common captions with {words:,} words.")
        if matched.split_otherwise:
            self.stdout.write(
                f"Left out because they are split into different words: {matched.split_otherwise}."
            )
        unclear = ambiguous_words(matched, mapping)
        for label, count in sorted(unclear.items()):
            self.stdout.write(f"{label} is {' or '.join(mapping[label])}: {count:,} words.")
        for ambiguous in AmbiguousLabels if unclear else [AmbiguousLabels.NEVER]:
            self._report(matched, mapping, ambiguous, unclear=bool(unclear))

    def _read(self, path: Path) -> list[LabelledRecord]:
        rows = []
        try:
            with path.open("rb") as file:
                for record in prodigy.read(file):
                    if isinstance(record, SkippedLine):
                        self.stderr.write(f"{path.name}: {record}")
                    elif record.spans is not None and record.answer == "accept":
                        rows.append(_labelled(record))
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        return rows

    def _report(
        self,
        matched: MatchedCaptions,
        mapping: LabelMapping,
        ambiguous: AmbiguousLabels,
        *,
        unclear: bool,
    ) -> None:
        measured = agreement_between(matched, (), mapping=mapping, ambiguous=ambiguous)
        self.stdout.write("")
        if unclear:
            self.stdout.write(f"A label with several equivalents: {ambiguous}")
        for info in OF_PAIR:
            estimate = measured.measures[info.name]
            self._line(info.title, estimate, f"{estimate.n:,} {info.unit}")
        groups = {
            "labelled twice by the same person": matched.by_same_person(same=True),
            "labelled by two people": matched.by_same_person(same=False),
        }
        groups |= {
            f"  {one} and {other}": rows for (one, other), rows in matched.of_people().items()
        }
        self.stdout.write(f"{KAPPA.title} of captions")
        for name, rows in groups.items():
            if rows.pairs:
                pair = agreement_between(rows, (), mapping=mapping, ambiguous=ambiguous)
                self._line(f"  {name}", pair.kappa, f"{len(rows.pairs):,} captions")

    def _line(self, title: str, estimate: Estimate, counted: str) -> None:
        value = "none" if estimate.value is None else f"{estimate.value:.3f}"
        low, high = estimate.low, estimate.high
        between = "" if low is None or high is None else f"{low:.3f} to {high:.3f}"
        self.stdout.write(f"{title:{_WIDE}} {value:>6}  {between:16} {counted:>14}".rstrip())


def _labelled(record: Record) -> LabelledRecord:
    return LabelledRecord(
        key=(record.text, *(str(record.meta.get(name, "")) for name in ("source", "index"))),
        words=tuple(str(token["text"]) for token in record.tokens),
        spans=tuple(record.spans or ()),
        person=record.person,
    )
