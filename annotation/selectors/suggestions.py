"""What is suggested for captions: the one place where suggestions are read for people.

A caption that measures agreement never has any, whatever stands in the table: people who
see the same suggestion agree with it, and not with one another.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from annotation.models import Item, Project, Suggestion


@dataclass(frozen=True, slots=True)
class Suggested:
    """Spans with ``confidence``, and the identity of the labeller that made them."""

    labeller: str
    spans: tuple[dict[str, Any], ...]


def suggestions_of(items: Iterable[Item], project: Project) -> dict[int, Suggested]:
    """Give what is suggested by the captions' ids, in one query; without labels not offered."""
    if not project.suggest:
        return {}
    single = [item.pk for item in items if not item.measures_agreement]
    offered = {label.name for label in project.labels}
    rows = Suggestion.objects.filter(item__in=single, item__project=project, item__copies=1)
    found = {row.item_id: _suggested(row, offered) for row in rows}
    return {item: one for item, one in found.items() if one.spans}


def _suggested(row: Suggestion, offered: set[str]) -> Suggested:
    stored: list[dict[str, Any]] = row.spans
    return Suggested(row.identity, tuple(span for span in stored if span["label"] in offered))
