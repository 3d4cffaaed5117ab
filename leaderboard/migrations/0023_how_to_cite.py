"""How a challenge wants to be cited."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0022_freezing_when_scored"),
    ]

    operations = [
        migrations.AddField(
            model_name="challenge",
            name="citation",
            field=models.TextField(blank=True, help_text="How to cite the challenge."),
        ),
    ]
