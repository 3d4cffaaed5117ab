"""Captions that a data set can be made of: what people wrote, edited or kept in a project."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.batches import AT_ONCE
from annotation.kinds.names import EDIT, RATE, WRITE
from annotation.models import Annotation, Answer, Project
from annotation.selectors.sounds import NAME, sound_name
from annotation.selectors.stages.chain import earlier_stages
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
    kind, said = project.work_kind, defaultdict(list)
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    for owner, pk, value in (
        rows.order_by("pk").values_list("item", "pk", "value").iterator(AT_ONCE)
    ):
        said[owner].append(IncomingCaption(kind.said(value or {}), pk))
    captions: dict[str, list[IncomingCaption]] = defaultdict(list)
    meta: dict[str, dict[str, Any]] = {}
    for item in project.items.order_by("position").iterator(AT_ONCE):
        name = sound_name(item) or item.text
        captions[name] += said[item.pk]
        meta.setdefault(name, {key: told for key, told in item.meta.items() if key != NAME})
    for name, found in captions.items():
        if found:
            yield IncomingClip(name, tuple(found), meta[name])


def kept_captions(project: Project) -> Iterator[IncomingClip]:
    """Clips of a project that rates, with the captions that are kept, best first.

    Several answers may say the same, which the clip has once.
    """
    clips = [clip for clip in rated_captions(project) if clip.kept]
    said = {pk for clip in clips for row in clip.kept for pk in row.annotations[:1]}
    # A project that was made of an archive alone has numbers of another site's answers.
    stages = earlier_stages(project)
    answers = Annotation.with_removed.filter(pk__in=said, item__project__in=stages)
    there = set(answers.values_list("pk", flat=True))
    for clip in clips:
        meta = {key: told for key, told in clip.item.meta.items() if key != NAME}
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
