"""One attempt at a training, from claim to a registered labeller.

What is written stands in one transaction that checks the claim: a training that was
taken over or cancelled registers nothing, and what is registered was written whole.
"""

import shutil
import time
from datetime import datetime, timedelta
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.models import RunState, TrainingRun
from annotation.selectors.training.runs import configured_backbone
from annotation.services.training import reports
from annotation.services.training.states import TRAININGS, training_notify
from leaderboard.leases import database_now
from leaderboard.models import Origin
from leaderboard.services.jobs.attempts import JobProgress, connection_renew, job_attempt
from leaderboard.services.jobs.states import JobClaim, job_claim, job_finish, job_give_way
from leaderboard.services.labellers.registry import labeller_register

if TYPE_CHECKING:
    from earmark.train.descriptors import PlanProgress, TrainingPlan

# How long what was computed of a training that did not end well is stored for another try.
STORED_FOR = timedelta(days=7)


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


def training_attempt(*, pk: int, token: int) -> None:
    """Claim a training and go on with it for a turn; do nothing if it is taken."""
    now, lease = database_now(), settings.LEASE
    claim = job_claim(kind=TRAININGS, pk=pk, token=token, now=now, lease=lease)
    if claim is None:
        return
    run = TrainingRun.objects.select_related("data", "project").get(pk=pk)
    _tidy()
    progress = TrainingProgress(
        claim, run.told, limit=settings.TRAINING_LIMIT, turn=settings.TRAINING_TURN
    )
    job_attempt(progress.job, partial(_take_turn, run, progress))


def _take_turn(run: TrainingRun, progress: TrainingProgress) -> None:
    """Train on; keep report and labeller with the run's final state, or nothing of them."""
    claim = progress.job.claim
    try:
        measured = _train(run, progress)
    except TurnOver:
        connection_renew()
        job_give_way(claim=claim, now=database_now(), told=progress.to_json())
        return
    connection_renew()
    sets = reports.sets_of(run)
    report = reports.storable_report(measured, own=sets[0].name)
    report["comparison"] = reports.comparison_with_labeller_in_use(run, sets, plan_of(run))
    _register(run, claim, report, progress.to_json(), database_now())
    shutil.rmtree(folder_of(run), ignore_errors=True)


def plan_of(run: TrainingRun) -> "TrainingPlan":
    """Turn a training's options into the plan that the command line takes as well.

    Raises ``ScoringError`` where its encoder is not offered any more.
    """
    from earmark.train.descriptors import TrainingPlan, default_recipe

    options: dict[str, Any] = run.options
    rate = "head_rate" if options["method"] == "head" else "rate"
    chosen = {"epochs": options["epochs"], rate: options["rate"]}
    recipe = default_recipe(
        options["method"],
        configured_backbone(options["backbone"]),
        name=options["name"],
        seed=options["seed"],
        batch=options["batch"],
        **{name: value for name, value in chosen.items() if value is not None},
    )
    return TrainingPlan(
        recipe,
        held_out=options["held_out"],
        folds=options["folds"],
        curve=options["curve"],
        learn_all=options["learn_all"],
    )


def _train(run: TrainingRun, progress: TrainingProgress) -> dict[str, Any]:
    from earmark.train.descriptors import TrainingEnvironment, run_training

    place = folder_of(run)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    return run_training(
        reports.sets_of(run),
        plan_of(run),
        place / "labeller",
        work=place / "work",
        on_progress=progress.note,
        environment=TrainingEnvironment(device=settings.SCORING_DEVICE),
    )


@transaction.atomic
def _register(
    run: TrainingRun, claim: JobClaim, report: dict[str, Any], notes: dict[str, Any], now: datetime
) -> None:
    # First, since it locks the row and checks the claim.
    job_finish(claim=claim, now=now, report=report, told=notes)
    labeller = labeller_register(
        folder=folder_of(run) / "labeller",
        name=run.name,
        origin=Origin.TRAINED,
        data_hash=report["data_hash"],
        recipe=report["recipe"],
        scores=report,
        # Who sees labellers may not know of the project; the link to it is for its managers.
        note="",
        actor=run.started_by,
        now=now,
    )
    TrainingRun.objects.filter(pk=run.pk).update(labeller=labeller)
    training_notify(run.pk, now)


def folder_of(run: TrainingRun) -> Path:
    """The folder of what a training has computed so far."""
    return Path(settings.TRAININGS_DIR) / str(run.pk)


def _tidy() -> None:
    """Delete what trainings left on this machine that nobody will try again."""
    place = Path(settings.TRAININGS_DIR)
    numbers = [int(path.name) for path in place.glob("*") if path.name.isdigit()]
    over = timezone.now() - STORED_FOR
    known = TrainingRun.objects.filter(pk__in=numbers).exclude(state=RunState.DONE)
    wanted = set(known.exclude(finished_at__lt=over).values_list("pk", flat=True))
    for number in set(numbers) - wanted:
        shutil.rmtree(place / str(number), ignore_errors=True)
