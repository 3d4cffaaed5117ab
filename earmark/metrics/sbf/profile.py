"""Most frequent certain false alarms and misses of a system over a whole corpus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from earmark.metrics.sbf.tags import tag_names

Side = Sequence[Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One class: in how many ``clips`` it is certainly a false alarm or a miss.

    ``weight`` counts a clip by the share of its references against which it is one.
    """

    name: str
    clips: int
    weight: float


def most_frequent(side: Side, *, limit: int = 20) -> tuple[ProfileRow, ...]:
    """Add up one side, by clip, of what ``slim_tags`` keeps; at most ``limit`` rows.

    Equal clips: more weight first, then in the ontology's order.
    """
    shares: dict[str, list[float]] = {}
    for clip in side:
        for name, share in clip.items():
            shares.setdefault(name, []).append(share)
    order = {name: place for place, name in enumerate(tag_names())}
    rows = [ProfileRow(name, len(every), sum(every)) for name, every in shares.items()]
    # A class that this version lacks, in details of another one, stands last among equals.
    rows.sort(key=lambda row: (-row.clips, -round(row.weight, 9), order.get(row.name, len(order))))
    return tuple(rows[:limit])
