"""Who did what, as rows keep it."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models

if TYPE_CHECKING:
    from leaderboard.models import User


def person_or_nobody(*, blank: bool = False) -> "models.ForeignKey[User | None, User | None]":
    """Somebody, and nobody once they have left the site; read from the row alone."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=blank,
        on_delete=models.SET_NULL,
        related_name="+",
    )
