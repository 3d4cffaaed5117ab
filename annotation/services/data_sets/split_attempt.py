"""One attempt at a split, from claim to stored parts.

What is written stands in one transaction that checks the claim: a split that was taken over or
cancelled stores nothing.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction

from annotation.batches import in_batches
from annotation.models import DataSet, DataSetClip, SplitRun
from annotation.selectors.data_sets.clips import CaptionedClip, captioned_clips
from annotation.services.data_sets.split_states import SPLITS, SplitRequest
from leaderboard.leases import database_now
from leaderboard.services.jobs.attempts import JobProgress, connection_renew, job_attempt
from leaderboard.services.jobs.states import JobClaim, job_claim, job_finish
from scoring.captions.faults import count_of
from scoring.datasets.splitting import ClipSplit, read_parts, split_clips, split_report
from scoring.datasets.splitting.kept_together import joined_groups, near_equal_clips
from scoring.datasets.splitting.origins import clips_of_one_origin
from scoring.datasets.splitting.part_files import split_json
from scoring.datasets.splitting.parts import size_faults
from scoring.datasets.splitting.words import Integers
from scoring.errors import ScoringError

MOST_VIOLATIONS = 1000


def split_attempt(*, run_id: int, token: int) -> None:
    """Claim a split and compute it; do nothing if it is taken."""
    now, lease = database_now(), settings.LEASE
    claim = job_claim(kind=SPLITS, pk=run_id, token=token, now=now, lease=lease)
    if claim is None:
        return
    run = SplitRun.objects.select_related("data_set").get(pk=run_id)
    progress = JobProgress(claim, limit=settings.TIME_LIMIT)
    progress.note(stage="Comparing captions", done=0, total=0)
    job_attempt(progress, partial(_split, run, progress))


def _split(run: SplitRun, progress: JobProgress) -> None:
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


# What the data set itself keeps of a report: all but the lists of words.
LISTS = ("violations", "words_by_part")


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
