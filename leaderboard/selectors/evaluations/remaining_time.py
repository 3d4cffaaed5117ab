"""How long the scoring of a submission will still take."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from leaderboard.models import Evaluation, EvaluationState

LATEST = 100
ENOUGH = timedelta(seconds=2)


def time_left(phase: int, evaluations: Iterable[Evaluation], now: datetime) -> timedelta | None:
    """Time left for evaluations, from how long each family took for other systems of the phase."""
    rows = list(evaluations)
    if all(row.state in _DECIDED for row in rows):
        return None
    return remaining(rows, now, _usual(phase, rows))


def remaining(
    evaluations: Iterable[Evaluation], now: datetime, usual: Mapping[str, timedelta]
) -> timedelta | None:
    """Estimate the time left; None where there is no honest guess.

    A family under way takes as long per clip as it has so far, once a
    twentieth is done. Otherwise it takes its ``usual`` time, or where that is
    not known, the pace of the families of this submission so far; with less
    than two seconds or a twentieth of the clips there is none. Before anything
    has begun nobody knows.
    """
    rows = list(evaluations)
    if not any(row.started_at for row in rows):
        return None
    pace = _pace(rows, now)
    left = timedelta()
    for row in rows:
        if row.state in _DECIDED:
            continue
        own = _own(row, now, usual, pace)
        if own is None:
            return None
        left += own
    return left


_DECIDED = {EvaluationState.DONE, EvaluationState.FAILED}


def _own(
    row: Evaluation, now: datetime, usual: Mapping[str, timedelta], pace: timedelta | None
) -> timedelta | None:
    """Estimate the time left for one family."""
    spent = _spent(row, now)
    todo = row.clips_total - row.clips_done
    if row.clips_done and row.clips_done * 20 >= row.clips_total and spent >= ENOUGH:
        return spent * (todo / row.clips_done)
    if row.family in usual:
        return max(usual[row.family] - spent, timedelta())
    return None if pace is None else pace * todo


def _pace(rows: list[Evaluation], now: datetime) -> timedelta | None:
    """Give the time per clip so far, over all families that have begun."""
    done = sum(
        row.clips_total if row.state == EvaluationState.DONE else row.clips_done for row in rows
    )
    total = sum(row.clips_total for row in rows)
    spent = sum((_spent(row, now) for row in rows), timedelta())
    if not done or spent < ENOUGH or done * 20 < total:
        return None
    return spent / done


def _spent(row: Evaluation, now: datetime) -> timedelta:
    if row.started_at is None:
        return timedelta()
    if row.state == EvaluationState.RUNNING:
        return now - row.started_at
    return (row.finished_at - row.started_at) if row.finished_at else timedelta()


def _usual(phase: int, own: Iterable[Evaluation]) -> dict[str, timedelta]:
    """How long each family took lately for other systems of the phase: the median."""
    latest = (
        Evaluation.objects.filter(submission__phase=phase, state=EvaluationState.DONE)
        .exclude(submission__in={row.submission_id for row in own})
        .order_by("-pk")
        .only("family", "state", "started_at", "finished_at")[:LATEST]
    )
    found: dict[str, list[timedelta]] = {}
    for row in latest:
        if row.started_at and row.finished_at:
            found.setdefault(row.family, []).append(row.finished_at - row.started_at)
    return {family: sorted(times)[len(times) // 2] for family, times in found.items()}
