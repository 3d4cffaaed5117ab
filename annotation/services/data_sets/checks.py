"""Checking all captions of a data set: starting, working, and going on where a worker was lost.

Every change of a check's state is one UPDATE with the expected state in its WHERE clause, as with
trainings.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction

from annotation.models import CheckState, DataSet, DataSetCaption, DataSetCheck, DataSetClip
from annotation.selectors.data_sets.checking import findings_of_set, placed_captions
from annotation.services.data_sets.findings import findings_update
from annotation.services.data_sets.making import DataSetAct
from leaderboard.lease_heartbeat import LeaseLost, database_now
from scoring.datasets.findings import DEFAULT_KINDS, KINDS, CheckFinding, PlacedCaption
from scoring.errors import ScoringError

logger = logging.getLogger(__name__)

# So many captions are checked while somebody waits for the page.
AT_ONCE = 200
CLIPS_AT_ONCE = 200
MAX_ATTEMPTS = 3
SECONDS_BETWEEN_WRITES = 1.0
UNDER_WAY = (CheckState.WAITING, CheckState.RUNNING)
WORKER_LOST = "The worker stopped three times during this check. Most often memory ran out."


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What captions are checked for, as ``DataSet`` says."""

    kinds: Sequence[str]
    min_words: int
    max_words: int


@transaction.atomic
def check_configure(*, data_set: DataSet, settings: CheckSettings, act: DataSetAct) -> None:
    """Set what captions are checked for, from the next check on."""
    # The usual kinds are those of every version to come.
    kinds = [] if set(settings.kinds) == set(DEFAULT_KINDS) else list(settings.kinds)
    changes = {
        "kinds": kinds,
        "min_words": settings.min_words,
        "max_words": settings.max_words,
    }
    rows = DataSet.objects.filter(pk=data_set.pk).exclude(**changes)
    if rows.update(**changes):
        act.note("check-settings", data_set, **changes)


@transaction.atomic
def check_start(*, data_set: DataSet, act: DataSetAct) -> DataSetCheck:
    """The check that is under way, or a new one that waits."""
    locked = DataSet.objects.select_for_update().get(pk=data_set.pk)
    there = DataSetCheck.objects.filter(data_set=locked, state__in=UNDER_WAY).first()
    if there is not None:
        return there
    total = DataSetCaption.objects.filter(clip__data_set=locked).count()
    check = DataSetCheck.objects.create(
        data_set=locked, total=total, started_by=act.actor, created_at=act.now
    )
    act.note("check", locked, captions=total)
    return check


def check_run(*, check_id: int) -> None:
    """Check the captions, where the check waits for somebody who does; may be called twice."""
    claimed = _claim(check_id)
    if claimed is None:
        return
    work = _Work(claimed)
    try:
        work.run()
    except LeaseLost:
        logger.warning("Another worker goes on with check %s", check_id)
    except ScoringError as error:
        work.end(CheckState.FAILED, reason=str(error))


def _claim(check_id: int) -> DataSetCheck | None:
    """Take a check that waits; None where it does not."""
    check = DataSetCheck.objects.select_related("data_set").filter(pk=check_id).first()
    if check is None:
        return None
    now, token = database_now(), check.token + 1
    waiting = DataSetCheck.objects.filter(pk=check_id, state=CheckState.WAITING, token=check.token)
    changed = waiting.update(
        state=CheckState.RUNNING,
        token=token,
        attempts=check.attempts + 1,
        lease_expires_at=now + settings.LEASE,
    )
    check.token = token
    return check if changed == 1 else None


class _Work:
    """One attempt at a check; raises ``LeaseLost`` once it has no right to go on."""

    def __init__(self, check: DataSetCheck) -> None:
        self._check = check
        self._mine = DataSetCheck.objects.filter(
            pk=check.pk, token=check.token, state=CheckState.RUNNING
        )
        self._written = time.monotonic()

    def run(self) -> None:
        """Look at the captions as they are now, and store what is found in those that stay so."""
        rows = list(placed_captions(self._check.data_set))
        found: dict[tuple[str, int], list[CheckFinding]] = defaultdict(list)
        captions = [caption for _, caption in rows]
        for one in findings_of_set(self._check.data_set, captions, self._beat):
            found[one.caption.file_name, one.caption.number].append(one)
            self._beat(len(captions), len(captions))
        self._store(dict(rows), found)
        self.end(CheckState.DONE)

    def end(self, state: CheckState, *, reason: str = "") -> None:
        """Store how it ended."""
        now = database_now()
        changes = {"state": state, "reason": reason, "finished_at": now, "lease_expires_at": None}
        self._write(**changes)

    def _beat(self, done: int, total: int) -> None:
        """Store how far it is, at most once a second. What is told counts texts that differ."""
        if time.monotonic() - self._written < SECONDS_BETWEEN_WRITES:
            return
        share = done / total if total else 1
        self._write(
            done=round(share * self._check.total), lease_expires_at=database_now() + settings.LEASE
        )

    def _write(self, **changes: object) -> None:
        if self._mine.update(**changes) != 1:
            raise LeaseLost
        self._written = time.monotonic()

    def _store(
        self,
        looked_at: dict[int, PlacedCaption],
        found: dict[tuple[str, int], list[CheckFinding]],
    ) -> None:
        clips = DataSetClip.objects.filter(data_set=self._check.data_set).order_by("pk")
        ids = list(clips.values_list("pk", flat=True))
        for start in range(0, len(ids), CLIPS_AT_ONCE):
            self._store_clips(ids[start : start + CLIPS_AT_ONCE], looked_at, found)

    @transaction.atomic
    def _store_clips(
        self,
        clips: list[int],
        looked_at: dict[int, PlacedCaption],
        found: dict[tuple[str, int], list[CheckFinding]],
    ) -> None:
        self._write(lease_expires_at=database_now() + settings.LEASE)
        list(DataSetClip.objects.select_for_update().filter(pk__in=clips).order_by("pk"))
        # What changed meanwhile was checked when it did.
        rows = [
            row
            for row in DataSetCaption.objects.filter(clip__in=clips)
            if row.pk in looked_at and looked_at[row.pk].text == row.text
        ]
        there = {row.pk: looked_at[row.pk] for row in rows}
        findings_update(
            rows,
            {pk: found.get((one.file_name, one.number), []) for pk, one in there.items()},
            dict.fromkeys(there, frozenset(KINDS)),
        )


def checks_sweep(*, now: datetime) -> list[int]:
    """Take back checks whose worker was lost; the ids of those that wait for a message."""
    lost = DataSetCheck.objects.filter(state=CheckState.RUNNING, lease_expires_at__lt=now)
    ended = lost.filter(attempts__gte=MAX_ATTEMPTS)
    ended.update(state=CheckState.FAILED, reason=WORKER_LOST, finished_at=now)
    lost.update(state=CheckState.WAITING, lease_expires_at=None)
    waiting = DataSetCheck.objects.filter(state=CheckState.WAITING).order_by("pk")
    return list(waiting.values_list("pk", flat=True))
