"""Sets of captions side by side: counts, shares and differences by descriptor, and texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.selectors.words.counts import Measure, TextCount
from leaderboard.selectors.words.intervals import Intervals, difference_intervals
from leaderboard.selectors.words.reading import CaptionSet
from scoring.results import Interval

MOST_TOP = 5
MOST_TEXTS = 25


@dataclass(frozen=True, slots=True)
class DescriptorShare:
    """One label in one set.

    ``difference`` is the share less that of the set compared with, in points from -1 to
    1; None for that set itself, and where another labeller labelled it. ``interval`` is
    its 95 % interval over clips.
    """

    count: int
    share: float | None
    difference: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class DescriptorRow:
    """One label: a cell for each set, and the most frequent texts of each."""

    label: str
    cells: tuple[DescriptorShare, ...]
    top: tuple[tuple[TextCount, ...], ...]


@dataclass(frozen=True, slots=True)
class TextRow:
    """One text of a label's spans: what each set has of it, None where it has none."""

    text: str
    found: tuple[TextCount | None, ...]


def comparable(one: CaptionSet, other: CaptionSet) -> bool:
    """Tell whether one labeller labelled both; else a difference may be the labellers'."""
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
    found = difference_intervals(clips, against.counts.clips, tuple(sorted(names)))
    intervals = dict(zip((one.key for one in alike), found, strict=True))
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
                DescriptorShare(count, share, share - base, intervals[one.key][measure, name])
            )
    top = tuple(tuple(one.counts.label(name).texts.values())[:MOST_TOP] for one in sets)
    return DescriptorRow(name, tuple(cells), top)


def text_rows(sets: Sequence[CaptionSet], label: str) -> list[TextRow]:
    """List the texts of a label that are the most frequent in some set, by their largest share."""
    labels = [one.counts.label(label) for one in sets]

    def weight(text: str) -> float:
        found = ((one.texts[text].spans, one.spans) for one in labels if text in one.texts)
        return max(count / spans for count, spans in found)

    texts = {text for one in labels for text in list(one.texts)[:MOST_TEXTS]}
    order = sorted(texts, key=lambda text: (-weight(text), text))[:MOST_TEXTS]
    return [TextRow(text, tuple(one.texts.get(text) for one in labels)) for text in order]
