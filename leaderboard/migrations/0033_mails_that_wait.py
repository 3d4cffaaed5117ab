"""Mails that the server did not take, which are tried again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0032_references_of_a_challenge"),
    ]

    operations = [
        migrations.CreateModel(
            name="WaitingMail",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("to", models.EmailField(max_length=254)),
                ("subject", models.TextField()),
                ("body", models.TextField()),
                ("expires_at", models.DateTimeField()),
                ("mail_due_at", models.DateTimeField(null=True)),
                ("mail_attempts", models.PositiveSmallIntegerField(default=0)),
            ],
        ),
    ]
