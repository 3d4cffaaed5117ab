"""Bringing a data set up to date with what its project keeps by now."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from annotation.batches import in_batches
from annotation.models import CaptionAct, CaptionDecision, DataSet, DataSetCaption, DataSetClip
from annotation.selectors.data_sets.source_changes import source_changes
from annotation.services.data_sets.filling import FillReport, source_add
from annotation.services.data_sets.making import DataSetAct


@dataclass(frozen=True, slots=True)
class UpdateReport:
    """How many captions were taken out and put back, and what came in."""

    out: int
    back: int
    came: FillReport


@transaction.atomic
def source_update(*, data_set: DataSet, act: DataSetAct) -> UpdateReport:
    """Take out what the project does not keep any more, put back and add what it does.

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
    return UpdateReport(len(changes.gone), len(changes.back), came)


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
