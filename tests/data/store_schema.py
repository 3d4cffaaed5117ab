"""Store a small site under today's schema: ``python -m tests.data.store_schema [FOLDER]``.

It makes one of everything, systems in every state among them, and a backup of it, by default as
tests/data/schema_<last migration of leaderboard>_<of annotation>. ``test_stored_schemas`` restores
each of them from then on, on both databases, and compares the leaderboards.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(arguments: list[str]) -> None:
    os.environ |= {"DJANGO_SETTINGS_MODULE": "tests.settings", "SECRET_KEY": "of the stored site"}
    os.environ.pop("DATABASE_URL", None)
    import django

    django.setup()
    from django.core.management import call_command

    from tests.data.small_site import small_site_make

    call_command("migrate", verbosity=0)
    small_site_make()
    folder = Path(arguments[0]) if arguments else HERE / f"schema_{_schema()}"
    call_command("backup", folder)
    (folder / "backup.lock").unlink()


def _schema() -> str:
    from leaderboard.selectors.operations.migrations import migrations_applied
    from leaderboard.services.backups.tables import last_migrations

    last = dict(last_migrations(migrations_applied()))
    return "_".join(last[app][:4] for app in ("leaderboard", "annotation"))


if __name__ == "__main__":
    main(sys.argv[1:])
