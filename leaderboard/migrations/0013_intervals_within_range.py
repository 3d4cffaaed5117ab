"""Stored 95 % intervals end where the range of their metric ends."""

from typing import Any

from django.db import migrations

# As they were when this was written.
BELOW_0 = ("fense", "sbert_sim")
ABOVE_1 = {"cider_d": 10.0, "spider": 5.5, "spider_max": 5.5, "spider_fl": 5.5, "vocab": None}


def intervals_end(apps: Any, _editor: object) -> None:
    """Bring intervals into range; values and what ranks by them do not change."""
    results = apps.get_model("leaderboard", "MetricResult").objects
    for metric in results.values_list("metric", flat=True).distinct():
        lowest = -1.0 if metric in BELOW_0 else 0.0
        highest = ABOVE_1.get(metric, 1.0)
        results.filter(metric=metric, low__lt=lowest).update(low=lowest)
        if highest is not None:
            results.filter(metric=metric, high__gt=highest).update(high=highest)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0012_signature_revisions")]

    operations = [migrations.RunPython(intervals_end, migrations.RunPython.noop)]
