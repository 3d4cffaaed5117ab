"""A person's own labelling: all of it, to give it to them, and what would lack them."""

from collections.abc import Iterator, Mapping

from django.db.models import Count, Exists, OuterRef, QuerySet, Subquery

from annotation.models import Annotation, KeyChoice, Member, Project, Revision, Role
from leaderboard.models import User


def memberships_of_person(user: User) -> Iterator[Mapping[str, object]]:
    """Give the projects that a person labels in, with how many captions they answered."""
    answered = (
        Annotation.objects.filter(user=user, item__project=OuterRef("project"))
        .order_by()
        .values("user")
        .annotate(number=Count("pk"))
        .values("number")
    )
    rows = Member.objects.filter(user=user).annotate(answered=Subquery(answered))
    for row in rows.values("project__slug", "name", "role", "joined_at", "answered").iterator():
        yield {**row, "answered": row["answered"] or 0}


def annotations_of_person(user: User) -> Iterator[Mapping[str, object]]:
    """Give every answer of a person with the caption that it is of, as it stands now."""
    names = (
        "item__project__slug", "item__text", "answer", "spans", "flagged", "comment", "version",
        "late", "seconds", "created_at", "updated_at",
    )  # fmt: skip
    rows = Annotation.objects.filter(user=user).order_by("pk").values(*names, "extra")
    for row in rows.iterator():
        extra = row.pop("extra")
        yield {**row, "taken": extra.get("taken", [])}


def versions_of_person(user: User) -> Iterator[Mapping[str, object]]:
    """Give how every answer of a person stood after each change.

    ``taken`` is None where nothing was kept of it.
    """
    names = (
        "annotation__item__project__slug", "annotation__item__text", "version", "answer", "spans",
        "taken", "late", "saved_at",
    )  # fmt: skip
    rows = Revision.objects.filter(annotation__user=user).order_by("annotation", "version")
    yield from rows.values(*names).iterator()


def keys_of_person(user: User) -> Iterator[Mapping[str, object]]:
    """Give the keys that a person chose for labelling."""
    rows = KeyChoice.objects.filter(user=user).order_by("pk")
    yield from rows.values("scheme__slug", "scheme__version", "keys", "updated_at").iterator()


def managed_alone(user: User) -> QuerySet[Project]:
    """Give the projects that others work in and that nobody else manages."""
    others = Member.objects.filter(project=OuterRef("pk"), user__is_active=True).exclude(user=user)
    managed = Project.objects.filter(members__user=user, members__role=Role.MANAGER)
    return managed.filter(Exists(others), ~Exists(others.filter(role=Role.MANAGER)))
