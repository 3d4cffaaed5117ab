"""What people labelled, one after another, as files have it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.formats.work import Work
from annotation.models import Annotation, Gold, Item, Project

ALL, GOLD = "all", "gold"
AT_ONCE = 500


class NoSuchPerson(ValueError):
    """Nobody of this name has labelled in the project."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Nobody called {name!r} is in this project. Give a member's name, all or gold."
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """Whose work, and with which answer ("" for any).

    ``who`` is a member's name, "all", or "gold" for what is settled.
    """

    who: str = ALL
    answer: str = ""


def works_of(project: Project, choice: Choice, *, by_person: bool = False) -> Iterator[Work]:
    """Give the work of a project in the order in which it was first kept, read piece by piece.

    ``by_person`` gives one person's after the other's. Raises ``NoSuchPerson``
    at once and not when the first work is asked for.
    """
    if choice.who == GOLD:
        return _settled(project)
    rows = _annotations(project, choice)
    return _works(rows.order_by("user", "pk") if by_person else rows.order_by("pk"), project)


def _annotations(project: Project, choice: Choice) -> QuerySet[Annotation]:
    rows = Annotation.objects.filter(item__project=project)
    if choice.answer:
        rows = rows.filter(answer=choice.answer)
    if choice.who == ALL:
        return rows
    person = next(
        (user for user, name in _names(project).items() if name == choice.who),
        None,
    )
    if person is None:
        raise NoSuchPerson(choice.who)
    return rows.filter(user=person)


def _names(project: Project) -> dict[int, str]:
    """Give the name under which each person's work stands; who left keeps the user name."""
    left = Annotation.objects.filter(item__project=project).order_by()
    names = dict(left.values_list("user", "user__username").distinct())
    return names | dict(project.members.values_list("user", "name"))


def _works(rows: QuerySet[Annotation], project: Project) -> Iterator[Work]:
    names = _names(project)
    for row in rows.select_related("item").iterator(AT_ONCE):
        extra: dict[str, Any] = row.extra
        line = str(extra.get("line", ""))
        yield Work(
            **_caption(row.item),
            spans=row.spans,
            annotator=names.get(row.user_id, str(row.user_id)),
            at=row.updated_at,
            answer=row.answer,
            flagged=row.flagged,
            comment=row.comment,
            line=line,
            changed=bool(line) and extra.get("version") != row.version,
            taken=extra.get("taken", ()),
        )


def _settled(project: Project) -> Iterator[Work]:
    rows = Gold.objects.filter(item__project=project).select_related("item")
    for row in rows.order_by("item__position").iterator(AT_ONCE):
        yield Work(**_caption(row.item), spans=row.spans, annotator=GOLD, at=row.settled_at)


def _caption(item: Item) -> dict[str, Any]:
    return {
        "number": item.position,
        "text": item.text,
        "tokens": item.tokens,
        "meta": item.meta,
        "carried": str(item.extra.get("carried", "")),
    }
