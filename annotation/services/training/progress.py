"""What a training notes of its progress, written with each heartbeat, and when its turn is over."""

import time
from datetime import datetime, timedelta
from math import isfinite
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from leaderboard.services.jobs.attempts import JobProgress
from leaderboard.services.jobs.states import JobClaim

if TYPE_CHECKING:
    from scoring.train.descriptors import PlanProgress


class TurnOver(Exception):
    """Others have waited long enough; the training goes on later."""


def finite(value: float) -> float | None:
    """The number as JSON can hold it: None for what is not finite."""
    return float(value) if isfinite(value) else None


class ProgressNotes:
    """What the page shows of a running training: its stage and step, loss and F1 of each epoch.

    ``spent`` counts the seconds of earlier turns. A training that resumes may report an
    epoch again; each epoch has one row.
    """

    def __init__(self, stored: dict[str, Any]) -> None:
        self._rows: dict[tuple[str, int], dict[str, Any]] = {
            (row["stage"], row["epoch"]): row for row in stored.get("rows", [])
        }
        self._now: dict[str, Any] = {}
        self.spent = float(stored.get("spent", 0))

    def add(self, step: "PlanProgress") -> bool:
        """Note a step; true if it ends an epoch that had not ended before."""
        self._now = {
            "stage": step.stage,
            "epoch": step.epoch,
            "epochs": step.epochs,
            "done": step.done,
            "total": step.total,
        }
        row = self._rows.setdefault(
            (step.stage, step.epoch), {"stage": step.stage, "epoch": step.epoch, "ended": False}
        )
        news = step.ended and not row["ended"]
        if step.ended or not row["ended"]:
            f1 = None if step.f1 is None else finite(step.f1)
            row |= {"epochs": step.epochs, "loss": finite(step.loss), "f1": f1}
            row["ended"] = step.ended
        return news

    def to_json(self, seconds: float) -> dict[str, Any]:
        """The notes as ``TrainingRun.told`` stores them; ``seconds`` are those of this turn."""
        rows = [dict(row) for row in self._rows.values()]
        return {**self._now, "rows": rows, "spent": round(self.spent + seconds, 1)}


class TrainingProgress:
    """Progress of an attempt: its notes, its heartbeat, and when it must stop or give way.

    ``stored`` are the notes of earlier turns. The time limit counts all turns together.
    """

    def __init__(
        self, claim: JobClaim, stored: dict[str, Any], *, limit: timedelta, turn: timedelta
    ) -> None:
        self._turn = turn
        self._began = time.monotonic()
        self._turn_began: datetime | None = None
        self._notes = ProgressNotes(stored)
        self.job = JobProgress(
            claim,
            limit=limit - timedelta(seconds=self._notes.spent),
            longest_pause=timedelta(seconds=5),
        )

    def note(self, step: "PlanProgress") -> None:
        """Note a step; raises what ended the right to go on, or the turn."""
        ended = self._notes.add(step)
        if self._turn_began is None and not (step.ended and not ended):
            self._turn_began = timezone.now()  # reading the encoder again is no part of the turn
        self.job.note(told=self.to_json())
        # Work that was saved is not lost by going on later.
        saved = ended or (step.kept and not step.ended)
        if saved and self._turn_began and timezone.now() - self._turn_began >= self._turn:
            raise TurnOver

    def to_json(self) -> dict[str, Any]:
        """The notes so far, to be stored."""
        return self._notes.to_json(time.monotonic() - self._began)
