"""The rows of every table as JSON lines, and back, the same on SQLite and PostgreSQL.

A line is the head of a table, {"table": "leaderboard.user", "columns": [...]}, or a row of it: a
list in the order of the columns. Bytes are written in base64 and times to the microsecond, which
Django's serializers would cut to milliseconds.

Tables are those of a state of the migrations and not today's classes, so that the rows of an
earlier schema are read and stored as they were.
"""

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import Error as AnyDatabaseError
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from leaderboard.selectors.operations.migrations import Migration, migrations_applied
from leaderboard.web.refusals import Refused

Table = type[models.Model]

# Migrating makes rows of the first two, workers say in the third that they are there.
MADE_BY_ITSELF = {
    "contenttypes.contenttype": "django_content_type",
    "auth.permission": "auth_permission",
    "leaderboard.workerprocess": "leaderboard_workerprocess",
}
# No part of a backup: what triggers add whenever rows of others are stored, and links to log in.
_MAILS = "leaderboard.waitingmail"
_CHANGES, _CHANGES_TABLE = "leaderboard.publicchange", "leaderboard_publicchange"
_MIGRATIONS = "django_migrations"
# What is fetched and stored at a time; files of up to some megabytes lie in rows with bytes.
_ROWS, _ROWS_WITH_BYTES = 2000, 20
_BATCH_ROWS, _BATCH_CHARACTERS = 500, 8_000_000


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything as it is at one moment, while others go on to write."""
    database: Any = connection
    mode = getattr(database, "transaction_mode", None)
    try:
        # Transactions of the site take SQLite's lock of writers at once; this one only reads.
        database.transaction_mode = "DEFERRED"
        with transaction.atomic(durable=True):
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
    finally:
        database.transaction_mode = mode


def _steps(database: Any = None) -> MigrationLoader:
    """The migrations step by step, so that there is each schema that was between them."""
    return MigrationLoader(database, replace_migrations=False)


def last_migrations(applied: set[Migration]) -> list[Migration]:
    """Those after which no other of the same app was applied."""
    graph = _steps().graph
    return sorted(
        key
        for key in applied
        if not any(
            child.key[0] == key[0] and child.key in applied
            for child in graph.node_map[key].children
        )
    )


def tables_at(applied: set[Migration]) -> dict[str, Table]:
    """The tables that a database with these migrations has, by name, many-to-many ones included."""
    state = _steps().project_state(last_migrations(applied), at_end=True)
    tables = {
        model._meta.label_lower: model
        for model in state.apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    }
    for name in (_CHANGES, _MAILS):
        tables.pop(name, None)
    for model in tables.values():
        for field in model._meta.concrete_fields:
            if isinstance(field, models.DateField):  # keeps what is stored
                field.auto_now = field.auto_now_add = False
    return dict(sorted(tables.items()))


class _Encoder(DjangoJSONEncoder):
    def default(self, o: Any) -> Any:
        if isinstance(o, datetime):
            return o.isoformat()
        if isinstance(o, bytes | memoryview):
            return base64.b64encode(o).decode()
        return super().default(o)


_encode = _Encoder(separators=(",", ":")).encode


def rows_write(write: Callable[[str], object], tables: Mapping[str, Table]) -> dict[str, int]:
    """Write all rows as lines; returns the number of rows of each table."""
    counts = {}
    for name, table in tables.items():
        columns = [field.attname for field in table._meta.concrete_fields]
        write(_encode({"table": name, "columns": columns}) + "\n")
        rows = _all(table).order_by("pk").values_list(*columns)
        bytes_in = any(isinstance(field, models.BinaryField) for field in table._meta.fields)
        counts[name] = 0
        for row in rows.iterator(chunk_size=_ROWS_WITH_BYTES if bytes_in else _ROWS):
            write(_encode(row) + "\n")
            counts[name] += 1
    return counts


def _all(table: Table) -> models.QuerySet[models.Model]:
    return models.QuerySet(table)


def rows_load(lines: Iterable[str], tables: Mapping[str, Table]) -> dict[str, int]:
    """Store the rows of ``rows_write``; returns the number of rows of each table.

    Goes within a transaction, at whose end rows may refer to each other in any order.
    """
    for name in MADE_BY_ITSELF:
        if name in tables:
            _all(tables[name]).delete()
    counts = dict.fromkeys(tables, 0)
    for name, columns, rows in _batches(lines):
        table = tables[name]
        by_column = {field.attname: field for field in table._meta.concrete_fields}
        fields = [by_column[column] for column in columns]
        objects = [
            table(
                **{
                    field.attname: _stored(field, value)
                    for field, value in zip(fields, row, strict=True)
                }
            )
            for row in rows
        ]
        try:
            _all(table).bulk_create(objects)
        except AnyDatabaseError as error:
            raise Refused(f"Rows of {name} cannot be stored: {error}") from error
        counts[name] += len(rows)
    try:
        connection.check_constraints()
    except AnyDatabaseError as error:
        raise Refused(f"Rows refer to rows that are missing: {error}") from error
    return counts


def _batches(lines: Iterable[str]) -> Iterator[tuple[str, list[str], list[list[Any]]]]:
    """Rows of one table at a time, few enough for the memory: its name, its columns, the rows."""
    name, characters = "", 0
    columns: list[str] = []
    rows: list[list[Any]] = []
    for line in lines:
        read = json.loads(line)
        head = isinstance(read, dict)
        if rows and (head or len(rows) == _BATCH_ROWS or characters > _BATCH_CHARACTERS):
            yield name, columns, rows
            rows, characters = [], 0
        if head:
            name, columns = read["table"], read["columns"]
        else:
            rows.append(read)
            characters += len(line)
    if rows:
        yield name, columns, rows


def _stored(field: "models.Field[Any, Any]", value: Any) -> Any:
    if value is None and isinstance(field, models.JSONField) and not field.null:
        return models.Value(None, models.JSONField())  # the null of JSON
    return field.to_python(value)


def sequences() -> dict[str, int]:
    """The last number that each table gave to a row, also where that row is deleted.

    The audit log names people by number, so none is given out again.
    """
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, seq FROM sqlite_sequence WHERE seq > 0")
            return {name: seq for name, seq in cursor.fetchall() if name != _CHANGES_TABLE}
        numbers: dict[str, int] = {}
        for table, sequence in _sequence_names().items():
            cursor.execute(f"SELECT last_value FROM {sequence} WHERE is_called")  # noqa: S608
            row = cursor.fetchone()
            if row:
                numbers[table] = row[0]
        return numbers


def sequences_set(last: Mapping[str, int]) -> None:
    """Go on counting rows after these numbers."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for table, number in last.items():
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                cursor.execute("INSERT INTO sqlite_sequence VALUES (%s, %s)", [table, number])
            return
        for table, sequence in _sequence_names().items():
            if table in last:
                cursor.execute("SELECT setval(%s, %s)", [sequence, last[table]])


def _sequence_names() -> dict[str, str]:
    """PostgreSQL's sequence of each table that counts its rows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, pg_get_serial_sequence(quote_ident(table_name), column_name)"
            " FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND column_name = 'id'"
        )
        names = dict(cursor.fetchall())
    names.pop(_CHANGES_TABLE, None)
    return {table: sequence for table, sequence in names.items() if sequence}


def database_prepare(applied: set[Migration]) -> None:
    """Bring an empty database to the schema that these migrations make.

    Refused where it holds anything.
    """
    _expect_empty()
    if migrations_applied() == applied:
        return
    # The empty tables of this site make room for those of another schema.
    ours = {*connection.introspection.django_table_names(), _MIGRATIONS}
    there = set(connection.introspection.table_names())
    with connection.schema_editor() as editor:
        for table in sorted(ours & there):
            editor.execute(editor.sql_delete_table % {"table": editor.quote_name(table)})
    executor = MigrationExecutor(connection)
    executor.loader = _steps(connection)
    executor.migrate(last_migrations(applied))


def _expect_empty() -> None:
    by_itself = {_MIGRATIONS, _CHANGES_TABLE, *MADE_BY_ITSELF.values()}
    with connection.cursor() as cursor:
        for table in sorted(set(connection.introspection.table_names(cursor)) - by_itself):
            quoted = connection.ops.quote_name(table)
            cursor.execute(f"SELECT 1 FROM {quoted} LIMIT 1")  # noqa: S608
            if cursor.fetchone():
                raise Refused(
                    f"The database is not empty: {table} has rows. Name an empty one in "
                    "DATABASE_URL (SQLite: a file that does not exist yet)."
                )
