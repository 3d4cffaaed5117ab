"""The challenge app."""

from importlib import import_module
from typing import Any

from allauth.account.signals import password_reset
from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate


class LeaderboardConfig(AppConfig):
    """Challenges, teams, submissions and their evaluation."""

    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the queue's application, the checks and the signals."""
        import_module("leaderboard.celery")
        import_module("leaderboard.checks")
        password_reset.connect(_tokens_end, dispatch_uid="password-reset-ends-tokens")
        public_change = import_module("leaderboard.models.public_change")
        pre_migrate.connect(public_change.watches_drop, sender=self)
        post_migrate.connect(public_change.watches_create, sender=self)
        pre_migrate.connect(_steps_are_waited_for, sender=self)
        post_migrate.connect(_steps_are_waited_for, sender=self)


def _steps_are_waited_for(*, signal: Any, using: str, **_: Any) -> None:
    """Let a step compute for longer than the database waits for others between two statements."""
    if connections[using].vendor == "postgresql":
        with connections[using].cursor() as cursor:
            until = "TO 0" if signal is pre_migrate else "TO DEFAULT"
            cursor.execute(f"SET idle_in_transaction_session_timeout {until}")


def _tokens_end(*, user: Any, **_: Any) -> None:
    """Delete a person's tokens when they reset their password: an intruder may have made some."""
    from leaderboard.services.people.accounts import tokens_delete

    tokens_delete(user=user)
