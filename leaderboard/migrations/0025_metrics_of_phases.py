"""Which metrics a phase computes; until it says so, all of them."""

from django.db import migrations, models

import leaderboard.models.challenge


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0024_challenge_images"),
    ]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="metrics",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Metrics that are computed, with what is computed together with them. "
                "None chosen: all that the installation has.",
                validators=[leaderboard.models.challenge.validate_metric_names],
            ),
        ),
    ]
