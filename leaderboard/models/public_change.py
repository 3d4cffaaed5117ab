"""The version of what pages show to visitors, which the database itself keeps.

Triggers add a row for every change of a table that such a page is made of, in the transaction
that changes it: so the version becomes another one in the moment in which the change can be
seen, whoever makes it and however. They are dropped before migrations, which may rebuild a
table or change the type of a column that a trigger names, and made again after them
(``LeaderboardConfig``).
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.db import connection, connections, models
from django.db.models import Max

# Tables that pages for visitors are made of, each with the columns whose change shows; none
# named: all. Left out are columns that a worker writes every few seconds, and log-ins.
WATCHED: Mapping[str, tuple[str, ...]] = {
    "leaderboard_announcement": (),
    "leaderboard_audiofile": (),
    "leaderboard_challenge": (),
    "leaderboard_challengeimage": (),
    "leaderboard_clipdetails": (),
    "leaderboard_evaluation": (
        "submission_id",
        "family",
        "signature",
        "published",
        "state",
        "attempts",
        "reason",
        "details_note",
    ),
    "leaderboard_labelledreferences": (),
    "leaderboard_labeller": (),
    "leaderboard_labelleruse": (),
    "leaderboard_languagemodeluse": ("phase_id", "model", "host", "active"),
    "leaderboard_membership": (),
    "leaderboard_metricresult": (),
    "leaderboard_phase": (),
    "leaderboard_judgmentset": ("name", "results", "published_at"),
    "leaderboard_rankestimates": (),
    "leaderboard_ranksnapshot": (),
    "leaderboard_referenceset": (),
    "leaderboard_storedfile": (),
    "leaderboard_submission": (),
    "leaderboard_team": (),
    "leaderboard_user": ("username",),
}


class PublicChange(models.Model):
    """One change; rows are only added, so that writers never wait for each other."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"change {self.pk}"


def public_version() -> tuple[int | None, ...]:
    """What changes whenever anything does that visitors may be shown.

    The number of rows tells of a transaction that began early and ended late, whose row lies
    below the highest; the lowest tells of old rows that were pruned meanwhile.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*), MIN(id), MAX(id) FROM leaderboard_publicchange")
        version: tuple[int | None, ...] = cursor.fetchone()
    return version


# No transaction of the site is open for so long.
_KEPT = timedelta(minutes=10)


def public_changes_prune(now: datetime) -> None:
    """Delete rows that are not needed any more; never the last, so that no version comes again."""
    last = PublicChange.objects.aggregate(last=Max("pk"))["last"]
    PublicChange.objects.filter(at__lt=now - _KEPT, pk__lt=last or 0).delete()


_PREFIX = "public_change_"
# One writer at a time: the latest row is enough.
_SQLITE = """CREATE TRIGGER IF NOT EXISTS {name} AFTER {event} ON {table} BEGIN
    DELETE FROM leaderboard_publicchange;
    INSERT INTO leaderboard_publicchange (at) VALUES (strftime('%Y-%m-%d %H:%M:%f', 'now')); END"""
_POSTGRESQL = """CREATE OR REPLACE TRIGGER {name} AFTER {event} ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION leaderboard_publicchange_add()"""
_POSTGRESQL_FUNCTION = """CREATE OR REPLACE FUNCTION leaderboard_publicchange_add()
    RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO leaderboard_publicchange (at) VALUES (clock_timestamp());
    RETURN NULL; END $$"""
_EXISTING = {
    "sqlite": "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname, relname FROM pg_trigger "
    "JOIN pg_class ON pg_class.oid = tgrelid AND pg_table_is_visible(tgrelid)",
}


def watches_create(using: str = "default", **_: Any) -> None:
    """Make the triggers that are missing, and drop those that are no longer wanted."""
    wanted = _wanted(using)
    there = _existing(using)
    _drop(using, there.keys() - wanted.keys())
    missing = wanted.keys() - there.keys()
    with connections[using].cursor() as cursor:
        if missing and connections[using].vendor == "postgresql":
            cursor.execute(_POSTGRESQL_FUNCTION)
        for name in sorted(missing):
            cursor.execute(wanted[name])


def watches_drop(using: str = "default", plan: object = True, **_: Any) -> None:
    """Drop the triggers; before migrations, where there are any."""
    if plan:
        _drop(using, _existing(using).keys())


def _drop(using: str, names: Iterable[str]) -> None:
    there = _existing(using)
    postgresql = connections[using].vendor == "postgresql"
    with connections[using].cursor() as cursor:
        for name in sorted(names):
            cursor.execute(f"DROP TRIGGER {name}" + (f" ON {there[name]}" if postgresql else ""))


def _existing(using: str) -> dict[str, str]:
    with connections[using].cursor() as cursor:
        cursor.execute(_EXISTING[connections[using].vendor])
        return {name: table for name, table in cursor.fetchall() if name.startswith(_PREFIX)}


def _wanted(using: str) -> dict[str, str]:
    """The statements that make the triggers, by names that change with them."""
    pattern = {"sqlite": _SQLITE, "postgresql": _POSTGRESQL}[connections[using].vendor]
    tables = set(connections[using].introspection.table_names())
    if "leaderboard_publicchange" not in tables:
        return {}
    return {
        name: pattern.format(name=name, event=event, table=table)
        for table in sorted(tables & WATCHED.keys())
        for columns in [", ".join(WATCHED[table])]
        for event in ("INSERT", "DELETE", f"UPDATE OF {columns}" if columns else "UPDATE")
        for name in [f"{_PREFIX}{sha256(f'{pattern}{table}{event}'.encode()).hexdigest()[:16]}"]
    }
