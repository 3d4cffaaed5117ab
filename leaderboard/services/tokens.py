"""Personal API tokens."""

import hashlib
import secrets
from datetime import datetime, timedelta

from leaderboard.models import ApiToken, User

PREFIX = "ear_"
USE_NOTED_EVERY = timedelta(minutes=1)


def token_create(*, user: User, name: str) -> tuple[ApiToken, str]:
    """Make a token; the second value is the secret, which is not kept."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(user=user, name=name, digest=_digest(secret), prefix=secret[:9])
    return token, secret


def token_delete(*, token: ApiToken) -> None:
    """Make a token useless."""
    token.delete()


def tokens_delete(*, user: User) -> int:
    """Make every token of a person useless; give how many there were."""
    deleted, _ = ApiToken.objects.filter(user=user).delete()
    return deleted


def token_user(*, secret: str, now: datetime) -> User | None:
    """Give the active user behind a token, and note its use."""
    token = ApiToken.objects.select_related("user").filter(digest=_digest(secret)).first()
    if token is None or not token.user.is_active:
        return None
    if token.last_used_at is None or now - token.last_used_at >= USE_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token.user


def _digest(secret: str) -> str:
    # The secret has 256 random bits, so that a plain hash is as good as a slow one.
    return hashlib.sha256(secret.encode()).hexdigest()
