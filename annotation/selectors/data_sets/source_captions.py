"""Captions that a data set can be made of: what people wrote or edited in a project."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from annotation.models import Annotation, Answer, Project
from annotation.selectors.sounds import NAME, sound_name

AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class SourceClip:
    """A clip with (answer, caption) pairs, and what is known of it besides."""

    file_name: str
    captions: tuple[tuple[int, str], ...]
    meta: dict[str, Any]


def source_captions(project: Project) -> Iterator[SourceClip]:
    """Clips of a project whose kind is in ``SOURCES``, in its order, with their captions."""
    return SOURCES[project.kind](project)


def accepted_captions(project: Project) -> Iterator[SourceClip]:
    """Clips with what was accepted for them and counts, several items of one clip together."""
    kind, said = project.work_kind, defaultdict(list)
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    for owner, pk, value in (
        rows.order_by("pk").values_list("item", "pk", "value").iterator(AT_ONCE)
    ):
        said[owner].append((pk, kind.said(value or {})))
    captions: dict[str, list[tuple[int, str]]] = defaultdict(list)
    meta: dict[str, dict[str, Any]] = {}
    for item in project.items.order_by("position").iterator(AT_ONCE):
        name = sound_name(item) or item.text
        captions[name] += said[item.pk]
        meta.setdefault(name, {key: told for key, told in item.meta.items() if key != NAME})
    for name, found in captions.items():
        if found:
            yield SourceClip(name, tuple(found), meta[name])


# By the kind of work.
SOURCES: dict[str, Callable[[Project], Iterator[SourceClip]]] = {
    "write": accepted_captions,
    "edit": accepted_captions,
}
