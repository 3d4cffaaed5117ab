"""Splits of data sets: starting and cancelling them."""

from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction

from annotation.models import DataSet, SplitRun, SplitState
from annotation.services.data_sets.making import DataSetAct
from leaderboard.models.leased_job import UNDER_WAY
from leaderboard.services.jobs.states import JobFailure, JobKind, job_cancel_asked
from leaderboard.web.refusals import Refused
from scoring.datasets.splitting import SIMILARITY, TRIALS

SPLITS = JobKind(
    SplitRun,
    worker_lost="The worker stopped three times in this split, most often because memory ran "
    "out. An administrator of this site can find the reason in the worker's log.",
    over_limit=lambda: JobFailure(
        "The split took longer than the time limit. An administrator of this site can change the "
        "limit."
    ),
)


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """What is asked of a split.

    ``parts`` are written NAME=SHARE with commas. Clips with the same value of one of
    ``columns`` of their metadata stay together, and so do clips with captions of at least
    this ``similarity`` (a number as text; "": captions do not matter).
    """

    parts: str
    seed: int = 0
    columns: tuple[str, ...] = ()
    similarity: str = str(float(SIMILARITY))
    trials: int = TRIALS

    @classmethod
    def of(cls, stored: dict[str, Any]) -> "SplitRequest":
        """The request as ``SplitRun.asked`` has it."""
        return cls(**{**stored, "columns": tuple(stored["columns"])})


@transaction.atomic
def split_start(*, data_set: DataSet, request: SplitRequest, act: DataSetAct) -> SplitRun:
    """Have a data set split; the parts that it has stay until that is done.

    Refused where a split of it is under way.
    """
    locked = DataSet.objects.select_for_update().get(pk=data_set.pk)
    if SplitRun.objects.filter(data_set=locked, state__in=UNDER_WAY).exists():
        raise Refused("A split of this data set is running. Wait until it ends, or cancel it.")
    run = SplitRun.objects.create(
        data_set=locked, asked=asdict(request), started_by=act.actor, created_at=act.now
    )
    act.note("split", locked, parts=request.parts, seed=request.seed)
    return run


@transaction.atomic
def split_cancel(*, run: SplitRun, act: DataSetAct) -> bool:
    """Cancel a split: at once while it waits, else at its next step (False then).

    Refused where it is over.
    """
    row = SplitRun.objects.select_for_update().get(pk=run.pk)
    if row.state not in UNDER_WAY:
        raise Refused("This split has already ended. Nothing was changed.")
    if row.cancel_asked_at is None:
        SplitRun.objects.filter(pk=row.pk).update(cancel_asked_at=act.now)
        act.note("split-cancel", row.data_set)
    job_cancel_asked(kind=SPLITS, pk=row.pk, now=act.now)
    return row.state == SplitState.WAITING
