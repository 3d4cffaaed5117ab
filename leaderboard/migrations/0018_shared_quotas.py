"""Who made a team, and whether the teams that one person made share a quota.

Phases that exist keep the rule under which people take part in them: each team has a quota.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def fill_in_makers(apps, _editor):
    """Read who made each team from the audit log; where it says nothing, its first owner did."""
    Team = apps.get_model("leaderboard", "Team")
    User = apps.get_model("leaderboard", "User")
    made = apps.get_model("leaderboard", "AuditEvent").objects.filter(action="team.create")
    makers = dict(made.order_by("at", "id").values_list("target", "actor_id"))
    people = set(User.objects.values_list("pk", flat=True))
    for team in Team.objects.filter(created_by=None):
        if team.slug in makers:
            maker = makers[team.slug]
        else:
            owners = team.memberships.filter(role="owner").order_by("joined_at", "id")
            maker = owners.values_list("user_id", flat=True).first()
        if maker in people:
            Team.objects.filter(pk=team.pk).update(created_by=maker)


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0017_public_changes"),
    ]

    operations = [
        migrations.AddField(
            model_name="team",
            name="created_by",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="phase",
            name="quota_shared",
            field=models.BooleanField(
                default=False,
                help_text="Submissions of all teams that one person made count together.",
            ),
        ),
        migrations.AlterField(
            model_name="phase",
            name="quota_shared",
            field=models.BooleanField(
                default=True,
                help_text="Submissions of all teams that one person made count together.",
            ),
        ),
        migrations.RunPython(fill_in_makers, migrations.RunPython.noop),
    ]
