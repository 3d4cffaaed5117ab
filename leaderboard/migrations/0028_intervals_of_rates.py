"""Stored intervals of the fluency error rate are those of a rate; one of 0 has an interval."""

from typing import Any

import numpy as np
from django.db import migrations

from earmark.statistics import rate_interval


def intervals_compute(apps: Any, _editor: object) -> None:
    """Compute the intervals of rates anew; values and what ranks by them do not change."""
    rates = apps.get_model("leaderboard", "MetricResult").objects.filter(metric="fer")
    for pk, per_clip in rates.order_by("pk").values_list("pk", "per_clip").iterator(chunk_size=200):
        flags = np.frombuffer(bytes(per_clip), dtype="<f4")
        if flags.size and np.isin(flags, (0, 1)).all():
            interval = rate_interval(int(flags.sum()), flags.size)
            rates.filter(pk=pk).update(low=interval.low, high=interval.high)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0027_texts_of_fields")]

    operations = [migrations.RunPython(intervals_compute, migrations.RunPython.noop)]
