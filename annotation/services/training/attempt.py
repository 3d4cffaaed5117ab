"""One attempt at a training, from claim to a registered labeller.

What is written stands in one transaction that checks the claim: a training that was
taken over or cancelled registers nothing, and what is registered was written whole.
"""

import logging
import shutil
import traceback
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import close_old_connections, connection, transaction
from django.utils import timezone

from annotation.models import RunState, TrainingRun
from annotation.selectors.training.runs import configured_backbone
from annotation.services.training import reports
from annotation.services.training.progress import CancelAsked, TrainingProgress, TurnOver
from annotation.services.training.states import (
    LOST_ADVICE,
    TrainingClaim,
    TrainingFailure,
    over_time_limit,
    training_claim,
    training_fail,
    training_give_way,
    training_notify,
    training_stop,
    update_or_lose,
)
from leaderboard.job_memory import memory_reason
from leaderboard.lease_heartbeat import LeaseLost, TimeLimitExceeded, database_now
from leaderboard.models import Origin
from leaderboard.services.labellers import labeller_register
from leaderboard.web.redaction import without_paths
from scoring.errors import ScoringError

if TYPE_CHECKING:
    from scoring.train.descriptors import TrainingPlan

logger = logging.getLogger(__name__)

# How long what was computed of a training that did not end well is stored for another try.
STORED_FOR = timedelta(days=7)


def training_attempt(*, run_id: int, token: int) -> None:
    """Claim a training and go on with it for a turn; do nothing if it is taken."""
    claim = training_claim(run_id=run_id, token=token, now=database_now(), lease=settings.LEASE)
    if claim is None:
        return
    run = TrainingRun.objects.select_related("data", "project").get(pk=run_id)
    _tidy()
    progress = TrainingProgress(
        claim,
        run.told,
        lease=settings.LEASE,
        limit=settings.TRAINING_LIMIT,
        turn=settings.TRAINING_TURN,
    )
    with progress.heartbeat:
        _attempt(run, claim, progress)


def _attempt(run: TrainingRun, claim: TrainingClaim, progress: TrainingProgress) -> None:
    try:
        report = _train(run, progress)
        _renew_connection()
        _finish(run, claim, report, progress)
    except LeaseLost:
        logger.warning("Training %s was taken over by another attempt", run.pk)
    except TurnOver:
        _ended(
            partial(training_give_way, claim=claim, notes=progress.to_json(), now=database_now())
        )
    except CancelAsked:
        _ended(partial(training_stop, claim=claim, notes=progress.to_json(), now=database_now()))
    except TimeLimitExceeded:
        _fail(claim, over_time_limit())
    except ScoringError as error:
        advice = str(getattr(error, "advice", ""))
        reason = memory_reason(error) or str(error)
        _fail(claim, TrainingFailure(reason, advice, detail=traceback.format_exc()))
    except Exception as error:
        want_of_memory = memory_reason(error)
        logger.exception("Training %s failed. %s", run.pk, want_of_memory)
        # The text of an unexpected error may hold a caption.
        reason = want_of_memory or f"Unexpected error ({type(error).__name__})."
        advice = LOST_ADVICE if want_of_memory else ""
        detail, final = traceback.format_exc(), bool(want_of_memory)
        _fail(claim, TrainingFailure(reason, advice, detail=detail, final=final))


def _ended(write: "partial[None]") -> None:
    _renew_connection()
    try:
        write()
    except LeaseLost:
        logger.warning("A training was taken over before its attempt ended")


def _fail(claim: TrainingClaim, failure: TrainingFailure) -> None:
    _renew_connection()
    stored = TrainingFailure(
        without_paths(_storable(failure.reason)),
        without_paths(_storable(failure.advice)),
        _storable(failure.detail[-8000:]),
        failure.final,
    )
    training_fail(claim=claim, failure=stored, now=database_now())


def _renew_connection() -> None:
    """Drop a connection that the training outlived, unless a transaction depends on it."""
    if not connection.in_atomic_block:
        close_old_connections()


def _storable(text: str) -> str:
    """Escape what databases refuse in text: NUL and halves of surrogate pairs."""
    return text.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode()


def plan_of(run: TrainingRun) -> "TrainingPlan":
    """Turn a training's options into the plan that the command line takes as well.

    Raises ``BackboneGone``.
    """
    from scoring.train.descriptors import TrainingPlan, default_recipe

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
    from scoring.train.descriptors import TrainingEnvironment, report_json, run_training

    place = folder_of(run)
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    report = run_training(
        reports.sets_of(run),
        plan_of(run),
        place / "labeller",
        work=place / "work",
        on_progress=progress.note,
        environment=TrainingEnvironment(device=settings.SCORING_DEVICE),
    )
    return report_json(report)


def _finish(
    run: TrainingRun, claim: TrainingClaim, measured: dict[str, Any], progress: TrainingProgress
) -> None:
    """Keep report and labeller with the run's final state, or nothing of them."""
    sets = reports.sets_of(run)
    report = reports.storable_report(measured, own=sets[0].name)
    report["comparison"] = reports.comparison_with_labeller_in_use(run, sets, plan_of(run))
    _register(run, claim, report, progress.to_json(), database_now())
    shutil.rmtree(folder_of(run), ignore_errors=True)


@transaction.atomic
def _register(
    run: TrainingRun,
    claim: TrainingClaim,
    report: dict[str, Any],
    notes: dict[str, Any],
    now: datetime,
) -> None:
    # First, since it locks the row and checks the claim.
    update_or_lose(
        claim,
        state=RunState.DONE,
        report=report,
        told=notes,
        reason="",
        advice="",
        detail="",
        finished_at=now,
        lease_expires_at=None,
    )
    if TrainingRun.objects.filter(pk=run.pk, cancel_asked_at__isnull=False).exists():
        raise CancelAsked  # takes back what was just written
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
    training_notify(run_id=run.pk, now=now)


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
