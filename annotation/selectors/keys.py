"""The keys that a person chose."""

from annotation.models import KeyChoice, Scheme
from leaderboard.models import User


def keys_of(user: User, scheme: Scheme) -> dict[str, str] | None:
    """Give the changed keys by what they do; None where the person never changed any."""
    kept = KeyChoice.objects.filter(user=user, scheme=scheme).first()
    if kept is None:
        return None
    keys: dict[str, str] = kept.keys
    return keys
