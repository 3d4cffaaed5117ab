"""Imports of a project as its pages list them, and what stands against taking one back."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet

from annotation.models import (
    COUNTING,
    Annotation,
    Assignment,
    Gold,
    Import,
    ImportState,
    Item,
    Member,
    PastGold,
    Project,
    RunState,
    TrainingRun,
)
from annotation.selectors.labels import label_book
from earmark.captions.faults import count_of, in_quotes


def imports_of(project: Project) -> QuerySet[Import]:
    """The imports of a project, latest first, without the files."""
    rows = Import.objects.filter(project=project).defer("content", "copies")
    return rows.select_related("by", "undone_by")


def label_rows(record: Import) -> list[dict[str, Any]]:
    """The labels of a file, most spans first, with what each becomes and how many were left out."""
    stored: dict[str, Any] = record.report
    mapping: dict[str, list[str]] = record.mapping
    names, book = frozenset(record.project.scheme.names), label_book(record.project)
    labels: dict[str, int] = stored.get("labels", {})
    rows = []
    for name, spans in sorted(labels.items(), key=lambda label: (-label[1], label[0])):
        becomes = mapping.get(name, [name] if name in names else [])
        rows.append(
            {
                "name": name,
                "spans": spans,
                "becomes": [book[one].title for one in becomes],
                "left_out": record.left_out_labels.get(name, 0),
                "unknown": name not in names,
            }
        )
    return rows


def brought_by(record: Import) -> QuerySet[Annotation]:
    """The answers that a file brought, those to captions that were removed since as well."""
    return Annotation.with_removed.filter(imported_in=record, test=False)


def import_undoing(record: Import) -> dict[str, Any]:
    """What goes where an import is taken back, and the ``reasons`` that stand against it.

    ``at_hand`` captions are with ``holders`` people, who have not answered them.
    ``kept`` captions were there before and stay.
    """
    items = Item.with_removed.filter(imported_in=record)
    annotations = brought_by(record)
    held = Assignment.objects.filter(item__in=items, done=False, user__isnull=False)
    return {
        "captions": items.count(),
        "annotations": annotations.count(),
        "kept": annotations.exclude(item__in=items).values("item").distinct().count(),
        "members": sessions_to_go(record).count(),
        "at_hand": held.values("item").distinct().count(),
        "holders": held.values("user").distinct().count(),
        "reasons": list(_reasons(record)),
    }


def sessions_to_go(record: Import) -> QuerySet[Member]:
    """Members who were made for sessions of the file and have no other work."""
    others = Annotation.with_removed.exclude(imported_in=record)
    rows = Member.objects.filter(
        project=record.project, user__in=record.made, user__is_active=False
    )
    sessions = others.exclude(made_as=None).values("made_as")
    return rows.exclude(user__in=others.values("user")).exclude(user__in=sessions)


def _reasons(record: Import) -> Iterator[str]:
    """Why an import cannot be taken back: who worked on what it brought, and where."""
    if record.state != ImportState.DONE:
        yield "It is not imported."
        return
    items = Item.with_removed.filter(imported_in=record)
    brought = brought_by(record)
    others = Annotation.with_removed.filter(item__in=items).exclude(imported_in=record)
    if here := others.filter(Q(imported_in=None) | Q(version__gt=1)).count():
        yield f"{count_of(here, 'answer')} to its captions {_were(here)} made here."
    for row in Import.objects.filter(annotations__in=others).distinct().order_by("at", "pk"):
        count, name = others.filter(imported_in=row).count(), in_quotes(row.file_name)
        yield (
            f"{count_of(count, 'answer')} to its captions came with the file {name}. "
            "Take that import back first."
        )
    if changed := brought.filter(version__gt=1).count():
        yield f"{count_of(changed, 'answer')} that it added {_were(changed)} changed here."
    if sent := brought.filter(sent_back__isnull=False).count():
        yield f"{count_of(sent, 'answer')} that it added {_were(sent)} sent back."
    touched = Q(item__in=items) | Q(item__in=brought.values("item"))
    settled = set(Gold.with_removed.filter(touched).values_list("item", flat=True))
    settled |= set(PastGold.with_removed.filter(touched).values_list("item", flat=True))
    if settled:
        yield f"{count_of(len(settled), 'caption')} of it {_were(len(settled))} settled."
    if brought.filter(COUNTING).exists():
        for run in _trainings(record):
            yield f"Training {run.number} of {run.project.name} used its labels."


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _trainings(record: Import) -> Iterator[TrainingRun]:
    """Trainings since the import that may have learned from the project's labels."""
    ended = (RunState.FAILED, RunState.CANCELLED)
    runs = TrainingRun.objects.filter(created_at__gte=record.at).exclude(state__in=ended)
    for run in runs.select_related("project").defer("report", "told").order_by("pk"):
        helped: list[int] = run.chosen.get("projects", [])
        if run.project_id == record.project_id or record.project_id in helped:
            yield run
