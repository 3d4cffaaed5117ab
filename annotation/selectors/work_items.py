"""What people answered to the items of a project whose work is another than labelling words."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from annotation.batches import AT_ONCE
from annotation.models import Annotation, Answer, Item, Project
from annotation.selectors.projects import worker_names
from annotation.selectors.tasks import audio_addresses


@dataclass(frozen=True, slots=True)
class WorkAnswer:
    """One answer: by whom, in one line, and the row itself."""

    by: str
    said: str
    annotation: Annotation


@dataclass(frozen=True, slots=True)
class WorkItem:
    """An item with its sound ("" for none) and its answers, the first one first."""

    item: Item
    sound: str
    answers: list[WorkAnswer]

    @property
    def open(self) -> int:
        """How many answers are missing."""
        return max(0, self.item.copies - sum(row.annotation.counts for row in self.answers))


def work_items(project: Project, items: Iterable[Item]) -> list[WorkItem]:
    """Items as a page lists them, with every answer."""
    rows, kind, names = list(items), project.work_kind, worker_names(project)
    sounds, answers = audio_addresses(rows), defaultdict(list)
    every = Annotation.objects.filter(item__in=rows).select_related("sent_back__by", "refused__by")
    for found in every.order_by("pk"):
        by = names.get(found.user_id, str(found.user_id))
        answers[found.item_id].append(WorkAnswer(by, kind.said(found.value or {}), found))
    return [WorkItem(item, sounds.get(item.pk, ""), answers[item.pk]) for item in rows]


def accepted_lines(project: Project) -> Iterator[tuple[Item, list[str]]]:
    """Items in their order with what was accepted for each, as far as it counts, in one line."""
    kind, found = project.work_kind, defaultdict(list)
    rows = Annotation.objects.counting().filter(item__project=project, answer=Answer.ACCEPT)
    for pk, value in rows.order_by("pk").values_list("item", "value").iterator(AT_ONCE):
        found[pk].append(kind.said(value or {}))
    for item in project.items.order_by("position").iterator(AT_ONCE):
        yield item, found[item.pk]
