"""What people wrote, edited or kept in a project as captions of a data set, and what changed."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Max, Q, Sum

from annotation.batches import AT_ONCE
from annotation.kinds.names import EDIT, RATE, WRITE
from annotation.models import Annotation, Answer, DataSet, DataSetCaption, Project
from annotation.selectors.sounds import NAME, sound_name
from annotation.selectors.stages.chain import earlier_stages, stages_state
from annotation.selectors.stages.ratings import rated_captions


@dataclass(frozen=True, slots=True)
class IncomingCaption:
    """A caption and the id of the answer that it is: None for one of a file, and where it is gone.

    ``once``: its clip has the text once, whichever answer is named for it.
    """

    text: str
    annotation: int | None = None
    once: bool = False


@dataclass(frozen=True, slots=True)
class IncomingClip:
    """A clip with captions, and what is known of it besides."""

    file_name: str
    captions: tuple[IncomingCaption, ...]
    meta: Mapping[str, Any] = field(default_factory=dict)


def source_captions(project: Project) -> Iterator[IncomingClip]:
    """Clips of a project whose kind is in ``SOURCES``, in its order, with their captions."""
    return SOURCES[project.kind](project)


def accepted_captions(project: Project) -> Iterator[IncomingClip]:
    """Clips with what was accepted for them and counts, several items of one clip together."""
    kind, by_item = project.work_kind, defaultdict(list)
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    for owner, pk, value in (
        rows.order_by("pk").values_list("item", "pk", "value").iterator(AT_ONCE)
    ):
        by_item[owner].append(IncomingCaption(kind.said(value or {}), pk))
    captions: dict[str, list[IncomingCaption]] = defaultdict(list)
    meta: dict[str, dict[str, Any]] = {}
    for item in project.items.order_by("position").iterator(AT_ONCE):
        name = sound_name(item) or item.text
        captions[name] += by_item[item.pk]
        meta.setdefault(name, {key: entry for key, entry in item.meta.items() if key != NAME})
    for name, of_clip in captions.items():
        if of_clip:
            yield IncomingClip(name, tuple(of_clip), meta[name])


def kept_captions(project: Project) -> Iterator[IncomingClip]:
    """Clips of a project that rates, with the captions that are kept, best first.

    Several answers may say the same, which the clip has once.
    """
    clips = [clip for clip in rated_captions(project) if clip.kept]
    answer_ids = {pk for clip in clips for row in clip.kept for pk in row.annotations[:1]}
    # A project that was made of an archive alone has numbers of another site's answers.
    stages = earlier_stages(project)
    answers = Annotation.with_removed.filter(pk__in=answer_ids, item__project__in=stages)
    there = set(answers.values_list("pk", flat=True))
    for clip in clips:
        meta = {key: entry for key, entry in clip.item.meta.items() if key != NAME}
        # Of the answers that say the same the first is the one that wrote it.
        captions = ((next(iter(row.annotations), None), row.text) for row in clip.kept)
        known = (IncomingCaption(text, pk if pk in there else None, True) for pk, text in captions)
        yield IncomingClip(clip.file_name, tuple(known), meta)


# By the kind of work.
SOURCES: dict[str, Callable[[Project], Iterator[IncomingClip]]] = {
    WRITE: accepted_captions,
    EDIT: accepted_captions,
    RATE: kept_captions,
}


KEPT_SECONDS = 3600
MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """How captions of a data set and of the project that it came of differ by now.

    ``gone`` captions are not kept or accepted there any more, ``back`` were taken out and are kept
    again (both by id); ``missing`` counts those that the project has and the data set never had.
    """

    gone: tuple[int, ...] = ()
    back: tuple[int, ...] = ()
    missing: int = 0

    @property
    def lacking(self) -> int:
        """How many captions of the project are not in the data set."""
        return len(self.back) + self.missing

    def __bool__(self) -> bool:
        """Whether there is anything to bring up to date."""
        return bool(self.gone or self.lacking)


def source_changes(data_set: DataSet) -> SourceChanges:
    """Compare a data set with its project.

    A caption is known by the answer that it is, one that was rated also by its text as it came.
    Those of files, and of answers that were deleted, are nobody's to take out.
    """
    if data_set.source is None:
        return SourceChanges()
    there: defaultdict[str, list[DataSetCaption]] = defaultdict(list)
    rows = DataSetCaption.with_taken_out.filter(clip__data_set=data_set)
    for row in rows.select_related("clip").order_by("clip__position", "number"):
        there[row.clip.file_name].append(row)
    kept: set[int] = set()
    missing = 0
    for clip in source_captions(data_set.source):
        for caption in clip.captions:
            matches = _found(there[clip.file_name], caption)
            missing += not matches
            kept |= {row.pk for row in matches[:1]}
    of_answers = [row for rows in there.values() for row in rows]
    return SourceChanges(
        gone=tuple(
            row.pk
            for row in of_answers
            if row.pk not in kept and not row.taken_out and row.annotation_id is not None
        ),
        back=tuple(row.pk for row in of_answers if row.pk in kept and row.taken_out),
        missing=missing,
    )


def known_source_changes(data_set: DataSet) -> SourceChanges:
    """The same, compared again only where the project's stages or the data set changed.

    Captions of a rated item are fixed once somebody rates them, so that what is kept changes with
    the answers and the setting alone.
    """
    source = data_set.source
    if source is None:
        return SourceChanges()
    rows = DataSetCaption.with_taken_out.filter(clip__data_set=data_set).order_by()
    there = rows.aggregate(
        rows=Count("pk"), last=Max("pk"), answers=Count("annotation"), out=_OUT, which=_WHICH_OUT
    )
    state = f"{data_set.pk} {stages_state(source)} {source.kind_options} {there}"
    key = f"source-changes-{sha256(state.encode()).hexdigest()}"
    changes: SourceChanges | None = cache.get(key)
    if changes is None:
        changes = source_changes(data_set)
        cache.set(key, changes, KEPT_SECONDS)
    return changes


_OUT = Count("pk", filter=Q(taken_out=True))
_WHICH_OUT = Sum("pk", filter=Q(taken_out=True))


def listed(captions: Sequence[int]) -> list[DataSetCaption]:
    """The first of these captions, with their clips."""
    rows = DataSetCaption.with_taken_out.filter(pk__in=captions[:MOST_LISTED])
    return list(rows.select_related("clip").order_by("clip__position", "number"))


def _found(rows: Sequence[DataSetCaption], caption: IncomingCaption) -> list[DataSetCaption]:
    """The captions of a clip that are this one of the project; that of the answer goes first."""
    answer, by_text = caption.annotation, caption.once or caption.annotation is None
    same = [row for row in rows if answer is not None and row.annotation_id == answer]
    return same or [row for row in rows if by_text and row.original == caption.text]


def taken_out(data_set: DataSet) -> list[int]:
    """The captions that were taken out, by id in the order of the clips."""
    rows = DataSetCaption.with_taken_out.filter(clip__data_set=data_set, taken_out=True)
    return list(rows.order_by("clip__position", "number").values_list("pk", flat=True))
