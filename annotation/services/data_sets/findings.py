"""Checking captions of a data set, and bringing its stored findings in line with what is found."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from django.conf import settings
from django.db import transaction

from annotation.batches import AT_ONCE, in_batches
from annotation.models import (
    CaptionFinding,
    DataSet,
    DataSetCaption,
    DataSetCheck,
    DataSetClip,
    Verdict,
)
from annotation.selectors.data_sets.checking import findings_of_set, placed_captions
from annotation.services.data_sets.making import DataSetAct
from annotation.text_changes import Place, TextChange
from earmark.datasets.findings import DEFAULT_KINDS, KINDS, CheckFinding, PlacedCaption
from leaderboard.leases import database_now
from leaderboard.models.leased_job import UNDER_WAY
from leaderboard.services.jobs.attempts import JobProgress, connection_renew, job_work
from leaderboard.services.jobs.states import JobFailure, JobKind, job_finish, job_renew

# Those of a caption's text as it is; the others are of an earlier one.
_CURRENT = (Verdict.OPEN, Verdict.DISMISSED)
# Of several in one place the last of these says most of it.
_COMPARED = (Verdict.GONE, *_CURRENT)
_FIELDS = ("start", "end", "text", "before", "suggestions", "verdict")


def findings_update(
    captions: Iterable[DataSetCaption],
    findings: Mapping[int, Sequence[CheckFinding]],
    kinds: Mapping[int, Collection[str]],
) -> int:
    """Store what was found in captions, by their ids; return how many findings are new.

    A finding is the same where kind, place and text are: one that somebody dismissed stays
    dismissed, and one that was gone is open again. Open ones of the ``kinds`` that were looked for
    and that are not found any more are gone. The captions' clips are locked.
    """
    rows = {row.pk: row for row in captions}
    stored = defaultdict(list)
    for one in CaptionFinding.objects.filter(caption__in=rows).order_by("pk"):
        stored[one.caption_id].append(one)
    new: list[CaptionFinding] = []
    changed: list[CaptionFinding] = []
    for pk, row in rows.items():
        for one in _compare(row, stored[pk], findings.get(pk, ()), kinds[pk]):
            (new if one.pk is None else changed).append(one)
    CaptionFinding.objects.bulk_create(new, batch_size=AT_ONCE)
    CaptionFinding.objects.bulk_update(changed, _FIELDS, batch_size=AT_ONCE)
    return len(new)


def _compare(
    caption: DataSetCaption,
    stored: Iterable[CaptionFinding],
    findings: Iterable[CheckFinding],
    kinds: Collection[str],
) -> Iterator[CaptionFinding]:
    """The findings of a caption that are new or not as they are stored."""
    compared = [one for one in stored if one.verdict in _COMPARED]
    compared.sort(key=lambda one: _COMPARED.index(Verdict(one.verdict)))
    known = {(one.kind, one.start, one.end, one.text): one for one in compared}
    for place in findings:
        row = known.pop((place.kind, place.start, place.end, place.text), None)
        suggestions = list(place.suggestions)
        if row is None:
            yield CaptionFinding(
                caption=caption,
                kind=place.kind,
                start=place.start,
                end=place.end,
                text=place.text,
                suggestions=suggestions,
                before=caption.text,
            )
        elif row.verdict == Verdict.GONE or (row.suggestions, row.before) != (
            suggestions,
            caption.text,
        ):
            row.suggestions, row.before = suggestions, caption.text
            row.verdict = Verdict.OPEN if row.verdict == Verdict.GONE else row.verdict
            yield row
    for row in known.values():
        if row.verdict == Verdict.OPEN and row.kind in kinds:
            row.verdict = Verdict.GONE
            yield row


def findings_move(caption: DataSetCaption, before: str) -> None:
    """Move the findings of a caption whose text was ``before`` to where they stand now.

    Those of the whole caption stay so. An open one into which the change reaches is gone; one that
    was dismissed stays with the text in which it was. The caption's clip is locked.
    """
    change = TextChange.between(before, caption.text)
    rows = list(CaptionFinding.objects.filter(caption=caption, verdict__in=_CURRENT).order_by("pk"))
    for row in rows:
        place = Place(row.start, row.end)
        whole = place == (0, len(before)) and row.before == before
        moved = Place(0, len(caption.text)) if whole else change.moved(place)
        if moved is not None and row.before == before:
            row.start, row.end = moved
            row.before, row.text = caption.text, caption.text[row.start : row.end]
        elif row.verdict == Verdict.OPEN:
            row.verdict = Verdict.GONE
    CaptionFinding.objects.bulk_update(rows, _FIELDS, batch_size=AT_ONCE)


# So many captions are checked while somebody waits for the page.
CHECKED_AT_ONCE = 200
CLIPS_AT_ONCE = 200
CHECKS = JobKind(
    DataSetCheck,
    worker_lost="The worker stopped three times during this check, usually for lack of memory.",
    over_limit=lambda: JobFailure(
        "The check took longer than the time limit. An administrator of this site can change the "
        "limit."
    ),
)


@transaction.atomic
def check_configure(
    *, data_set: DataSet, kinds: list[str], min_words: int, max_words: int, act: DataSetAct
) -> None:
    """Set what captions are checked for, from the next check on."""
    # The usual kinds are those of every version to come.
    usual = set(kinds) == set(DEFAULT_KINDS)
    changes = {"kinds": [] if usual else kinds, "min_words": min_words, "max_words": max_words}
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


def check_run(*, pk: int, token: int) -> None:
    """Check the captions, where the check waits for somebody who does; may be called twice."""
    job_work(kind=CHECKS, pk=pk, token=token, limit=settings.TIME_LIMIT, work=_check)


def _check(progress: JobProgress) -> None:
    """Look at the captions as they are now, and store what is found in those that stay so."""
    check = DataSetCheck.objects.select_related("data_set").get(pk=progress.claim.pk)
    looked_at = dict(placed_captions(check.data_set))
    findings: dict[tuple[str, int], list[CheckFinding]] = defaultdict(list)

    def note(done: int, total: int) -> None:
        # What is told counts texts that differ.
        progress.note(done=round((done / total if total else 1) * check.total))

    for one in findings_of_set(check.data_set, list(looked_at.values()), note):
        findings[one.caption.file_name, one.caption.number].append(one)
        progress.check()
    connection_renew()
    clips = DataSetClip.objects.filter(data_set=check.data_set).order_by("pk")
    for part in in_batches(list(clips.values_list("pk", flat=True)), CLIPS_AT_ONCE):
        _store_clips(progress, part, looked_at, findings)
    job_finish(claim=progress.claim, now=database_now())


@transaction.atomic
def _store_clips(
    progress: JobProgress,
    clips: Sequence[int],
    looked_at: dict[int, PlacedCaption],
    findings: dict[tuple[str, int], list[CheckFinding]],
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
        {pk: findings.get((one.file_name, one.number), []) for pk, one in there.items()},
        dict.fromkeys(there, frozenset(KINDS)),
    )
