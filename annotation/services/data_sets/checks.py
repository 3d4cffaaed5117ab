"""Checking all captions of a data set: starting, and working."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.db import transaction

from annotation.batches import in_batches
from annotation.models import DataSet, DataSetCaption, DataSetCheck, DataSetClip
from annotation.selectors.data_sets.checking import findings_of_set, placed_captions
from annotation.services.data_sets.findings import findings_update
from annotation.services.data_sets.making import DataSetAct
from leaderboard.leases import database_now
from leaderboard.models.leased_job import UNDER_WAY
from leaderboard.services.jobs.attempts import JobProgress, connection_renew, job_attempt
from leaderboard.services.jobs.states import JobFailure, JobKind, job_claim, job_finish, job_renew
from scoring.datasets.findings import DEFAULT_KINDS, KINDS, CheckFinding, PlacedCaption

# So many captions are checked while somebody waits for the page.
AT_ONCE = 200
CLIPS_AT_ONCE = 200
CHECKS = JobKind(
    DataSetCheck,
    worker_lost="The worker stopped three times during this check, usually for lack of memory.",
    over_limit=lambda: JobFailure(
        "The check took longer than the time limit. An administrator of this site can change the "
        "limit."
    ),
)


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


def check_run(*, check_id: int, token: int) -> None:
    """Check the captions, where the check waits for somebody who does; may be called twice."""
    now, lease = database_now(), settings.LEASE
    claim = job_claim(kind=CHECKS, pk=check_id, token=token, now=now, lease=lease)
    if claim is None:
        return
    check = DataSetCheck.objects.select_related("data_set").get(pk=check_id)
    progress = JobProgress(claim, limit=settings.TIME_LIMIT)
    job_attempt(progress, partial(_check, check, progress))


def _check(check: DataSetCheck, progress: JobProgress) -> None:
    """Look at the captions as they are now, and store what is found in those that stay so."""
    rows = list(placed_captions(check.data_set))
    found: dict[tuple[str, int], list[CheckFinding]] = defaultdict(list)

    def note(done: int, total: int) -> None:
        # What is told counts texts that differ.
        progress.note(done=round((done / total if total else 1) * check.total))

    for one in findings_of_set(check.data_set, [caption for _, caption in rows], note):
        found[one.caption.file_name, one.caption.number].append(one)
        progress.check()
    connection_renew()
    _store(progress, check.data_set, dict(rows), found)
    job_finish(claim=progress.claim, now=database_now())


def _store(
    progress: JobProgress,
    data_set: DataSet,
    looked_at: dict[int, PlacedCaption],
    found: dict[tuple[str, int], list[CheckFinding]],
) -> None:
    clips = DataSetClip.objects.filter(data_set=data_set).order_by("pk")
    ids = list(clips.values_list("pk", flat=True))
    for part in in_batches(ids, CLIPS_AT_ONCE):
        _store_clips(progress, part, looked_at, found)


@transaction.atomic
def _store_clips(
    progress: JobProgress,
    clips: Sequence[int],
    looked_at: dict[int, PlacedCaption],
    found: dict[tuple[str, int], list[CheckFinding]],
) -> None:
    # It locks the row, so that whoever takes over waits for what is stored here.
    job_renew(claim=progress.claim, now=database_now(), lease=settings.LEASE)
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
