"""One attempt at a split, from claim to stored parts.

What is written stands in one transaction that checks the claim: a split that was taken over or
cancelled stores nothing.
"""

import logging
import threading
from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np
from django.conf import settings
from django.db import close_old_connections, connection, transaction

from annotation.models import DataSet, DataSetClip, SplitRun, SplitState
from annotation.selectors.data_sets.clips import CaptionedClip, captioned_clips
from annotation.services.data_sets.split_states import (
    TOO_LONG,
    SplitClaim,
    SplitRequest,
    split_beat,
    split_claim,
    split_fail,
    split_stop,
    update_or_lose,
)
from leaderboard.job_memory import memory_reason
from leaderboard.lease_heartbeat import (
    AttemptOver,
    LeaseHeartbeat,
    LeaseLost,
    TimeLimitExceeded,
    database_now,
)
from scoring.captions.faults import count_of
from scoring.datasets.splitting import ClipSplit, read_parts, split_clips, split_report
from scoring.datasets.splitting.groups import joined_groups
from scoring.datasets.splitting.near_equal import near_equal_clips
from scoring.datasets.splitting.origins import clips_of_one_origin
from scoring.datasets.splitting.part_files import split_json
from scoring.datasets.splitting.parts import size_faults
from scoring.datasets.splitting.words import Integers

logger = logging.getLogger(__name__)

MOST_VIOLATIONS = 1000
_AT_ONCE = 500


class CancelRequested(AttemptOver):
    """Someone asked to cancel the split."""


class SplitImpossible(Exception):
    """The clips cannot be split as asked; the text says why and what to do."""


class _SplitProgress:
    """Progress of an attempt, and its heartbeat."""

    def __init__(self, claim: SplitClaim) -> None:
        self._claim = claim
        self._lock = threading.Lock()
        self._now = ("Comparing captions", 0, 0)
        self._news = True
        self.heartbeat = LeaseHeartbeat(
            write=self._write,
            has_news=lambda: self._news,
            limit=settings.TIME_LIMIT,
            lease=settings.LEASE,
        )

    def note(self, stage: str, done: int, total: int) -> None:
        """Note how far it is; raises what ended the right to go on."""
        with self._lock:
            self._now, self._news = (stage, done, total), True
        self.heartbeat.check()

    def _write(self, now: datetime) -> None:
        with self._lock:
            progress, self._news = self._now, False
        if split_beat(claim=self._claim, progress=progress, now=now, lease=settings.LEASE):
            raise CancelRequested


def split_attempt(*, run_id: int, token: int) -> None:
    """Claim a split and compute it; do nothing if it is taken."""
    claim = split_claim(run_id=run_id, token=token, now=database_now(), lease=settings.LEASE)
    if claim is None:
        return
    run = SplitRun.objects.select_related("data_set").get(pk=run_id)
    progress = _SplitProgress(claim)
    with progress.heartbeat:
        _attempt(run, claim, progress)


def _attempt(run: SplitRun, claim: SplitClaim, progress: _SplitProgress) -> None:
    try:
        clips = captioned_clips(run.data_set)
        split, groups = split_of(clips, SplitRequest.of(run.asked), progress)
        _renew_connection()
        _store(run, claim, clips, split, report_of(split, groups))
    except LeaseLost:
        logger.warning("Split %s was taken over by another attempt", run.pk)
    except CancelRequested:
        _renew_connection()
        split_stop(claim=claim, now=database_now())
    except TimeLimitExceeded:
        _fail(claim, TOO_LONG, final=True)
    except SplitImpossible as error:
        _fail(claim, str(error), final=True)
    except Exception as error:
        logger.exception("Split %s failed", run.pk)
        # The text of an unexpected error may hold a caption.
        reason = memory_reason(error) or f"Unexpected error ({type(error).__name__})."
        _fail(claim, reason, final=False)


def _fail(claim: SplitClaim, reason: str, *, final: bool) -> None:
    _renew_connection()
    split_fail(claim=claim, reason=reason, final=final, now=database_now())


def _renew_connection() -> None:
    """Drop a connection that the work outlived, unless a transaction depends on it."""
    if not connection.in_atomic_block:
        close_old_connections()


def split_of(
    clips: Sequence[CaptionedClip], request: SplitRequest, progress: _SplitProgress
) -> tuple[ClipSplit, Integers]:
    """Split clips; also the group of each clip. Raises ``SplitImpossible``."""
    parts = read_parts(request.parts).parts
    if faults := size_faults(parts, len(clips)):
        raise SplitImpossible(" ".join(fault.message for fault in faults))
    together = list(clips_of_one_origin([clip.meta for clip in clips], request.columns))
    if request.similarity:
        captions = [clip.captions for clip in clips]
        for alike in near_equal_clips(captions, Fraction(request.similarity)):
            progress.heartbeat.check()
            together.append(alike)
    groups = joined_groups(len(clips), together)
    number = int(groups.max(initial=-1)) + 1
    if number < len(parts):
        raise SplitImpossible(
            f"The clips are in {count_of(number, 'group')} that stay together, for {len(parts)} "
            "parts. Keep fewer clips together, or ask for fewer parts."
        )
    split = split_clips(
        [clip.captions for clip in clips],
        parts,
        seed=request.seed,
        groups=groups,
        trials=request.trials,
        progress=progress.note,
    )
    for part, count in zip(split.parts, split.clip_counts, strict=True):
        if count == 0:
            raise SplitImpossible(
                f"No clip is left for {part.name}: the groups of clips that stay together are "
                "too large for its share. Raise the share, or keep fewer clips together."
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
    claim: SplitClaim,
    clips: Sequence[CaptionedClip],
    split: ClipSplit,
    report: dict[str, Any],
) -> None:
    """Keep parts and report with the run's final state, or nothing of them."""
    now = database_now()
    # First, since it locks the row and checks the claim.
    update_or_lose(
        claim,
        state=SplitState.DONE,
        report=report,
        reason="",
        finished_at=now,
        lease_expires_at=None,
    )
    if SplitRun.objects.filter(pk=run.pk, cancel_asked_at__isnull=False).exists():
        raise CancelRequested  # takes back what was just written
    rows = DataSetClip.objects.filter(data_set=run.data_set_id)
    rows.update(part="")
    for number, part in enumerate(split.parts):
        keys = [clips[place].pk for place in np.flatnonzero(split.assignment == number).tolist()]
        for at in range(0, len(keys), _AT_ONCE):
            rows.filter(pk__in=keys[at : at + _AT_ONCE]).update(part=part.name)
    DataSet.objects.filter(pk=run.data_set_id).update(
        split={
            "run": run.pk,
            "at": now.isoformat(),
            "asked": run.asked,
            "report": {name: value for name, value in report.items() if name not in LISTS},
        }
    )
