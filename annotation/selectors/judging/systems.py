"""The systems of a phase in the order in which they are offered to be judged."""

from collections.abc import Iterable

from leaderboard.models import Phase, Submission
from leaderboard.selectors.ranking.ranking import ranking_of


def best_first(phase: Phase, systems: Iterable[Submission]) -> list[Submission]:
    """Systems in the order of the phase's ranking, each team's counting one before all others."""
    counting = [row.key for row in ranking_of(phase).rows]
    others = [row.key for row in ranking_of(phase, every_system=True).rows]
    order = {key: at for at, key in enumerate(dict.fromkeys([*counting, *others]))}
    return sorted(systems, key=lambda row: (order.get(row.pk, len(order)), row.pk))
