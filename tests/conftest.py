"""Fixtures that every test may use."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from hypothesis import settings

from leaderboard.models.append_only import triggers_create, triggers_drop

# A slow machine is no failure.
settings.register_profile("earmark", deadline=None)
settings.load_profile("earmark")

ROOT = Path(__file__).resolve().parent.parent
DATABASE = {"db", "transactional_db", "live_server"}


def absent(what: str) -> None:
    """Skip for something that a laptop may lack; in CI its absence is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have {what}")
    pytest.skip(f"{what} is absent")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for no database, and gets none: it cannot depend on which one there is."""
    for item in items:
        asked = item.get_closest_marker("django_db") or DATABASE & set(
            getattr(item, "fixturenames", ())
        )
        if not asked:
            item.add_marker(pytest.mark.one_database)


def pytest_collection_finish() -> None:
    """Keep what was imported from being looked through at each collection of garbage.

    That was a tenth of the time of all tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data and oracles beside the checkout."""
    path = ROOT.parent / "shared" / "data"
    if not path.is_dir():
        absent("../shared/data")
    return path


@pytest.fixture(autouse=True, scope="session")
def emptying_between_tests() -> Iterator[None]:
    """Let Django empty the tables between tests, which the database would refuse.

    The refusals are dropped and made again around that, and nowhere else.
    """
    flush = BaseDatabaseOperations.execute_sql_flush

    def emptied(self: Any, sql_list: Any) -> None:
        editor = SimpleNamespace(connection=self.connection)
        with transaction.atomic(using=self.connection.alias):
            triggers_drop(None, editor)
            flush(self, sql_list)
            triggers_create(None, editor)

    BaseDatabaseOperations.execute_sql_flush = emptied  # type: ignore[method-assign]
    yield
    BaseDatabaseOperations.execute_sql_flush = flush  # type: ignore[method-assign]
