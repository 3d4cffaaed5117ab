"""The rules of a lab in words."""

from collections.abc import Iterable, Mapping

from leaderboard.models import Counting, Phase
from leaderboard.selectors.lab.query import MIXES, LabQuery, spans_of
from scoring.registry import METRICS

_COUNTS = {
    Counting.BEST: "each team's best counts",
    Counting.LAST: "each team's latest counts",
    Counting.CHOSEN: "the one that each team chose counts",
}


def rules_said(
    asked: LabQuery, phase: Phase, teams: Mapping[str, str], systems: Mapping[str, str]
) -> list[str]:
    """Say what is other than in the phase; ``teams`` and ``systems`` give names by address."""
    usual = LabQuery.usual(phase)
    parts = [
        (asked.weights != usual.weights, f"ranked by {_metrics_said(asked)}"),
        (asked.precision != usual.precision, _decimals(asked.precision)),
        (asked.counting != usual.counting, _COUNTS[asked.counting]),
        (asked.baselines, "baselines compete"),
        (asked.teams, f"without the teams {_names(asked.teams, teams)}"),
        (asked.systems, f"without the systems {_names(asked.systems, systems)}"),
        (asked.clips, f"without the clips {', '.join(spans_of(asked.clips))}"),
        (asked.telling, f"without the {asked.telling} clips that separate the systems most"),
    ]
    return [text for differs, text in parts if differs]


def _metrics_said(asked: LabQuery) -> str:
    if not asked.mixed:
        return METRICS[asked.weights[0][0]].label
    told = " and ".join(f"{METRICS[name].label} ({weight:g})" for name, weight in asked.weights)
    return f"{told}, mixed by {MIXES[asked.mix]}"


def _decimals(precision: int) -> str:
    return f"{precision} decimal{'' if precision == 1 else 's'}"


def _names(keys: Iterable[str], known: Mapping[str, str]) -> str:
    return "; ".join(sorted(known.get(key, f"{key} (not here)") for key in keys))
