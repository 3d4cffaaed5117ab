"""Clips of data sets with their captions, how many there are, and what their metadata say."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count

from annotation.models import DataSet, DataSetCaption, DataSetClip
from earmark.captions import References
from earmark.datasets.splitting import read_parts
from earmark.datasets.splitting.origins import ORIGIN_COLUMNS

TAGS = ("tags", "keywords", "labels")
LICENCES = ("license", "licence")
_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class CaptionedClip:
    """A clip of a data set with its captions in their order; ``pk`` is the row's."""

    pk: int
    file_name: str
    captions: tuple[str, ...]
    meta: Mapping[str, Any]
    part: str


def captioned_clips(data_set: DataSet, part: str = "") -> list[CaptionedClip]:
    """The clips of a part ("": all) in the order of the data set, in two queries.

    Captions without a character that anyone sees are left out.
    """
    rows = data_set.clips.order_by("position")
    captions = DataSetCaption.objects.filter(clip__data_set=data_set)
    if part:
        rows, captions = rows.filter(part=part), captions.filter(clip__part=part)
    by_clip: defaultdict[int, list[str]] = defaultdict(list)
    texts = captions.order_by("clip__position", "number").values_list("clip", "text")
    for clip, text in texts.iterator(_AT_ONCE):
        if text.strip():
            by_clip[clip].append(text)
    return [
        CaptionedClip(pk, name, tuple(by_clip[pk]), meta, of_part)
        for pk, name, meta, of_part in rows.values_list("pk", "file_name", "meta", "part")
    ]


def references_of_clips(clips: Iterable[CaptionedClip]) -> References:
    """References of those clips that have captions."""
    return References.build((clip.file_name, clip.captions) for clip in clips if clip.captions)


def parts_of(data_set: DataSet) -> tuple[str, ...]:
    """The parts that clips of a data set are in, in the order in which they were asked for."""
    rows = data_set.clips.exclude(part="").order_by()
    there = set(rows.values_list("part", flat=True).distinct())
    names = asked_parts(data_set)
    known = [name for name in names if name in there]
    return (*known, *sorted(there - set(known)))


def asked_parts(data_set: DataSet) -> tuple[str, ...]:
    """Names of the parts of the split, in order; databases do not keep that of stored keys."""
    text = (data_set.split or {}).get("asked", {}).get("parts", "")
    return tuple(part.name for part in read_parts(text).parts)


def tags_of(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags of a clip, each once: a list, or a text with semicolons or commas between them."""
    value = next((meta[name] for name in TAGS if meta.get(name)), ())
    if isinstance(value, str):
        value = value.split(";" if ";" in value else ",")
    tags = (str(tag).strip() for tag in value) if isinstance(value, list | tuple) else ()
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def licence_of(meta: Mapping[str, Any]) -> str:
    """The licence of a clip, "" where nothing is known of it."""
    return next((str(meta[name]).strip() for name in LICENCES if meta.get(name)), "")


def shared_columns(metas: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The columns of single values that some clips share, recordings and uploaders first.

    With each, how many clips share theirs with others.
    """
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for meta in metas:
        for name, value in meta.items():
            if isinstance(value, str | int) and str(value).strip():
                values[name][str(value).strip()] += 1
    sharing = {
        name: sum(count for count in values[name].values() if count > 1)
        for name in sorted(values, key=lambda name: (name not in ORIGIN_COLUMNS, name))
        if name not in (*TAGS, *LICENCES)
    }
    return {name: clips for name, clips in sharing.items() if clips}


def data_set_rows(data_sets: Iterable[DataSet]) -> list[dict[str, Any]]:
    """Data sets in their order with their clips and captions, in two queries besides theirs."""
    rows = list(data_sets)
    counted = DataSetClip.objects.filter(data_set__in=rows).order_by().values_list("data_set")
    clips = dict(counted.annotate(count=Count("pk")))
    there = DataSetCaption.objects.filter(clip__data_set__in=rows).order_by()
    captions = dict(there.values_list("clip__data_set").annotate(count=Count("pk")))
    return [
        {"data_set": row, "clips": clips.get(row.pk, 0), "captions": captions.get(row.pk, 0)}
        for row in rows
    ]
