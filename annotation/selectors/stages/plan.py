"""What the items of a project should be by the answers of its source, and what they are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from unicodedata import category

from django.db.models import QuerySet

from annotation.batches import in_batches
from annotation.kinds.names import EDIT, WRITE
from annotation.models import Annotation, Answer, Assignment, AssignmentRecord, Item, Project
from annotation.selectors.sounds import NAME, sound_name
from annotation.selectors.stages.chain import earlier_stages


@dataclass(frozen=True, slots=True)
class FedItem:
    """An item as the answers of the source would have it; ``meta`` tells it from others."""

    clip: str
    meta: Mapping[str, Any]
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StagePlan:
    """What would bring a project up to date with its source.

    ``add`` are items that are not there, ``change`` those of which the content is another now, by
    the item, ``drop`` ones that there is no answer for any more. ``outdated`` would be changed or
    dropped, but somebody was handed or answered them: they stay as they are.
    """

    add: tuple[FedItem, ...] = ()
    change: Mapping[int, FedItem] = field(default_factory=dict)
    drop: tuple[int, ...] = ()
    outdated: tuple[Item, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.add or self.change or self.drop)


def stage_plan(project: Project, clip: str | None = None) -> StagePlan:
    """Compare a project with its source, for one ``clip`` (a name of a sound) or for all.

    Where the first stage is gone, all stays as it is. The number of queries depends on the number
    of stages alone.
    """
    stages = earlier_stages(project)
    if not stages or stages[-1].kind != WRITE:
        return StagePlan()
    of_stage = project.kind == EDIT
    if of_stage:
        writing = stages[0]
        rows = [
            FedItem(
                name,
                {NAME: name, "source": writing.slug, "index": annotation},
                {"caption": text, "annotation": annotation},
            )
            for annotation, name, text in _captions(writing, clip)
        ]
    else:
        rows = _to_rate(stages[::-1], clip)
    wanted = {meta_key(row.meta): row for row in rows}
    items = {meta_key(item.meta): item for item in _of_clip(Item.with_removed, project, clip)}
    add = tuple(row for key, row in wanted.items() if key not in items)
    differ = {
        item: wanted.get(key)
        for key, item in items.items()
        if item.removed_at is None
        and (key not in wanted or item.content != dict(wanted[key].content))
    }
    met = met_items(item.pk for item in differ)
    loose = {item: row for item, row in differ.items() if item.pk not in met}
    return StagePlan(
        add=add,
        change={item.pk: row for item, row in loose.items() if row is not None},
        drop=tuple(item.pk for item, row in loose.items() if row is None),
        outdated=tuple(item for item in differ if item.pk in met),
    )


# Under this key of its extra an item says that it is not as its source has it, and stays so.
OUTDATED = "outdated"


def outdated_items(project: Project) -> QuerySet[Item]:
    """Items that were no longer as the source has them when the project was last fed."""
    return Item.objects.filter(project=project, **{f"extra__{OUTDATED}": True})


def meta_key(meta: Mapping[str, Any]) -> tuple[object, ...]:
    """What tells items of a stage apart: the clip, and the answer where each is an item."""
    return (meta.get(NAME), meta.get("source"), meta.get("index"))


def met_items(items: Iterable[int]) -> set[int]:
    """Those of the items that somebody was handed, holds or answered."""
    met: set[int] = set()
    for part in in_batches(list(items)):
        met |= set(AssignmentRecord.objects.filter(item__in=part).values_list("item", flat=True))
        met |= set(Annotation.with_removed.filter(item__in=part).values_list("item", flat=True))
        held = Assignment.with_removed.filter(item__in=part, user__isnull=False)
        met |= set(held.values_list("item", flat=True))
    return met


def _to_rate(stages: list[Project], clip: str | None) -> list[FedItem]:
    """An item for each clip of which every earlier stage has all answers."""
    first = stages[0]
    ready = {sound_name(item): item.position for item in _of_clip(Item.objects, first, clip)}
    versions: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    before: dict[int, str] = {}
    for stage in stages:
        for name in _unfinished(stage, clip, before):
            ready.pop(name, None)
        captions = _captions(stage, clip)
        before = {annotation: name for annotation, name, _ in captions}
        for annotation, name, text in captions:
            known = versions[name].setdefault(normal_text(text), {"annotations": []})
            # A later stage has the text as it should be.
            known |= {"text": text, "annotations": [*known["annotations"], annotation]}
    return [
        FedItem(name, {NAME: name}, {"captions": list(versions[name].values())})
        for name in sorted(ready, key=lambda name: ready[name])
        if versions[name]
    ]


def _unfinished(stage: Project, clip: str | None, before: Mapping[int, str]) -> set[str]:
    """The clips of which a stage still lacks answers, or items for the answers ``before`` it.

    Where nothing more is handed out, it lacks no answers.
    """
    items = _of_clip(Item.objects, stage, clip)
    lacking: set[str] = set()
    if not stage.closed:
        open_rows = Assignment.objects.filter(item__project=stage, done=False)
        if clip is not None:
            open_rows = open_rows.filter(**{f"item__meta__{NAME}": clip})
        unfinished = set(open_rows.values_list("item", flat=True))
        lacking = {sound_name(item) for item in items if item.pk in unfinished}
    if before:
        every = _of_clip(Item.with_removed, stage, clip)
        there = {item.content.get("annotation") for item in every}
        lacking |= {before[pk] for pk in before.keys() - there}
    return lacking


def _captions(stage: Project, clip: str | None) -> list[tuple[int, str, str]]:
    """The accepted answers that count: id, the clip that it is of, text."""
    rows = Annotation.objects.counting().filter(item__project=stage, answer=Answer.ACCEPT)
    if clip is not None:
        rows = rows.filter(**{f"item__meta__{NAME}": clip})
    names = ("pk", "value", f"item__meta__{NAME}")
    values = rows.order_by("item__position", "pk").values_list(*names)
    return [(pk, name, str(value["text"])) for pk, value, name in values if name and value]


def _of_clip(manager: Any, project: Project, clip: str | None) -> list[Item]:
    """The items of a project that name a clip, or this one."""
    rows: QuerySet[Item] = manager.filter(project=project).order_by("position")
    if clip is not None:
        rows = rows.filter(**{f"meta__{NAME}": clip})
    return [item for item in rows.defer("tokens", "extra") if sound_name(item)]


def normal_text(text: str) -> str:
    """A caption as it is compared with others: without regard to case, punctuation and spaces."""
    marks = (" " if category(mark)[0] in "PZC" else mark for mark in text.casefold())
    return " ".join("".join(marks).split())
