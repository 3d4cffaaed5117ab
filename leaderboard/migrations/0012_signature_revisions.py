from typing import Any

from django.db import migrations, models
from django.db.models import CharField, Value
from django.db.models.functions import Concat, Length, Left

# Until version 0.1.0 a signature ended in the version of the scorer, from then on in
# the revision of the metric family: all families were at revision 1.
VERSION = "0.1.0"
VERSION_END = f"|v:{VERSION}"
REVISION_END = "|r:1"


def revisions_write(apps: Any, _editor: object) -> None:
    """End stored signatures in the revision, and record the version beside the scores.

    Ranking snapshots stay as they were taken, since they can only be added to and
    their digests stand in the audit log; whoever reads them converts the signatures.
    """
    apps.get_model("leaderboard", "MetricResult").objects.filter(
        signature__endswith=VERSION_END
    ).update(scorer_version=VERSION)
    _replace_end(apps, VERSION_END, REVISION_END)


def versions_write(apps: Any, _editor: object) -> None:
    """End stored signatures in the version again, as version 0.1.0 expects."""
    _replace_end(apps, REVISION_END, VERSION_END)


def _replace_end(apps: Any, old: str, new: str) -> None:
    kept = Left("signature", Length("signature") - len(old))
    for name in ("Evaluation", "MetricResult"):
        rows = apps.get_model("leaderboard", name).objects.filter(signature__endswith=old)
        rows.update(signature=Concat(kept, Value(new), output_field=CharField()))


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0011_notices_of_trainings"),
    ]

    operations = [
        migrations.AddField(
            model_name="metricresult",
            name="scorer_version",
            field=models.CharField(blank=True, default="", max_length=40),
            preserve_default=False,
        ),
        migrations.RunPython(revisions_write, versions_write),
    ]
