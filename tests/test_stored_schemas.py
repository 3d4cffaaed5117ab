"""A backup of each earlier schema is restored and migrated."""

import re
from pathlib import Path

import psycopg
import pytest
from django.db import connection

from leaderboard.services.backups.tables import MADE_BY_ITSELF
from tests.leaderboard.backups.sites import Site, empty_database, manifest
from tests.test_stored_data import DATA, SECRET_KEY

pytestmark = pytest.mark.django_db

# All that PostgreSQL knows of the tables, but for the order of columns and most names.
SCHEMA = """
SELECT table_name, column_name, udt_name, is_nullable, character_maximum_length::text,
    column_default FROM information_schema.columns WHERE table_schema = current_schema()
UNION ALL SELECT conrelid::regclass::text, pg_get_constraintdef(oid), '', '', '', ''
    FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
UNION ALL SELECT tablename, regexp_replace(indexdef, 'INDEX \\S+', ''), '', '', '', ''
    FROM pg_indexes WHERE schemaname = current_schema()
UNION ALL SELECT tgrelid::regclass::text, tgname, '', '', '', ''
    FROM pg_trigger WHERE NOT tgisinternal"""


@pytest.mark.parametrize("stored", sorted(DATA.glob("schema_*")), ids=lambda path: path.name)
def test_each_earlier_schema_is_restored_and_migrated(stored: Path, tmp_path: Path) -> None:
    """Its leaderboards are as they were, which ``restore`` compares.

    Step by step PostgreSQL comes to the tables that a new database has at once.
    """
    with empty_database(tmp_path) as url:
        site = Site(tmp_path / "site", url, SECRET_KEY=SECRET_KEY)
        said = site.manage("restore", str(stored))
        assert len(re.findall(r"as it was$", said, re.MULTILINE)) > 1
        assert site.manage("migrate", "--check") == ""
        site.manage("backup", str(tmp_path / "again"))
        if connection.vendor == "postgresql":
            with psycopg.connect(url) as migrated, connection.cursor() as new:
                new.execute(SCHEMA)
                made = set(new.fetchall())
                assert len(made) > 500
                assert set(migrated.execute(SCHEMA)) ^ made == set()
    rows = [manifest(folder)["rows"] for folder in (stored, tmp_path / "again")]
    lost = {
        name: (count, rows[1].get(name))
        for name, count in rows[0].items()
        if name not in MADE_BY_ITSELF  # with what is new there are more of them
    }
    assert {name: counts for name, counts in lost.items() if counts[0] != counts[1]} == {}
