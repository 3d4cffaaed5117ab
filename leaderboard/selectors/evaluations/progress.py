"""How far the scoring of a submission is, and how long it will still take."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Literal

from leaderboard.models import Evaluation, EvaluationState
from scoring.registry import FAMILIES, metrics_of

State = Literal["waiting", "scoring", "scored", "partly", "failed"]


@dataclass(frozen=True, slots=True)
class FamilyProgress:
    """How far one metric family is."""

    family: str
    state: EvaluationState
    clips_done: int
    clips_total: int
    reason: str
    attempts: int

    @property
    def label(self) -> str:
        """The family as readers know it."""
        return family_label(self.family)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a submission is: its state in a word, and each family.

    ``partly`` means that all is decided and some families failed; their
    metrics are unavailable, the others stand.
    """

    state: State
    families: tuple[FamilyProgress, ...]

    @property
    def settled(self) -> bool:
        """Nothing will change without a person."""
        return self.state in {"scored", "partly", "failed"}

    @property
    def share(self) -> float:
        """Share of the clips done over all families, 0 to 1."""
        total = sum(family.clips_total for family in self.families)
        done = sum(
            family.clips_total if family.state in _SETTLED else family.clips_done
            for family in self.families
        )
        return done / total if total else 0.0

    @property
    def decided(self) -> int:
        """Number of families that are done or failed."""
        return sum(family.state in _SETTLED for family in self.families)

    @property
    def failed(self) -> tuple[FamilyProgress, ...]:
        """The families that failed, with their reasons."""
        return tuple(row for row in self.families if row.state == EvaluationState.FAILED)


_SETTLED = {EvaluationState.DONE, EvaluationState.FAILED}


def progress_of(evaluations: Iterable[Evaluation]) -> Progress:
    """Sum up a submission's published evaluations, in the order of the registry."""
    return progress_from(
        FamilyProgress(
            row.family,
            EvaluationState(row.state),
            row.clips_done,
            row.clips_total,
            row.reason,
            row.attempts,
        )
        for row in evaluations
    )


def progress_from(families: Iterable[FamilyProgress]) -> Progress:
    """Sum up families, in the order of the registry."""
    order = {name: position for position, name in enumerate(FAMILIES)}
    rows = tuple(sorted(families, key=lambda row: order.get(row.family, len(order))))
    return Progress(_state({row.state for row in rows}), rows)


@cache
def family_label(name: str) -> str:
    """The name under which readers know a family."""
    metrics = metrics_of(name)
    if not metrics:
        return name
    own = next((info.label for info in metrics if info.name == name), None)
    if own is not None or len(metrics) == 1:
        return own or metrics[0].label
    between = "and" if len(metrics) == 2 else "to"
    return f"{metrics[0].label} {between} {metrics[-1].label}"


def _state(states: set[EvaluationState]) -> State:
    if states <= {EvaluationState.PENDING}:
        return "waiting"
    if not states <= _SETTLED:
        return "scoring"
    if states == {EvaluationState.DONE}:
        return "scored"
    return "failed" if states == {EvaluationState.FAILED} else "partly"


def queue_ahead(evaluations: Iterable[Evaluation]) -> int:
    """Count the evaluations of others that were created before and still wait or run."""
    waiting = [row for row in evaluations if row.state == EvaluationState.PENDING]
    if not waiting:
        return 0
    first = min(waiting, key=lambda row: row.pk)
    return (
        Evaluation.objects.filter(
            state__in=[EvaluationState.PENDING, EvaluationState.RUNNING], pk__lt=first.pk
        )
        .exclude(submission_id=first.submission_id)
        .count()
    )


LATEST = 100
ENOUGH = timedelta(seconds=2)


def time_left(phase: int, evaluations: Iterable[Evaluation], now: datetime) -> timedelta | None:
    """Time left for evaluations, from how long each family took for other systems of the phase."""
    rows = list(evaluations)
    if all(row.state in _SETTLED for row in rows):
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
        if row.state in _SETTLED:
            continue
        own = _own(row, now, usual, pace)
        if own is None:
            return None
        left += own
    return left


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
    """The time per clip so far, over all families that have begun."""
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
