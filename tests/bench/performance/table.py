"""The table of costs: medians, multiples of a base, and how it is written."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Scores = Mapping[str, Sequence[float]]
HEADINGS = ("", "time", "processor", "memory", "x encode", "x its processor", "difference")


class ClipsDiffer(ValueError):
    """Two programs that did not score the same clips."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What something takes: seconds on the clock and of processors, and bytes at most.

    None where it was not measured.
    """

    seconds: float
    processor: float | None = None
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line: its cost, that of the ``encode`` it stands beside, the largest difference."""

    name: str
    cost: Cost | None = None
    base: Cost | None = None
    difference: float | None = None


@dataclass(slots=True)
class Section:
    """Rows under a heading, and what has to be known about them."""

    title: str
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def median_cost(costs: Sequence[Cost]) -> Cost:
    """Medians of seconds, each of its own, and the most memory of any.

    >>> median_cost([Cost(1, 2, 10), Cost(3, 1, 30), Cost(2, 9, 20)])
    Cost(seconds=2, processor=2, memory=30)
    """
    processors = [cost.processor for cost in costs if cost.processor is not None]
    memories = [cost.memory for cost in costs if cost.memory is not None]
    return Cost(
        statistics.median(cost.seconds for cost in costs),
        statistics.median(processors) if processors else None,
        max(memories, default=None),
    )


def largest_difference(ours: Scores, theirs: Scores) -> float:
    """Largest difference of any clip in any metric that both have.

    Raises ``ClipsDiffer`` where they share no metric or have other numbers of clips.

    >>> largest_difference({"a": [1, 2], "b": [0, 0]}, {"a": [1, 2.5]})
    0.5
    """
    shared = [name for name in ours if name in theirs]
    if not shared:
        raise ClipsDiffer(f"No metric is in both {sorted(ours)} and {sorted(theirs)}.")
    for name in shared:
        if len(ours[name]) != len(theirs[name]):
            raise ClipsDiffer(f"{name}: {len(ours[name])} clips and {len(theirs[name])}.")
    return max(abs(a - b) for name in shared for a, b in zip(ours[name], theirs[name], strict=True))


def cells(row: Row) -> tuple[str, ...]:
    """A row as text; empty where something was not measured."""
    cost, base = row.cost, row.base
    return (
        row.name,
        "" if cost is None else duration(cost.seconds),
        "" if cost is None or cost.processor is None else duration(cost.processor),
        "" if cost is None or cost.memory is None else f"{cost.memory / 1e6:,.0f} MB",
        "" if cost is None or base is None else _multiple(cost.seconds, base.seconds),
        "" if cost is None or base is None else _multiple(cost.processor, base.processor),
        "" if row.difference is None else f"{row.difference:.1e}",
    )


def duration(seconds: float) -> str:
    """Seconds as they are read.

    >>> duration(0.00123), duration(0.25), duration(2.345), duration(123.4)
    ('1.23 ms', '250 ms', '2.35 s', '123 s')
    """
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:.0f} s"


def _multiple(cost: float | None, base: float | None) -> str:
    return f"{cost / base:.2f}" if cost is not None and base else ""


def as_text(sections: Sequence[Section]) -> str:
    """The table for a terminal."""
    rows = [cells(row) for section in sections for row in section.rows]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows, strict=True)]
    lines = [_aligned(HEADINGS, widths)]
    for section in sections:
        lines += ["", section.title, *(_aligned(cells(row), widths) for row in section.rows)]
        lines += [f"  {note}" for note in section.notes]
    return "\n".join(lines)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(row, widths, strict=True)
    right = [cell.rjust(width) for cell, width in others]
    return "  ".join([first[0].ljust(first[1]), *right]).rstrip()


def as_markdown(sections: Sequence[Section]) -> str:
    """The table for a document, with its notes below."""
    lines = [_bars(HEADINGS), "|---" + "|---:" * (len(HEADINGS) - 1) + "|"]
    notes: list[str] = []
    for section in sections:
        lines.append(_bars([f"**{section.title}**", *[""] * (len(HEADINGS) - 1)]))
        lines += [_bars(cells(row)) for row in section.rows]
        notes += [f"- {section.title}: {note}" for note in section.notes]
    return "\n".join([*lines, "", *notes])


def _bars(row: Sequence[str]) -> str:
    return f"| {' | '.join(row)} |"
