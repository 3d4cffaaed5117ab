"""Splits of data sets: starting and cancelling them, and one attempt, from claim to stored parts.

What is written stands in one transaction that checks the claim: a split that was taken over or
cancelled stores nothing.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from annotation.batches import in_batches
from annotation.models import DataSet, DataSetClip, SplitRun, SplitState
from annotation.selectors.data_sets.clips import CaptionedClip, captioned_clips
from annotation.services.data_sets.making import DataSetAct
from earmark.captions.faults import count_of
from earmark.datasets.splitting import (
    SIMILARITY,
    TRIALS,
    ClipSplit,
    read_parts,
    split_clips,
    split_report,
)
from earmark.datasets.splitting.kept_together import joined_groups, near_equal_clips
from earmark.datasets.splitting.origins import clips_of_one_origin
from earmark.datasets.splitting.part_files import split_json
from earmark.datasets.splitting.parts import size_faults
from earmark.datasets.splitting.words import Integers
from earmark.errors import ScoringError
from leaderboard.leases import database_now
from leaderboard.models.leased_job import UNDER_WAY
from leaderboard.services.jobs.attempts import JobProgress, connection_renew, job_work
from leaderboard.services.jobs.states import (
    JobClaim,
    JobFailure,
    JobKind,
    job_cancel_asked,
    job_finish,
)
from leaderboard.web.refusals import Refused

MOST_VIOLATIONS = 1000
# What the data set itself keeps of a report: all but the lists of words.
LISTS = ("violations", "words_by_part")
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


def split_attempt(*, pk: int, token: int) -> None:
    """Claim a split and compute it; do nothing if it is taken."""
    job_work(kind=SPLITS, pk=pk, token=token, limit=settings.TIME_LIMIT, work=_split)


def _split(progress: JobProgress) -> None:
    run = SplitRun.objects.select_related("data_set").get(pk=progress.claim.pk)
    progress.note(stage="Comparing captions", done=0, total=0)
    clips = captioned_clips(run.data_set)
    split, groups = split_of(clips, SplitRequest.of(run.asked), progress)
    connection_renew()
    _store(run, progress.claim, clips, split, report_of(split, groups))


def split_of(
    clips: Sequence[CaptionedClip], request: SplitRequest, progress: JobProgress
) -> tuple[ClipSplit, Integers]:
    """Split clips; also the group of each clip. Raises ``ScoringError`` where that cannot be."""
    parts = read_parts(request.parts).parts
    if faults := size_faults(parts, len(clips)):
        raise ScoringError(" ".join(fault.message for fault in faults))
    together = list(clips_of_one_origin([clip.meta for clip in clips], request.columns))
    if request.similarity:
        captions = [clip.captions for clip in clips]
        for alike in near_equal_clips(captions, Fraction(request.similarity)):
            progress.check()
            together.append(alike)
    groups = joined_groups(len(clips), together)
    number = int(groups.max(initial=-1)) + 1
    if number < len(parts):
        raise ScoringError(
            f"The clips are in {count_of(number, 'group')} that stay together, for {len(parts)} "
            "parts. Keep fewer clips together, or ask for fewer parts."
        )
    split = split_clips(
        [clip.captions for clip in clips],
        parts,
        seed=request.seed,
        groups=groups,
        trials=request.trials,
        progress=lambda stage, done, total: progress.note(stage=stage, done=done, total=total),
    )
    for part, count in zip(split.parts, split.clip_counts, strict=True):
        if count == 0:
            raise ScoringError(
                f"No clips are left for {part.name}, because the groups of clips that stay "
                "together are too large for its share. Raise the share, or keep fewer clips "
                "together."
            )
    return split, groups


def report_of(split: ClipSplit, groups: Integers) -> dict[str, Any]:
    """What came of a split: its measures, the words that break constraints, and all words.

    ``words`` has those of two clips or more with their clips in each part.
    """
    report, sizes = split_report(split), np.bincount(groups)
    return {
        **split_json(split),
        "development": split.development.name,
        "kept_together": {"groups": int((sizes > 1).sum()), "largest": int(sizes.max(initial=0))},
        "violation_count": len(report.violations),
        "violations": [
            {
                "word": one.word,
                "clips": one.frequency,
                "by_part": list(one.counts),
                "wanted": one.ideal,
                "tolerance": one.tolerance,
                "violations": [str(kind) for kind in one.violations],
            }
            for one in report.violations[:MOST_VIOLATIONS]
        ],
        "words_by_part": [
            [word, *counts]
            for word, counts in zip(report.words, report.counts.T.tolist(), strict=True)
        ],
    }


@transaction.atomic
def _store(
    run: SplitRun,
    claim: JobClaim,
    clips: Sequence[CaptionedClip],
    split: ClipSplit,
    report: dict[str, Any],
) -> None:
    """Keep parts and report with the run's final state, or nothing of them."""
    now = database_now()
    # First, since it locks the row and checks the claim.
    job_finish(claim=claim, now=now, report=report)
    rows = DataSetClip.objects.filter(data_set=run.data_set_id)
    rows.update(part="")
    for number, part in enumerate(split.parts):
        keys = [clips[place].pk for place in np.flatnonzero(split.assignment == number).tolist()]
        for pks in in_batches(keys):
            rows.filter(pk__in=pks).update(part=part.name)
    DataSet.objects.filter(pk=run.data_set_id).update(
        split={
            "run": run.pk,
            "at": now.isoformat(),
            "asked": run.asked,
            "report": {name: value for name, value in report.items() if name not in LISTS},
        }
    )
