"""The history of the labeller in use is only added to, like the audit log."""

from django.db import migrations

from leaderboard.models.append_only import triggers_create


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0008_labellers")]

    operations = [migrations.RunPython(triggers_create, migrations.RunPython.noop)]
