"""Rows that are added and never changed: what Django refuses, and what the database does.

The database's own triggers are what can be relied on; the model's refusals only say
the same sooner and in words. A migration that changes one of the tables must end with
``RunPython(triggers_create, triggers_drop)`` of this module: SQLite drops a table's
triggers when Django rebuilds it.
"""

from itertools import product
from typing import Any, NoReturn, TypeVar

from django.db import IntegrityError, models
from django.db.backends.base.base import BaseDatabaseWrapper

TABLES = ("leaderboard_auditevent", "leaderboard_labelleruse", "leaderboard_ranksnapshot")

M = TypeVar("M", bound=models.Model)

_SQLITE = (
    """CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table}
    BEGIN SELECT RAISE(ABORT, '{table} can only be added to'); END""",
    """CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table}
    BEGIN SELECT RAISE(ABORT, '{table} can only be added to'); END""",
    # INSERT OR REPLACE takes a row away without asking the trigger of DELETE.
    """CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table}
    WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, '{table} can only be added to'); END""",
)
_SQLITE_DROP = (
    "DROP TRIGGER IF EXISTS {table}_no_update",
    "DROP TRIGGER IF EXISTS {table}_no_delete",
    "DROP TRIGGER IF EXISTS {table}_no_replace",
)
_POSTGRESQL = (
    """CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '{table} can only be added to'
        USING ERRCODE = 'integrity_constraint_violation';
    END $$""",
    """CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}
    FOR EACH ROW EXECUTE FUNCTION {table}_refuse()""",
    """CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
    FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()""",
)
_POSTGRESQL_DROP = (
    "DROP TRIGGER IF EXISTS {table}_no_change ON {table}",
    "DROP TRIGGER IF EXISTS {table}_no_truncate ON {table}",
    "DROP FUNCTION IF EXISTS {table}_refuse()",
)


def _refusal(model: type[models.Model]) -> IntegrityError:
    return IntegrityError(f"A row of {model.__name__} is never changed or deleted. Add another.")


class AppendOnlyQuerySet(models.QuerySet[M]):
    """Rows to read and to add to; what else is asked of them raises ``IntegrityError``."""

    def _refuse(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise _refusal(self.model)

    update = bulk_update = update_or_create = delete = _refuse


class AppendOnly(models.Model):
    """A row that refuses to be changed, before the database has to."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store a new row; refuse to change one."""
        if not self._state.adding:
            raise _refusal(type(self))
        # A new row under the number of an old one must not become a change of it.
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Refuse."""
        raise _refusal(type(self))


def triggers_create(_apps: object, schema_editor: Any) -> None:
    """Make the database refuse to change or delete rows; for a migration."""
    _execute(schema_editor.connection, drop=True)
    _execute(schema_editor.connection, drop=False)


def triggers_drop(_apps: object, schema_editor: Any) -> None:
    """Take the refusals back; for the way back of a migration."""
    _execute(schema_editor.connection, drop=True)


def _execute(connection: BaseDatabaseWrapper, *, drop: bool) -> None:
    with connection.cursor() as cursor:
        # An early migration runs before the tables of later ones exist.
        tables = set(connection.introspection.table_names(cursor)) & set(TABLES)
        statements = {
            "sqlite": (_SQLITE, _SQLITE_DROP),
            "postgresql": (_POSTGRESQL, _POSTGRESQL_DROP),
        }[connection.vendor][drop]
        for table, statement in product(sorted(tables), statements):
            cursor.execute(statement.replace("{table}", table))
