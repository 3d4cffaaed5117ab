"""How firm the ranks of a phase are, as a worker has estimated them (``rank_estimates``)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from leaderboard.models import Evaluation, EvaluationState, Phase, RankEstimates
from leaderboard.selectors.ranking.ranking import Ranking, ranking_of
from leaderboard.selectors.visibility.ranked_row import RankRange
from leaderboard.selectors.visibility.visible_submissions import frozen_of

TOO_EARLY = "they had not been estimated yet when the ranking was frozen"
# known: the estimates fit the ranking; pending: a worker makes them; none: there is
# nothing to compare, or ``reason`` says why no range can be given.
State = Literal["known", "pending", "none"]


@dataclass(frozen=True, slots=True)
class Ranges:
    """The ranges of some systems by submission, and what they rest on.

    ``counted``: the value that ranks is not the mean of the clips' scores, from which
    the ranges are drawn.
    """

    state: State
    reason: str = ""
    resamples: int = 0
    clips: int = 0
    counted: bool = False
    by_key: Mapping[int, RankRange] = field(default_factory=dict)


def ranges_of(ranking: Ranking, keys: Collection[int]) -> Ranges:
    """The ranges of some systems of a ranking; one query."""
    if sum(line.rank is not None for line in ranking.rows) < 2:
        return Ranges("none")
    if ranking.view.until is not None:
        return _frozen(ranking, frozenset(keys))
    stored = (
        RankEstimates.objects.filter(phase=ranking.phase, every_system=ranking.every_system)
        .values_list("stamp", "content")
        .first()
    )
    if stored is None or stored[0] != ranking.stamp:
        return Ranges("pending")
    return _read(stored[1], ranking, frozenset(keys))


def _frozen(ranking: Ranking, keys: frozenset[int]) -> Ranges:
    """The ranges that were known when the ranking was frozen."""
    table = "all" if ranking.every_system else "teams"
    content = frozen_of(ranking.phase.pk, ranking.view).estimates.get(table)
    return Ranges("none", TOO_EARLY) if content is None else _read(content, ranking, keys)


def _read(content: Mapping[str, Any], ranking: Ranking, keys: frozenset[int]) -> Ranges:
    if content["reason"]:
        return Ranges("none", content["reason"])
    names = {line.key: line.system_name for line in ranking.rows}
    systems: list[int] = content["systems"]
    rows = zip(systems, content["low"], content["high"], content["tied"], strict=True)
    by_key = {}
    for key, low, high, spans in rows:
        if key in keys:
            # Spans cover places, ends included.
            tied = tuple(key for first, last in spans for key in systems[first : last + 1])
            by_key[key] = RankRange(low, high, tied, tuple(names.get(at, "") for at in tied))
    return Ranges(
        "known",
        resamples=content["resamples"],
        clips=content["clips"],
        counted=content["counted"],
        by_key=by_key,
    )


# At most a tenth of a worker's time goes into the estimates of one phase.
REST = 10


def phases_due_for_estimates(*, now: datetime) -> list[int]:
    """Phases whose estimates are out of date and were not made too recently."""
    phases = Phase.objects.filter(submissions__isnull=False).distinct()
    return [phase.pk for phase in phases.order_by("pk") if _due(phase, now)]


def phase_to_estimate(*, evaluation_id: int, now: datetime) -> int | None:
    """The phase whose ranks have changed by an evaluation that just ended, where it is due.

    Also while others of the phase wait: in a long backlog the last of them is hours away.
    """
    evaluation = (
        Evaluation.objects.filter(pk=evaluation_id, state=EvaluationState.DONE, published=True)
        .select_related("submission__phase")
        .defer("detail")
        .first()
    )
    if evaluation is None or evaluation.submission.phase.ranking.family != evaluation.family:
        return None
    return evaluation.submission.phase_id if _due(evaluation.submission.phase, now) else None


def _due(phase: Phase, now: datetime) -> bool:
    for stored in RankEstimates.objects.filter(phase=phase).values("made_at", "content__seconds"):
        rest = REST * float(stored["content__seconds"] or 0)
        if now < stored["made_at"] + timedelta(seconds=rest):
            return False
    return estimates_stale(
        phase, [ranking_of(phase, every_system=every) for every in (True, False)]
    )


def estimates_stale(phase: Phase, tables: Sequence[Ranking]) -> bool:
    """Whether the stored estimates of some tables of a phase are missing or out of date."""
    stamps = dict(RankEstimates.objects.filter(phase=phase).values_list("every_system", "stamp"))
    return any(stamps.get(table.every_system) != table.stamp for table in tables)
