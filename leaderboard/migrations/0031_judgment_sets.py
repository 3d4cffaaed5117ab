"""Judgments of a person's own beside those of phases, in the same table."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def own_judgments_delete(apps: Any, _editor: Any) -> None:
    """The table of before has a phase in every row."""
    apps.get_model("leaderboard", "JudgmentSet").objects.filter(phase=None).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0030_language_model_use"),
    ]

    operations = [
        migrations.RenameModel("PhaseJudgments", "JudgmentSet"),
        migrations.RenameIndex(
            model_name="judgmentset",
            new_name="leaderboard_state_417d95_idx",
            old_name="leaderboard_state_d15ed3_idx",
        ),
        migrations.AddField(
            model_name="judgmentset",
            name="clips",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="judgmentset",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="judgments",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="judgmentset",
            name="phase",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="judgments",
                to="leaderboard.phase",
            ),
        ),
        migrations.AlterField(
            model_name="judgmentset",
            name="source",
            field=models.CharField(blank=True, max_length=80),
        ),
        migrations.RunPython(migrations.RunPython.noop, own_judgments_delete),
        migrations.AddConstraint(
            model_name="judgmentset",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", True), ("phase__isnull", False)),
                    models.Q(
                        ("owner__isnull", False),
                        ("phase__isnull", True),
                        ("published_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="judgments_of_a_phase_or_a_person",
            ),
        ),
    ]
