"""Trainings: starting, cancelling and trying again, and the notice of how one ended.

What one learns from is stored unchanged, so that numbers can be traced. A training gives way to
others after its turn: it waits again and goes on from what it has computed. Whoever started it gets
a notice in the transaction that ends it.
"""

import gzip
import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.urls import reverse

from annotation.access import has_role
from annotation.models import Project, Role, RunState, TrainingData, TrainingRun
from annotation.selectors.training.material import (
    FEWEST,
    FEWEST_PER_FOLD,
    LabelledSet,
    TrainingSelection,
    material_amount,
    records_count,
    training_material,
)
from annotation.selectors.training.runs import project_scores
from annotation.services.projects import ProjectAct
from earmark.captions.faults import count_of
from leaderboard.models import NoticeKind
from leaderboard.models.leased_job import UNDER_WAY
from leaderboard.services.jobs.states import JobFailure, JobKind, job_cancel_asked
from leaderboard.services.people.notices import notice_send, shortened
from leaderboard.web.refusals import Refused

MOST_EPOCHS, MOST_BATCH = 50, 128
TOO_LONG = (
    "Choose fewer epochs, no folds and no learning curve, or another method, and start a new "
    "training. Trying again continues from where it stopped."
)
LOST_ADVICE = (
    "The most common reason is lack of memory. Choose a smaller batch, or the method head or "
    "lora, and try again."
)


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a training goes.

    ``TrainingRun.options`` stores them. ``backbone`` is "" for the packaged encoder; ``epochs``
    and ``rate`` None: as usual for the method. ``held_out`` is the share of captions that are
    judged and not learned from; ``folds`` 0: no cross-validation. ``learn_all``: once it is
    measured, a labeller that learned from all captions is made. ``name`` is the labeller's, as
    signatures have it.
    """

    name: str
    method: str = "lora"
    backbone: str = ""
    epochs: int | None = None
    rate: float | None = None
    batch: int = 16
    seed: int = 1
    held_out: float = 0.2
    folds: int = 0
    curve: bool = False
    learn_all: bool = False


def check_count(project: Project, chosen: TrainingSelection) -> None:
    """Refuse before more is read than a training may learn from."""
    most: int = settings.TRAINING_CAPTIONS
    count = records_count(project, chosen)
    if count > most:
        raise Refused(
            f"On this site a training may use at most {most:,} captions, but you chose {count:,}. "
            "Choose settled labels only, or fewer people or projects. An "
            "administrator of this site can change this limit (EARMARK_TRAINING_CAPTIONS).",
            status=422,
        )


@transaction.atomic
def training_start(
    *, project: Project, chosen: TrainingSelection, options: TrainingOptions, act: ProjectAct
) -> TrainingRun:
    """Keep the captions and let a training wait for a worker.

    Refused where there are too few or too many, with 409 where one of the project is under way.
    """
    project_lock(project)
    check_count(project, chosen)
    sets = training_material(project, chosen)
    texts, needed = material_amount(sets)["texts"], max(FEWEST, FEWEST_PER_FOLD * options.folds)
    if texts < needed:
        raise Refused(
            f"A training needs at least {needed} different captions, but there are only "
            f"{texts}. Settle or accept {count_of(needed - texts, 'more caption')}, "
            "or choose labels less strictly.",
            status=422,
        )
    last = TrainingRun.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    run = TrainingRun.objects.create(
        project=project,
        number=(last or 0) + 1,
        name=options.name,
        chosen=chosen.to_json(),
        options=asdict(options),
        data=training_data_keep(sets, now=act.now),
        started_by=act.actor,
        created_at=act.now,
    )
    act.note("train", project, number=run.number, data=run.data.sha256)
    return run


def training_data_keep(sets: Iterable[LabelledSet], *, now: datetime) -> TrainingData:
    """Keep captions as JSON lines, once for the same captions."""
    rows = list(sets)
    content = "".join(f"{line}\n" for part in rows for line in part.lines()).encode()
    data, _ = TrainingData.objects.get_or_create(
        sha256=hashlib.sha256(content).hexdigest(),
        defaults={
            "captions": sum(len(part.records) for part in rows),
            # The same bytes for the same captions, whenever they are kept.
            "content": gzip.compress(content, mtime=0),
            "created_at": now,
        },
    )
    return data


def over_time_limit() -> JobFailure:
    """Why an attempt was ended that computed for too long."""
    hours = settings.TRAINING_LIMIT.total_seconds() / 3600
    return JobFailure(f"The training took longer than the limit of {hours:g} hours.", TOO_LONG)


@transaction.atomic
def training_cancel(*, run: TrainingRun, act: ProjectAct) -> bool:
    """Cancel a training: at once while it waits, else at its next step (False then).

    Refused where it is over.
    """
    row = TrainingRun.objects.select_for_update().get(pk=run.pk)
    if row.state not in UNDER_WAY:
        raise Refused("This training has already ended. Nothing was changed.")
    if row.cancel_asked_at is not None:
        return False
    rows = TrainingRun.objects.filter(pk=run.pk)
    rows.update(cancel_asked_at=act.now, cancel_asked_by=act.actor)
    act.note("train-cancel", run.project, number=run.number)
    job_cancel_asked(kind=TRAININGS, pk=run.pk, now=act.now)
    return row.state == RunState.WAITING


@transaction.atomic
def training_retry(*, run: TrainingRun, act: ProjectAct) -> None:
    """Let a training that failed or was cancelled go on, with the same captions and options.

    The time limit counts anew. Refused where it did neither, or another one is under way.
    """
    project_lock(run.project)
    row = TrainingRun.objects.select_for_update().get(pk=run.pk)
    if row.state not in (RunState.FAILED, RunState.CANCELLED):
        raise Refused("This training did not fail. Start another one.")
    notes: dict[str, Any] = row.told
    TrainingRun.objects.filter(pk=run.pk).update(
        state=RunState.WAITING,
        attempts=0,
        cancel_asked_at=None,
        cancel_asked_by=None,
        enqueued_at=None,
        finished_at=None,
        reason="",
        advice="",
        detail="",
        told={**notes, "spent": 0},
    )
    act.note("train-again", run.project, number=run.number)


def project_lock(project: Project) -> None:
    """Let one training be started in a project at a time.

    Goes within a transaction, until whose end the project is locked.
    """
    Project.objects.select_for_update().get(pk=project.pk)
    if TrainingRun.objects.filter(project=project, state__in=UNDER_WAY).exists():
        raise Refused(
            "Another training of this project is running. Wait until it ends, or cancel it."
        )


def training_notify(run_id: int, now: datetime) -> None:
    """Send the notice that a training ended; call it once, in the transaction that ends it.

    Told is who started it and may still see it, and not of what they cancelled themselves.
    """
    run = (
        TrainingRun.objects.select_related("project__scheme", "started_by", "cancel_asked_by")
        .select_related("labeller")
        .get(pk=run_id)
    )
    user = run.started_by
    if user is None or not has_role(user, run.project, Role.ADJUDICATOR):
        return
    if run.state == RunState.CANCELLED and run.cancel_asked_by == user:
        return
    page = (
        f"{run.project.name}, training {run.number}",
        reverse("annotation:training", args=[run.project.slug, run.number]),
    )
    notice_send(users=[user], kind=NoticeKind.TRAINING, text=_notice_text(run), now=now, page=page)


def _notice_text(run: TrainingRun) -> str:
    name = f"Training {run.number} of {shortened(run.project.name, 80)}"
    if run.state == RunState.FAILED:
        return f"{name} failed. {run.reason or 'No reason was recorded.'}"
    if run.state == RunState.CANCELLED:
        who = run.cancel_asked_by
        by = f" by {who.get_username()}" if who is not None else ""
        return f"{name} was cancelled{by}. Nothing was registered."
    scores = project_scores(run)
    micro = None if scores is None else scores["micro"]
    f1 = "" if micro is None else f": F1 {micro:.3f} on captions it was not trained on"
    labeller = "" if run.labeller is None else f" Its labeller is {run.labeller.identity}."
    return f"{name} is done{f1}.{labeller}"


TRAININGS = JobKind(
    TrainingRun,
    worker_lost="The worker stopped three times in this training without finishing an epoch.",
    over_limit=over_time_limit,
    lost_advice=LOST_ADVICE,
    ended=training_notify,
)
