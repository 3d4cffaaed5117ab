"""Bringing captions into a data set, of a file or its project, and up to date with that one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.db import transaction
from django.db.models import Max

from annotation.batches import AT_ONCE, in_batches
from annotation.models import CaptionAct, CaptionDecision, DataSet, DataSetCaption, DataSetClip
from annotation.models.project import LONGEST_NAME
from annotation.selectors.data_sets.source_captions import (
    IncomingCaption,
    IncomingClip,
    source_captions,
    source_changes,
)
from annotation.services.data_sets.making import DataSetAct
from earmark.captions import Fault
from earmark.captions.clip_names import name_key
from earmark.captions.faults import count_of
from earmark.captions.references import read_placed_references
from earmark.datasets.clip_table import ClipTable, read_clip_table
from earmark.datasets.splitting.pooling import GivenFile
from leaderboard.web.refusals import Refused

TOO_LONG = (
    f"The file name is longer than the limit of {LONGEST_NAME} characters. Give the clip a "
    "shorter name."
)


@dataclass(slots=True)
class FillReport:
    """How much came in; ``changed`` captions are others in their source by now, and stay."""

    clips: int = 0
    captions: int = 0
    changed: int = 0


def captions_read(file: GivenFile, table: GivenFile | None = None) -> list[IncomingClip]:
    """Clips of a file and what a table says of them; refused with the faults of both."""
    reading = read_placed_references(file.data, file_name=file.name)
    faults = [replace(fault, file=file.name) for fault in reading.errors]
    if reading.value is not None:
        pairs = zip(reading.value.references.clips, reading.value.lines, strict=True)
        faults += [
            Fault(lines[0], None, clip.file_name, TOO_LONG, file=file.name)
            for clip, lines in pairs
            if len(clip.file_name) > LONGEST_NAME
        ]
    known: ClipTable = {}
    if table is not None:
        table_reading = read_clip_table(table.data, file_name=table.name)
        faults += [replace(fault, file=table.name) for fault in table_reading.errors]
        known = table_reading.value or {}
    if faults or reading.value is None:
        raise Refused(f"{count_of(len(faults), 'error')} in the files.", status=422, faults=faults)
    return [
        IncomingClip(
            clip.file_name,
            tuple(map(IncomingCaption, clip.references)),
            known.get(name_key(clip.file_name), {}),
        )
        for clip in reading.value.references.clips
    ]


@transaction.atomic
def source_add(*, data_set: DataSet, act: DataSetAct) -> FillReport:
    """Add what the project of a data set has by now and the data set does not."""
    if data_set.source is None:
        return FillReport()
    clips = source_captions(data_set.source)
    return captions_add(data_set=data_set, clips=clips, act=act)


@transaction.atomic
def captions_add(
    *, data_set: DataSet, clips: Iterable[IncomingClip], act: DataSetAct
) -> FillReport:
    """Add the clips and captions that the data set does not have; what it has stays as it is.

    A caption is known by the answer that it is, one of a file by its clip and the text as it came.
    What is known of a clip besides is added to, and never taken away.
    """
    # New positions follow the last, which only one may count on at a time.
    DataSet.objects.select_for_update().get(pk=data_set.pk)
    incoming = list(clips)
    there = {row.file_name: row for row in DataSetClip.objects.filter(data_set=data_set)}
    report = FillReport(clips=len({one.file_name for one in incoming} - there.keys()))
    there |= _clips_new(data_set, incoming, there)
    had, rows = _captions_of(data_set), []
    for one in incoming:
        rows += _captions_new(there[one.file_name], one.captions, had, report)
    DataSetCaption.objects.bulk_create(rows, batch_size=AT_ONCE)
    report.captions = len(rows)
    act.note("fill", data_set, clips=report.clips, captions=report.captions)
    return report


def _clips_new(
    data_set: DataSet, incoming: Iterable[IncomingClip], there: Mapping[str, DataSetClip]
) -> dict[str, DataSetClip]:
    """Make clips that are not there, and complete what is known of those that are."""
    last = DataSetClip.objects.filter(data_set=data_set).aggregate(last=Max("position"))["last"]
    position = 0 if last is None else last + 1
    made: dict[str, DataSetClip] = {}
    more = []
    for one in incoming:
        row = there.get(one.file_name) or made.get(one.file_name)
        if row is None:
            made[one.file_name] = DataSetClip(
                data_set=data_set,
                position=position + len(made),
                file_name=one.file_name,
                meta=dict(one.meta),
            )
        elif one.meta.keys() - row.meta.keys():
            row.meta = {**one.meta, **row.meta}
            more.append(row)
    DataSetClip.objects.bulk_create(made.values(), batch_size=AT_ONCE)
    DataSetClip.objects.bulk_update([row for row in more if row.pk], ["meta"], batch_size=AT_ONCE)
    return made


@dataclass(slots=True)
class _KnownCaptions:
    """Captions of a clip: what they were by answer, their texts as they came, the last number."""

    by_answer: dict[int, str] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)
    last: int = 0


def _captions_of(data_set: DataSet) -> defaultdict[int, _KnownCaptions]:
    captions: defaultdict[int, _KnownCaptions] = defaultdict(_KnownCaptions)
    # What was taken out comes in again by being put back.
    rows = DataSetCaption.with_taken_out.filter(clip__data_set=data_set).order_by()
    for clip, number, original, answer in rows.values_list(
        "clip", "number", "original", "annotation"
    ):
        known = captions[clip]
        known.last = max(known.last, number)
        known.texts.add(original)
        if answer is not None:
            known.by_answer[answer] = original
    return captions


def _captions_new(
    clip: DataSetClip,
    captions: Iterable[IncomingCaption],
    had: defaultdict[int, _KnownCaptions],
    report: FillReport,
) -> list[DataSetCaption]:
    known, before, rows = had[clip.pk], set(had[clip.pk].texts), []
    for one in captions:
        if one.annotation is not None and one.annotation in known.by_answer:
            report.changed += known.by_answer[one.annotation] != one.text
            continue
        # Two people may write the same; a file that comes again has what it had.
        if (one.annotation is None or one.once) and one.text in before:
            continue
        known.last += 1
        rows.append(
            DataSetCaption(
                clip=clip,
                number=known.last,
                text=one.text,
                original=one.text,
                annotation_id=one.annotation,
            )
        )
        known.texts.add(one.text)
        if one.annotation is not None:
            known.by_answer[one.annotation] = one.text
    return rows


@transaction.atomic
def source_update(*, data_set: DataSet, act: DataSetAct) -> tuple[FillReport, int, int]:
    """Take out what the project does not keep any more, put back and add what it does.

    Returns what came in, and how many captions were taken out and put back.
    What was decided about a caption stays with it, whether it is in or out, and its history says
    who took it out. What was published stays as it is.
    """
    locked = DataSet.objects.select_for_update().get(pk=data_set.pk)
    changes = source_changes(locked)
    # Decisions lock the clip of their caption.
    for part in in_batches([*changes.gone, *changes.back]):
        clips = DataSetClip.objects.filter(captions__in=part)
        ids = list(clips.order_by("pk").values_list("pk", flat=True).distinct())
        list(DataSetClip.objects.select_for_update().filter(pk__in=ids).order_by("pk"))
    _move(changes.gone, CaptionAct.TAKEN_OUT, act)
    _move(changes.back, CaptionAct.PUT_BACK, act)
    act.note("update", locked, out=len(changes.gone), back=len(changes.back))
    came = source_add(data_set=locked, act=act)
    return came, len(changes.gone), len(changes.back)


def _move(captions: Sequence[int], done: CaptionAct, act: DataSetAct) -> None:
    """Take captions out or put them back, with a row of history for each."""
    for part in in_batches(captions):
        rows = list(DataSetCaption.with_taken_out.filter(pk__in=part).order_by("pk"))
        for row in rows:
            row.taken_out = done == CaptionAct.TAKEN_OUT
        DataSetCaption.with_taken_out.bulk_update(rows, ["taken_out"])
        CaptionDecision.objects.bulk_create(
            CaptionDecision(
                caption=row, act=done, before=row.text, after=row.text, by=act.actor, at=act.now
            )
            for row in rows
        )
