"""Most frequent false alarms and misses of a system over a whole corpus."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.metrics.sbf.tags import tag_names
from scoring.results import Details


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """One class: in how many ``clips`` it is a false alarm or a miss, and how much.

    ``weight`` counts a clip by the share of its references against which it is
    one, so that a miss of what a single reference names weighs little.
    """

    name: str
    clips: int
    weight: float


@dataclass(frozen=True, slots=True)
class Profile:
    """A system's most frequent false alarms and misses, the heaviest first."""

    false_alarms: tuple[ProfileRow, ...]
    misses: tuple[ProfileRow, ...]


def profile(details: Details, *, limit: int = 20) -> Profile:
    """Add up the details that ``sbf`` gives per clip; at most ``limit`` rows on each side.

    Equal weights: more clips first, then in the ontology's order.
    """
    return Profile(
        _table(details, "false_alarms")[:limit],
        _table(details, "misses")[:limit],
    )


def _table(details: Iterable[Mapping[str, Any]], side: str) -> tuple[ProfileRow, ...]:
    clips: dict[str, int] = {}
    weights: dict[str, float] = {}
    for clip in details:
        references = len(clip["reference_phrases"])
        for row in clip[side]:
            name = row["class"]
            clips[name] = clips.get(name, 0) + 1
            weights[name] = weights.get(name, 0.0) + row["references"] / references
    order = {name: place for place, name in enumerate(tag_names())}
    rows = [ProfileRow(name, clips[name], weights[name]) for name in clips]
    # A class that this version lacks, in details of another one, stands last among equals.
    rows.sort(key=lambda row: (-round(row.weight, 9), -row.clips, order.get(row.name, len(order))))
    return tuple(rows)
