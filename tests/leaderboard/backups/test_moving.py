"""A backup moves a site to a database that is not there yet, of its own kind or another."""

from pathlib import Path

import pytest

from tests.leaderboard.backups.sites import Site, contents, empty_database, manifest, places
from tests.leaderboard.backups.test_backup import made, site

__all__ = ["made", "places", "site"]
pytestmark = pytest.mark.django_db(transaction=True)


def test_rows_move_to_another_kind_of_database_and_back_to_an_empty_one(
    made: Path, tmp_path: Path
) -> None:
    """The other one is SQLite, so that this goes both ways."""
    other = Site(tmp_path / "other")
    said = other.manage("restore", str(made))
    assert "as it was" in said
    other.manage("backup", str(tmp_path / "from-other"))
    assert manifest(tmp_path / "from-other")["database"] == "sqlite"
    assert manifest(tmp_path / "from-other")["rows"] == manifest(made)["rows"]
    with empty_database(tmp_path) as url:
        back = Site(tmp_path / "back", url)
        back.manage("restore", str(tmp_path / "from-other"))
        assert "is not empty: " in back.manage("restore", str(made), fails=True)
        back.manage("backup", str(tmp_path / "again"))
    assert contents(tmp_path / "again") == contents(made)
