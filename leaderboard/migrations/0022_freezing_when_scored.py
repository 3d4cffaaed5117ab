"""Since when a ranking is to be frozen, as soon as what was handed in until then is scored."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0021_judgments"),
    ]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="freeze_asked_at",
            field=models.DateTimeField(
                blank=True,
                editable=False,
                help_text="While set, the ranking is to be frozen once what was handed in until "
                "then is scored.",
                null=True,
            ),
        ),
    ]
