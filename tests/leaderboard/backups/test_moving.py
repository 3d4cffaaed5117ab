"""A backup moves a site to a database that is not there yet, of its own kind or another."""

from pathlib import Path

import pytest
from django.core.management import call_command

from tests.leaderboard.backups.sites import Site, contents, empty_database, manifest, places
from tests.leaderboard.backups.test_backup import made, site

__all__ = ["made", "places", "site"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_rows_move_to_a_database_that_is_not_there_yet_and_back(made: Path, tmp_path: Path) -> None:
    """The other one is SQLite, so that this goes both ways."""
    other = Site(tmp_path / "other")
    said = other.manage("restore", str(made))
    assert "as it was" in said
    other.manage("backup", str(tmp_path / "from-other"))
    assert manifest(tmp_path / "from-other")["database"] == "sqlite"
    assert manifest(tmp_path / "from-other")["rows"] == manifest(made)["rows"]
    call_command("restore", tmp_path / "from-other")
    call_command("backup", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(made)


def test_an_empty_database_gets_its_tables_from_the_backup(made: Path, tmp_path: Path) -> None:
    with empty_database(tmp_path) as url:
        site = Site(tmp_path / "other", url)
        site.manage("restore", str(made))
        assert "is not empty: " in site.manage("restore", str(made), fails=True)
        site.manage("backup", str(tmp_path / "again"))
    assert contents(tmp_path / "again") == contents(made)
