"""The heartbeat of a training, in a thread of its own, and what is told of its progress."""

import logging
import threading
from datetime import datetime, timedelta
from math import isfinite
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from django.db import Error as AnyDatabaseError
from django.db import connection
from django.utils import timezone

from annotation.services.training.states import Claim, LeaseLost, training_beat

if TYPE_CHECKING:
    from scoring.train.descriptors import Told

logger = logging.getLogger(__name__)

TELL_EVERY = 1.0


class CancelAsked(Exception):
    """Someone asked to cancel the training."""


class TurnOver(Exception):
    """Others have waited long enough; the training goes on later."""


class TimeLimitExceeded(Exception):
    """A training computed longer than the installation allows."""


def finite(value: float) -> float | None:
    """Give a number as JSON can hold it: none for what is not finite."""
    return float(value) if isfinite(value) else None


class Notes:
    """What the page shows of a training: the stage, the step, loss and F1 of each epoch.

    ``spent`` are the seconds of turns that are over. A training that goes on says an
    epoch again, or none that it had: each has one row.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self._rows: dict[tuple[str, int], dict[str, Any]] = {
            (row["stage"], row["epoch"]): row for row in told.get("rows", [])
        }
        self._now: dict[str, Any] = {}
        self.spent = float(told.get("spent", 0))

    def add(self, step: "Told") -> bool:
        """Note a step; tell whether it ends an epoch that was not ended before."""
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
        """Give it as ``TrainingRun.told`` keeps it; ``seconds`` are those of this turn."""
        rows = [dict(row) for row in self._rows.values()]
        return {**self._now, "rows": rows, "spent": round(self.spent + seconds, 1)}


class Heart:
    """Keep a training's lease alive, carry what it tells, and say when it must stop.

    Beats when there is something new (at most once a second), and in any case four
    times per lease. Stops beating when the time limit is over, so that even work stuck
    in native code loses its lease.
    """

    def __init__(
        self,
        claim: Claim,
        told: dict[str, Any],
        *,
        lease: timedelta,
        limit: timedelta,
        turn: timedelta,
    ) -> None:
        self._claim = claim
        self._lease = lease
        self._turn = turn
        self._began: datetime | None = None
        self.notes = Notes(told)
        self._deadline = claim.since + limit - timedelta(seconds=self.notes.spent)
        self._lock = threading.Lock()
        self._news = False
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def tell(self, step: "Told") -> None:
        """Note a step; raises what ended the right to go on, or the turn."""
        with self._lock:
            ended = self.notes.add(step)
            self._news = True
        if self._began is None and not (step.ended and not ended):
            self._began = timezone.now()  # to read the encoder again is no part of the turn
        if self._failure is not None:
            raise self._failure
        # What is kept is not lost by going on later.
        kept = ended or (step.kept and not step.ended)
        if kept and self._began and timezone.now() - self._began >= self._turn:
            raise TurnOver

    def told(self) -> dict[str, Any]:
        """Give what is to be stored."""
        with self._lock:
            self._news = False
            return self.notes.to_json((timezone.now() - self._claim.since).total_seconds())

    def _run(self) -> None:
        last = self._claim.since
        wait = min(TELL_EVERY, self._lease.total_seconds() / 4)
        try:
            while not self._stop.wait(wait):
                now = timezone.now()
                if now >= self._deadline:
                    self._failure = TimeLimitExceeded()
                elif self._news or now - last >= min(self._lease / 4, timedelta(seconds=5)):
                    self._beat(now)
                    last = now
                if self._failure is not None:
                    return
        finally:
            connection.close()

    def _beat(self, now: datetime) -> None:
        told = self.told() if self._news else None
        try:
            if training_beat(claim=self._claim, told=told, now=now, lease=self._lease):
                self._failure = CancelAsked()
        except LeaseLost as lost:
            self._failure = lost
        except AnyDatabaseError:
            # The next beat may succeed, over a new connection where this one is broken;
            # the lease covers a few that do not.
            self._news = True
            logger.warning("A heartbeat could not be written", exc_info=True)
            connection.close()
