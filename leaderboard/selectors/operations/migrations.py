"""Migrations of this version, and those that the database has, step by step.

A new database is made by one migration of each app, which stands for all of its steps.
"""

from functools import cache

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Migration = tuple[str, str]


@cache
def migrations_known() -> frozenset[Migration]:
    """All steps of this version."""
    migrations = MigrationLoader(None).disk_migrations
    return frozenset(key for key, migration in migrations.items() if not migration.replaces)


def migrations_applied() -> set[Migration]:
    """The migrations of this version's apps that the database has."""
    recorder = MigrationRecorder(connection)
    return (
        set(recorder.applied_migrations()) & migrations_known() if recorder.has_table() else set()
    )


def migrations_lacking() -> list[Migration]:
    """The migrations of this version that the database lacks, sorted."""
    return sorted(migrations_known() - migrations_applied())
