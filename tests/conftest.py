"""Fixtures that every test may use."""

import gc
import os
from collections import Counter
from collections.abc import Generator, Iterator
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management.commands import flush
from django.db import transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from hypothesis import settings

from leaderboard.models.append_only import triggers_create, triggers_drop
from leaderboard.services.jobs.attempts import JobProgress
from leaderboard.services.playground import computing
from tests.real_data import REAL_DATA

# The tests of several processes share the processors: products of small matrices by several threads
# each took seven times the time, waiting for each other. Read when numpy is imported, which pytest
# itself has not done where it starts other processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A slow machine is no failure. `make test-long` tries more examples of each property.
settings.register_profile("earmark", deadline=None, max_examples=40)
settings.register_profile("long", deadline=None, max_examples=400)
settings.load_profile("earmark")


WITHOUT_DATA = "the real data are not here"


def absent(what: str) -> None:
    """Skip for a program that a laptop may lack; in CI its absence is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have {what}")
    pytest.skip(f"{what} is absent")


# The files that take longest begin, so that no process works alone at the end.
LONGEST = {
    f"test_{name}.py"
    for name in (
        *("readme", "authorisation", "query_counts", "hidden_phase", "isolation", "schema"),
        *("stored_schemas", "moving", "worker", "training_races"),
        *("every_page", "from_recordings_to_a_challenge", "a_leads_way", "ways"),
    )
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish() -> None:
    """Keep what was imported from being looked through at each collection of garbage.

    That was a tenth of the time of all tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


def pytest_configure() -> None:
    """Stop where EARMARK_TEST_DATA names a folder that is not there."""
    named = os.environ.get("EARMARK_TEST_DATA")
    if named and not REAL_DATA.is_dir():
        raise pytest.UsageError(f"EARMARK_TEST_DATA names {named}, which is no folder.")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data and oracles; where there is none, the test is left out."""
    if not REAL_DATA.is_dir():
        pytest.skip(WITHOUT_DATA)
    return REAL_DATA


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test of the real data that is skipped although they are here."""
    report = yield
    asks = "shared_data" in getattr(item, "fixturenames", ())
    if report.skipped and asks and REAL_DATA.is_dir() and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"The real data are in {REAL_DATA}, and yet: {report.longrepr}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the tests that were left out because the real data are not here."""
    skipped: list[pytest.TestReport] = terminalreporter.stats.get("skipped", [])
    left_out = [report for report in skipped if WITHOUT_DATA in str(report.longrepr)]
    if not left_out:
        return
    terminalreporter.section("left out: tests that need the real data")
    for name, count in Counter(report.nodeid.partition("[")[0] for report in left_out).items():
        terminalreporter.line(f"{name}  ({count} cases)" if count > 1 else name)
    terminalreporter.line("")
    terminalreporter.line(
        f"{len(left_out)} left out, as {REAL_DATA} is not there. docs/guides/installing.md says "
        "where the data come from; then set EARMARK_TEST_DATA=FOLDER."
    )


@pytest.fixture(autouse=True)
def no_heartbeat_out_of_sight(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep heartbeats out of tests that stay in one transaction.

    A heartbeat writes over a connection of its own, which cannot see the rows of an open
    transaction: on a slow machine it would find the lease of a test gone.
    """
    marker = request.node.get_closest_marker("django_db")
    committed = {"transactional_db", "live_server"} & set(request.fixturenames)
    if not committed and not (marker and marker.kwargs.get("transaction")):
        monkeypatch.setattr(JobProgress, "_run", lambda self: None)


@pytest.fixture(autouse=True, scope="session")
def tried_captions_take_their_time() -> None:
    """Take the limits of the clock away; the tests that are about them set their own."""
    computing.MOST_PROCESSOR_SECONDS = computing.MOST_SECONDS = inf
    computing.MOST_SECONDS_COLD = inf


# What Django itself writes of the models after migrations, and would write again.
OF_MODELS = {"auth_permission", "django_content_type"}


def filled_tables(database: Any) -> list[str]:
    """The tables of the site that have rows of tests."""
    tables = database.introspection.django_table_names(only_existing=True, include_views=False)
    quoted = [(table, database.ops.quote_name(table)) for table in tables if table not in OF_MODELS]
    asked = (f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {name})" for table, name in quoted)
    with database.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(asked))
        return [table for (table,) in cursor.fetchall()]


@pytest.fixture(autouse=True, scope="session")
def emptying_between_tests() -> Iterator[None]:
    """Let Django empty the tables between tests, which the database would refuse.

    The refusals are dropped and made again around that, and nowhere else. Only tables with rows
    are emptied, and row by row: PostgreSQL takes a second to truncate all that there are.
    """

    def emptied(self: Any, sql_list: Any) -> None:
        editor = SimpleNamespace(connection=self.connection)
        with transaction.atomic(using=self.connection.alias):
            triggers_drop(None, editor)
            # Again, since deleting from tables that pages are made of is noted in another one.
            while tables := filled_tables(self.connection):
                with self.connection.cursor() as cursor:
                    for table in tables:
                        cursor.execute(f"DELETE FROM {self.quote_name(table)}")
            triggers_create(None, editor)

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(BaseDatabaseOperations, "execute_sql_flush", emptied)
        # The models are as they were: nothing is to be written of them again.
        changed.setattr(flush, "emit_post_migrate_signal", lambda *_: None)
        yield
