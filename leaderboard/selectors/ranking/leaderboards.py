"""The leaderboards of all phases as plain values, to compare a site with itself at another time."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from leaderboard.models import Phase
from leaderboard.selectors.ranking.snapshots import whole_ranking
from scoring.registry import METRICS


@dataclass(frozen=True, slots=True)
class LeaderboardComparison:
    """The leaderboard of a phase then and now; ``changes`` says what differs."""

    phase: str
    systems: int
    ranked: int
    changes: tuple[str, ...]


def leaderboards(*, now: datetime) -> Iterator[dict[str, Any]]:
    """Each phase with its systems in the order of the leaderboard, their ranks and values.

    ``systems`` is None where the metric that ranks is no longer known. Intervals are left out:
    they are estimates, which a later version may cut to the range of their metric.
    """
    for phase in Phase.objects.select_related("challenge").order_by("pk"):
        known = phase.ranking_metric in METRICS
        yield {
            "phase": f"{phase.challenge.slug}/{phase.slug}",
            "metric": phase.ranking_metric,
            "systems": _systems(whole_ranking(phase, now)) if known else None,
        }


def _systems(ranking: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **{key: one[key] for key in ("id", "system_name", "team", "rank", "rank_of_all")},
            "values": {metric: row[0] for metric, row in sorted(one["values"].items())},
        }
        for one in ranking["systems"]
    ]


def leaderboards_compared(
    then: list[dict[str, Any]], now: list[dict[str, Any]]
) -> Iterator[LeaderboardComparison]:
    """What became of each leaderboard of ``then``."""
    today = {board["phase"]: board["systems"] for board in now}
    for board in then:
        before, after = board["systems"] or [], today.get(board["phase"])
        ranked = sum(one["rank"] is not None for one in before)
        changes = tuple(_changes(board["systems"], after))
        yield LeaderboardComparison(board["phase"], len(before), ranked, changes)


def _changes(
    before: list[dict[str, Any]] | None, after: list[dict[str, Any]] | None
) -> Iterator[str]:
    if before is None or after is None:
        if before is not after:
            yield "the phase is gone, or its ranking metric is not known here"
        return
    rows = {one["id"]: one for one in after}
    for one in before:
        found = rows.pop(one["id"], None)
        name = f"{one['system_name']} ({one['id']})"
        if found is None:
            yield f"{name} is gone"
            continue
        for key, value in one.items():
            if found.get(key) != value:
                yield f"{name}: {key} was {value} and is {found.get(key)}"
    for key, one in rows.items():
        yield f"{one['system_name']} ({key}) is new"
    order = [one["id"] for one in before], [one["id"] for one in after]
    if not rows and len(order[0]) == len(order[1]) and order[0] != order[1]:
        yield "the order of the systems is another"
