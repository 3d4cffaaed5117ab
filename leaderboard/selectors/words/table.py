"""Sets of captions side by side: counts, shares and differences by descriptor, texts, and CSV.

Intervals of differences come from random subsets of the clips, as where systems are
compared. Both sets are drawn on the same clips, all captions of a clip together, so that
neither what a clip is about nor how many references it has counts as chance.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from earmark.results import NO_INTERVAL, Interval
from earmark.statistics import PAIRED_RESAMPLES, difference_interval, resampled_sums, subset_weights
from leaderboard.selectors.words.counts import MEASURES, ClipCounts, Measure, TextCount
from leaderboard.selectors.words.reading import CaptionSet
from leaderboard.web.csv_cells import csv_line, csv_text

Floats = NDArray[np.float64]
Intervals: TypeAlias = Mapping[tuple[Measure, str], Interval]


# All that is counted in one pass: a page shows one measure, files and API show every one.
@lru_cache(maxsize=16)
def difference_intervals(
    sets: tuple[ClipCounts, ...], against: ClipCounts, labels: tuple[str, ...]
) -> tuple[Intervals, ...]:
    """For each set the 95 % intervals of its shares less those of ``against``."""
    every = (against, *sets)
    clips = max(len(one.wholes) for one in every)
    if not clips:
        return tuple({} for _ in sets)
    columns = np.concatenate([_columns(one, labels, clips) for one in every], axis=1)
    sums = resampled_sums(columns, weights_of=subset_weights, resamples=PAIRED_RESAMPLES)
    base, *others = (_shares(part, len(labels)) for part in np.split(sums, len(every), axis=1))
    return tuple(_intervals(shares - base, labels) for shares in others)


def _columns(one: ClipCounts, labels: Sequence[str], clips: int) -> Floats:
    """Put a set's wholes and its labels beside one another, shape (clips, all of them)."""
    none = np.zeros_like(one.wholes)
    rows = np.concatenate([one.wholes, *(one.labels.get(name, none) for name in labels)], axis=1)
    # Clips behind the last one that is counted have nothing.
    return np.pad(rows.astype(np.float64), ((0, clips - len(rows)), (0, 0)))


def _shares(sums: Floats, labels: int) -> Floats:
    """The shares of each label under each measure, shape (resamples, labels, measures)."""
    table = sums.reshape(len(sums), labels + 1, len(MEASURES))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = table[:, 1:] / table[:, :1]
    return shares


def _intervals(differences: Floats, labels: Sequence[str]) -> Intervals:
    intervals = {
        (measure, name): difference_interval(differences[:, row, place])
        for row, name in enumerate(labels)
        for place, measure in enumerate(MEASURES)
    }
    return {key: one for key, one in intervals.items() if one is not NO_INTERVAL}


MOST_TEXTS = 25


@dataclass(frozen=True, slots=True)
class DescriptorShare:
    """One label in one set.

    ``difference`` is the share less that of the set compared with, in points from -1 to
    1; None for that set itself, and where another labeller labelled it. ``interval`` is
    its 95 % interval over clips, None with fewer than five.
    """

    count: int
    share: float | None
    difference: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class DescriptorRow:
    """One label: a cell for each set."""

    label: str
    cells: tuple[DescriptorShare, ...]


def comparable(one: CaptionSet, other: CaptionSet) -> bool:
    """Whether the same labeller labelled both; else a difference may be due to the labellers."""
    return bool(one.labeller) and one.labeller == other.labeller


def rows_of(
    sets: Sequence[CaptionSet], measure: Measure, against: CaptionSet
) -> list[DescriptorRow]:
    """Compare sets label by label; the most frequent label of ``against`` comes first."""
    names = {name for one in sets for name in one.counts.labels}
    order = sorted(names, key=lambda name: (-against.counts.label(name).of(measure), name))
    alike = [one for one in sets if one is not against and comparable(one, against)]
    # In the same order for every measure, so that one pass serves them all.
    clips = tuple(one.counts.clips for one in alike)
    differences = difference_intervals(clips, against.counts.clips, tuple(sorted(names)))
    intervals = dict(zip((one.key for one in alike), differences, strict=True))
    return [_row(name, sets, measure, against, intervals) for name in order]


def _row(
    name: str,
    sets: Sequence[CaptionSet],
    measure: Measure,
    against: CaptionSet,
    intervals: Mapping[str, Intervals],
) -> DescriptorRow:
    base = against.counts.share(name, measure)
    cells = []
    for one in sets:
        share, count = one.counts.share(name, measure), one.counts.label(name).of(measure)
        if one.key not in intervals or share is None or base is None:
            cells.append(DescriptorShare(count, share, None, None))
        else:
            cells.append(
                DescriptorShare(count, share, share - base, intervals[one.key].get((measure, name)))
            )
    return DescriptorRow(name, tuple(cells))


def text_rows(
    sets: Sequence[CaptionSet], label: str
) -> list[tuple[str, list[tuple[CaptionSet, TextCount | None]]]]:
    """List the texts of a label that are the most frequent in some set, by their largest share.

    Each comes with what each set has of it, None where it has none.
    """
    labels = [one.counts.label(label) for one in sets]

    def weight(text: str) -> float:
        counts = ((one.texts[text].spans, one.spans) for one in labels if text in one.texts)
        return max(count / spans for count, spans in counts)

    texts = {text for one in labels for text in list(one.texts)[:MOST_TEXTS]}
    order = sorted(texts, key=lambda text: (-weight(text), text))[:MOST_TEXTS]
    return [
        (text, [(one, counted.texts.get(text)) for one, counted in zip(sets, labels, strict=True)])
        for text in order
    ]


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
