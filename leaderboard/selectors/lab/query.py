"""The rules that a ranking lab is asked to try, as an address and in words."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Literal
from urllib.parse import urlencode

from earmark.captions.faults import count_of
from earmark.registry import METRICS
from leaderboard.models import Counting, Phase

Mix = Literal["z", "values", "ranks"]
MIXES: dict[Mix, str] = {"z": "their z-scores", "values": "their values", "ranks": "their ranks"}
MOST_METRICS = 4
MOST_WEIGHT = 100.0
MOST_DECIMALS = 8
MOST_CLIPS = 100_000
# Servers refuse longer addresses, gunicorn with 4,094 characters in a line.
LONGEST_QUERY = 3500

_SPAN = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class LabQuery:
    """The rules to try; those of the phase where nothing else is said.

    ``weights``: one metric ranks by its values, several by a weighted mean of what
    ``mix`` says. ``teams`` (slugs), ``systems`` (public ids) and ``clips`` (numbers from
    1) are left out, with the ``telling`` clips that separate the systems most.
    ``baselines`` compete as well.
    """

    weights: tuple[tuple[str, float], ...]
    precision: int
    counting: Counting
    mix: Mix = "z"
    teams: frozenset[str] = frozenset()
    systems: frozenset[str] = frozenset()
    clips: frozenset[int] = frozenset()
    telling: int = 0
    baselines: bool = False

    @classmethod
    def usual(cls, phase: Phase) -> "LabQuery":
        """The phase's own rules."""
        return cls(((phase.ranking_metric, 1.0),), phase.precision, phase.counting_rule)

    @classmethod
    def read(cls, query: Mapping[str, str], phase: Phase) -> "LabQuery":
        """Read the query of an address, nonsense replaced by what the phase has."""
        usual = cls.usual(phase)
        counting = query.get("counting", "")
        return cls(
            weights=_weights(query.get("metric", ""), phase.computed) or usual.weights,
            precision=_within(query.get("precision", ""), MOST_DECIMALS, usual.precision),
            counting=Counting(counting) if counting in Counting.values else usual.counting,
            mix=next((mix for mix in MIXES if mix == query.get("mix")), "z"),
            teams=frozenset(_listed(query.get("teams", ""))),
            systems=frozenset(_listed(query.get("systems", ""))),
            # Spans that name the same clips again and again must not cost much.
            clips=frozenset(islice(numbers_of(query.get("clips", "")), MOST_CLIPS)),
            telling=_within(query.get("telling", ""), MOST_CLIPS, 0),
            baselines=query.get("baselines") == "1",
        )

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that are ranked by."""
        return tuple(name for name, _ in self.weights)

    @property
    def mixed(self) -> bool:
        """Whether several metrics are put together."""
        return len(self.weights) > 1

    def query(self, phase: Phase, **more: str) -> str:
        """Write the query of the address; what is as in the phase stays out of it."""
        usual = LabQuery.usual(phase)
        values = {
            "metric": ",".join(f"{name}:{weight:g}" for name, weight in self.weights)
            if self.weights != usual.weights
            else "",
            "mix": self.mix if self.mixed and self.mix != "z" else "",
            "precision": str(self.precision) if self.precision != usual.precision else "",
            "counting": self.counting.value if self.counting != usual.counting else "",
            "teams": ",".join(sorted(self.teams)),
            "systems": ",".join(sorted(self.systems)),
            "clips": ",".join(spans_of(self.clips)),
            "telling": str(self.telling) if self.telling else "",
            "baselines": "1" if self.baselines else "",
            **more,
        }
        return urlencode({key: value for key, value in values.items() if value}, safe=":,")


def _weights(text: str, known: Collection[str]) -> tuple[tuple[str, float], ...]:
    weights: dict[str, float] = {}
    for part in _listed(text):
        name, _, weight = part.partition(":")
        number = _number(weight) if weight else 1.0
        if name in known and number is not None:
            weights.setdefault(name, number)
    return tuple(weights.items())[:MOST_METRICS]


def _number(text: str) -> float | None:
    """Read a weight, which is above 0."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 < number <= MOST_WEIGHT else None


def _within(text: str, most: int, usual: int) -> int:
    """Read a number from 0 to ``most``."""
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        return usual
    return int(text) if int(text) <= most else usual


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def numbers_of(text: str) -> Iterator[int]:
    """Read clips such as "3,7-9", which are numbered from 1; nonsense is left out."""
    for part in _listed(text):
        if span := _SPAN.fullmatch(part):
            first = int(span[1])
            last = int(span[2] or first)
            if 1 <= first <= last <= MOST_CLIPS:
                yield from range(first, last + 1)


def spans_of(numbers: Iterable[int]) -> list[str]:
    """Write numbers as ``numbers_of`` reads them."""
    ordered = sorted(numbers)
    ends = [at for at, (one, other) in enumerate(pairwise(ordered), 1) if other != one + 1]
    runs = [ordered[first:end] for first, end in pairwise([0, *ends, len(ordered)])]
    return [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs if run]


_COUNTS = {
    Counting.BEST: "each team's best counts",
    Counting.LAST: "each team's latest counts",
    Counting.CHOSEN: "the one that each team chose counts",
}


def rules_in_words(
    rules: LabQuery, phase: Phase, teams: Mapping[str, str], systems: Mapping[str, str]
) -> list[str]:
    """What differs from the phase's rules, in words; ``teams`` and ``systems`` map ids to names."""
    usual = LabQuery.usual(phase)
    parts = [
        (rules.weights != usual.weights, f"ranked by {_metrics_in_words(rules, phase)}"),
        (rules.precision != usual.precision, count_of(rules.precision, "decimal")),
        (rules.counting != usual.counting, _COUNTS[rules.counting]),
        (rules.baselines, "baselines compete"),
        (rules.teams, f"without the teams {_names(rules.teams, teams)}"),
        (rules.systems, f"without the systems {_names(rules.systems, systems)}"),
        (rules.clips, f"without the clips {', '.join(spans_of(rules.clips))}"),
        (rules.telling, f"without the {rules.telling} clips that separate the systems most"),
    ]
    return [text for differs, text in parts if differs]


def _metrics_in_words(rules: LabQuery, phase: Phase) -> str:
    labels = [phase.as_computed(METRICS[name]).label for name in rules.metrics]
    if not rules.mixed:
        return labels[0]
    weighted = zip(labels, rules.weights, strict=True)
    names = " and ".join(f"{label} ({weight:g})" for label, (_, weight) in weighted)
    return f"{names}, mixed by {MIXES[rules.mix]}"


def _names(keys: Iterable[str], known: Mapping[str, str]) -> str:
    return "; ".join(sorted(known.get(key, f"{key} (not here)") for key in keys))
