"""Make a backup of a database whose schema is of an earlier day: ``python -m ... FOLDER``.

``manage.py backup`` refuses that, since it also computes leaderboards; here there are none.
Runs on the database of DATABASE_URL.
"""

import gzip
import os
import sys
from pathlib import Path
from typing import IO


def main(path: Path) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.conf import settings
    from django.db import connection

    from leaderboard.selectors.operations.migrations import migrations_applied
    from leaderboard.services.backups import tables
    from leaderboard.services.backups.folder import LEADERBOARDS, ROWS, BackupFolder, Manifest
    from leaderboard.services.backups.making import key_mark

    counts: dict[str, int] = {}
    applied = migrations_applied()

    def write(file: IO[bytes]) -> None:
        with gzip.GzipFile(fileobj=file, mode="wb") as packed:
            lines = tables.rows_write(
                lambda line: packed.write(line.encode()), tables.tables_at(applied)
            )
            counts.update(lines)

    folder = BackupFolder(path)
    with folder.writing(), tables.snapshot():
        files = {ROWS: folder.add(write), LEADERBOARDS: folder.add(lambda file: file.write(b"[]"))}
        folder.finish(
            Manifest(
                earmark="0.1.0",
                taken_at="2026-03-01T12:00:00+00:00",
                database=connection.vendor,
                migrations=[list(one) for one in sorted(applied)],
                rows=counts,
                sequences=tables.sequences(),
                key_mark=key_mark(settings.SECRET_KEY),
                files=files,
            )
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
