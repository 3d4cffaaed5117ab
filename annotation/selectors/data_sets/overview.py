"""Data sets as a list shows them, and what one holds."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from annotation.models import DataSet, DataSetCaption, DataSetClip


@dataclass(frozen=True, slots=True)
class DataSetRow:
    """A data set and how much is in it."""

    data_set: DataSet
    clips: int
    captions: int


def data_set_rows(data_sets: Iterable[DataSet]) -> list[DataSetRow]:
    """Rows of data sets in their order, in two queries besides that of the sets."""
    rows = list(data_sets)
    counted = DataSetClip.objects.filter(data_set__in=rows).order_by().values_list("data_set")
    clips = dict(counted.annotate(count=Count("pk")))
    there = DataSetCaption.objects.filter(clip__data_set__in=rows).order_by()
    captions = dict(there.values_list("clip__data_set").annotate(count=Count("pk")))
    return [DataSetRow(row, clips.get(row.pk, 0), captions.get(row.pk, 0)) for row in rows]
