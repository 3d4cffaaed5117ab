"""What projects of before say of inventories, guidelines and owners.

Of answers that came in by a mapping, the inventory is known where the line of the file has a
label that the project lacks: the one that has all labels of that person's lines. What came in
by the same person's lines, and was never gone through here, is of it too. The guidelines that
there are become version 1, by nobody known, of when the project was made.
"""

import json
from collections import defaultdict
from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

AT_ONCE = 1000
OTHER = "other"


def inventories_fill(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Mark answers, and versions of answers, whose labels were mapped from another inventory."""
    annotations = apps.get_model("annotation", "Annotation").objects
    revisions = apps.get_model("annotation", "Revision").objects
    schemes = {
        row.slug: frozenset(label["name"] for label in row.labels)
        for row in apps.get_model("annotation", "Scheme").objects.order_by("slug", "version")
    }
    projects = apps.get_model("annotation", "Project").objects.select_related("scheme")
    for project in projects.filter(items__annotations__extra__version=0).distinct():
        own = frozenset(label["name"] for label in project.scheme.labels)
        rows = annotations.filter(item__project=project, extra__has_key="line")
        for user, labels in labels_of_people(rows).items():
            if labels <= own:
                continue
            fitting = [slug for slug, names in schemes.items() if labels <= names]
            inventory = min(fitting, key=lambda slug: len(schemes[slug]), default=OTHER)
            imported = rows.filter(user=user)
            imported.filter(version=1).update(inventory=inventory)
            first = revisions.filter(annotation__in=imported, version=1, edit__startswith="import-")
            first.update(inventory=inventory)


def labels_of_people(rows: Any) -> dict[int, frozenset[str]]:
    """The labels in the lines that were imported as each person's."""
    found: dict[int, set[str]] = defaultdict(set)
    for user, extra in rows.values_list("user", "extra").iterator(AT_ONCE):
        spans = json.loads(extra["line"]).get("spans") or []
        found[user].update(str(span["label"]) for span in spans)
    return {user: frozenset(labels) for user, labels in found.items()}


def first_versions_make(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Make a version of the guidelines that each project has."""
    versions = apps.get_model("annotation", "GuidelinesVersion").objects
    for project in apps.get_model("annotation", "Project").objects.exclude(guidelines=""):
        versions.create(
            project=project, number=1, text=project.guidelines, saved_at=project.created_at
        )


def owners_fill(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Give each project to the manager who has been in it longest: mostly who made it."""
    member = apps.get_model("annotation", "Member")
    for project in apps.get_model("annotation", "Project").objects.all():
        managers = member.objects.filter(project=project, role="manager", user__is_active=True)
        first = managers.order_by("joined_at", "pk").first()
        if first is not None:
            project.owner_id = first.user_id
            project.save(update_fields=["owner"])


class Migration(migrations.Migration):
    dependencies = [("annotation", "0011_leading_projects")]

    operations = [
        migrations.RunPython(inventories_fill, migrations.RunPython.noop),
        migrations.RunPython(first_versions_make, migrations.RunPython.noop),
        migrations.RunPython(owners_fill, migrations.RunPython.noop),
    ]
