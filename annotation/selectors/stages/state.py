"""A number that is another one once anything changed by which stages feed each other."""

from typing import Any

from django.db import models
from django.db.models import BigIntegerField, Case, F, QuerySet, Sum, Value, When
from django.db.models.functions import Cast, Coalesce

from annotation.models import Annotation, Assignment, AssignmentRecord, Item, Project, Sound
from annotation.selectors.stages.chain import stages_of

# A prime below 2**31, so that no product leaves 64 bits.
_PRIME, _FACTOR = 2_147_483_647, 1_000_003
_WHOLE = BigIntegerField()


def stages_state(project: Project) -> str:
    """What the answers, items, places, people and recordings of a project's stages come to.

    Equal where nothing changed that ``stage_plan`` or what notes hands reads: a text by the version
    of its answer, everything else by its ids. Six queries, whatever the size, besides those for
    the stages.
    """
    stages = stages_of(project)
    items = {"item__project__in": stages}
    rows: list[tuple[QuerySet[Any], tuple[Any, ...]]] = [
        (Item.with_removed.filter(project__in=stages), ("pk", _flag(removed_at__isnull=False))),
        (
            Annotation.with_removed.filter(**items),
            ("pk", "version", "user", "assignment", "sent_back", "refused"),
        ),
        (Assignment.with_removed.filter(project__in=stages), ("pk", "user", _flag(done=True))),
        (AssignmentRecord.objects.filter(**items), ("pk", "user")),
        (Sound.objects.filter(project__in=stages), ("pk",)),
    ]
    chain = [f"{stage.pk}{'c' * stage.closed}" for stage in stages]
    return " ".join([*chain, *(str(_checksum(found, names)) for found, names in rows)])


def _flag(**holds: bool) -> Case:
    return Case(When(**holds, then=Value(1)), default=Value(0), output_field=_WHOLE)


def _checksum(rows: "QuerySet[Any]", columns: tuple[Any, ...]) -> int | None:
    """The sum of one number for each row; squares, so that no exchange between rows is lost."""
    mixed: Any = Value(0, output_field=_WHOLE)
    for column in columns:
        named = F(column) if isinstance(column, str) else column
        # Not every database has products of short numbers as long ones.
        value = Coalesce(Cast(named, _WHOLE), Value(0), output_field=_WHOLE)
        mixed = (mixed * _FACTOR + value + 1) % _PRIME
    squared = models.ExpressionWrapper(mixed * mixed % _PRIME, output_field=_WHOLE)
    found: int | None = rows.order_by().aggregate(sum=Sum(squared))["sum"]
    return found
