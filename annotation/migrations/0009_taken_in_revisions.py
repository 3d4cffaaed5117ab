"""Which spans were taken from a suggestion is kept with each version of an annotation.

Of those from before only the latest is known: what the annotation itself has.
"""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F

AT_ONCE = 1000


def latest_fill(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """The latest version of each annotation what is known of the annotation."""
    revisions = apps.get_model("annotation", "Revision").objects
    latest = revisions.filter(version=F("annotation__version")).select_related("annotation")
    rows = []
    for row in latest.iterator(AT_ONCE):
        row.taken = row.annotation.extra.get("taken", [])
        rows.append(row)
        if len(rows) == AT_ONCE:
            revisions.bulk_update(rows, ["taken"])
            rows = []
    revisions.bulk_update(rows, ["taken"])


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0008_cancel_asked_by"),
    ]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="taken",
            field=models.JSONField(null=True),
        ),
        migrations.RunPython(latest_fill, migrations.RunPython.noop),
    ]
