"""Keeping the keys that a person chose, so that they are the same on every machine."""

from collections.abc import Mapping
from datetime import datetime

from annotation.models import KeyChoice, Scheme
from leaderboard.models import User


def keys_choose(*, user: User, scheme: Scheme, keys: Mapping[str, str], now: datetime) -> KeyChoice:
    """Keep all changed keys of a scheme; none brings back those of the scheme."""
    kept, _ = KeyChoice.objects.update_or_create(
        user=user, scheme=scheme, defaults={"keys": dict(keys), "updated_at": now}
    )
    return kept
