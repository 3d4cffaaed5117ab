"""Descriptors of sets of captions as CSV."""

from collections.abc import Iterator, Sequence

from leaderboard.selectors.words.counts import MEASURES
from leaderboard.selectors.words.reading import CaptionSet
from leaderboard.selectors.words.table import DescriptorRow, rows_of, text_rows
from leaderboard.web.csv_cells import csv_line, csv_text


def counts_lines(sets: Sequence[CaptionSet], against: CaptionSet) -> Iterator[str]:
    """Write one line for each descriptor and set: counts, shares, differences with intervals."""
    names = ["descriptor", "set", "id", "labeller", "against"]
    for measure in MEASURES:
        names += [measure, f"all_{measure}", f"{measure}_share", f"{measure}_difference"]
        names += [f"{measure}_difference_low", f"{measure}_difference_high"]
    yield csv_line(names)
    tables = {measure: rows_of(sets, measure, against) for measure in MEASURES}
    for label in [row.label for row in tables["captions"]]:
        for place, one in enumerate(sets):
            fields = [*_named(label, one), csv_text(against.name)]
            for measure, rows in tables.items():
                cell = next(row for row in rows if row.label == label).cells[place]
                total = one.counts.total(measure)
                fields += [str(cell.count), str(total), _six(cell.share), _six(cell.difference)]
                ends = cell.interval
                fields += ["", ""] if ends is None else [_six(ends.low), _six(ends.high)]
            yield csv_line(fields)


def texts_lines(sets: Sequence[CaptionSet], rows: Sequence[DescriptorRow]) -> Iterator[str]:
    """Write the most frequent texts of each descriptor, one line for each text and set."""
    yield csv_line(["descriptor", "set", "id", "labeller", "text", "spans", "clips"])
    for row in rows:
        for _, counts in text_rows(sets, row.label):
            for one, counted in counts:
                if counted is not None:
                    clips = " ".join(map(str, counted.clips))
                    yield csv_line(
                        [*_named(row.label, one), csv_text(counted.text), str(counted.spans), clips]
                    )


def _named(label: str, one: CaptionSet) -> list[str]:
    return [csv_text(label), csv_text(one.name), one.key, csv_text(one.labeller)]


def _six(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"
