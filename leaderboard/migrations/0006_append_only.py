from django.db import migrations

from leaderboard.models.append_only import triggers_create, triggers_drop


class Migration(migrations.Migration):
    """The database refuses to change or delete what is only added to."""

    dependencies = [("leaderboard", "0005_notices_by_mail")]

    operations = [migrations.RunPython(triggers_create, triggers_drop)]
