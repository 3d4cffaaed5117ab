"""The systems of a phase whose captions are judged: their order, and how they are called."""

from collections.abc import Iterable, Mapping

from annotation.models import PairDraw, Project
from leaderboard.models import Phase, Submission
from leaderboard.selectors.ranking.ranking import ranking_of
from leaderboard.selectors.visibility.visibility import system_alias


def best_first(phase: Phase, systems: Iterable[Submission]) -> list[Submission]:
    """Systems in the order of the phase's ranking, each team's counting one before all others."""
    counting = [row.key for row in ranking_of(phase).rows]
    others = [row.key for row in ranking_of(phase, every_system=True).rows]
    order = {key: at for at, key in enumerate(dict.fromkeys([*counting, *others]))}
    return sorted(systems, key=lambda row: (order.get(row.pk, len(order)), row.pk))


def system_names(project: Project, phase: Phase | None, *, named: bool) -> Mapping[str, str]:
    """Names of the systems in a project's pairs, by their public ids; ones that are gone have none.

    ``named``: real ones, not made-up ones. Where the phase is not here, they are as the archive
    has them of which the project was made.
    """
    draws = PairDraw.objects.filter(project=project).values_list("systems", flat=True)
    systems = [system for drawn in draws for system in drawn]
    if phase is None:
        return {one["id"]: one["name"] for one in systems if isinstance(one, dict) and one["name"]}
    rows = Submission.objects.filter(phase=phase, public_id__in=systems).select_related("team")
    if named:
        return {row.public_id: f"{row.system_name} ({row.team})" for row in rows}
    return {row.public_id: system_alias(row.phase_id, row.pk) for row in rows}
