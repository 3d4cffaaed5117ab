"""Authentication of the API: a personal token, a session cookie, or nobody."""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from leaderboard.models import ApiToken, User
from leaderboard.web.refusals import Refused
from leaderboard.web.requests import Visitor

# The name of the API among the addresses of the site.
NAMESPACE = "api-v1"
USE_NOTED_EVERY = timedelta(minutes=1)


class VisitorRequest(HttpRequest):
    """A request of anyone."""

    auth: Visitor


class UserRequest(HttpRequest):
    """A request of someone who is known."""

    auth: User


class PersonalToken(HttpBearer):
    """The token that a person made on the page of their account."""

    def __call__(self, request: HttpRequest) -> User | None:
        """The token's user, None without the header.

        Raises ``Refused`` for a token that does not work, even where none is needed.
        """
        header = request.headers.get("Authorization")
        if not header:
            return None
        scheme, _, secret = header.partition(" ")
        user = None
        if scheme.lower() == self.openapi_scheme:
            user = self.authenticate(request, secret.strip())
        if user is None:
            raise Refused(
                "The token is not valid. Send a token of your account as "
                "'Authorization: Bearer ear_...', or no such header at all.",
                status=401,
            )
        return user

    def authenticate(self, _request: HttpRequest, token: str) -> User | None:
        """Look the token up."""
        return token_user(secret=token, now=timezone.now())


class SessionCookie(APIKeyCookie):
    """The cookie of someone who is logged in to the site, with the CSRF token."""

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> User | None:
        """The user who is logged in; what changes data must come from our own pages."""
        user = self.authenticate(request, None)
        # Asked in this order, someone without a session hears that a log-in is
        # missing and not that a CSRF token is.
        if user is not None and check_csrf(request):
            raise Refused(
                "The CSRF token is missing or wrong. Scripts should use a token.", status=403
            )
        return user

    def authenticate(self, request: HttpRequest, _key: str | None) -> User | None:
        """The session's user."""
        return request.user if isinstance(request.user, User) else None


class Nobody:
    """The anonymous user, for a request without credentials."""

    # Makes the OpenAPI description name it, by which ``api.application`` knows what is public.
    openapi_security_schema: Mapping[str, Any] = {}

    def __call__(self, _request: HttpRequest) -> AnonymousUser:
        """The anonymous user."""
        return AnonymousUser()


KNOWN = (PersonalToken(), SessionCookie())
ANYONE = (*KNOWN, Nobody())


def token_user(*, secret: str, now: datetime) -> User | None:
    """The active user behind a token; its use is recorded."""
    token = ApiToken.objects.select_related("user").filter(digest=token_digest(secret)).first()
    if token is None or not token.user.is_active:
        return None
    if token.last_used_at is None or now - token.last_used_at >= USE_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token.user


def token_digest(secret: str) -> str:
    """Digest by which a token is stored and found."""
    # The secret has 256 random bits, so that a plain hash is as good as a slow one.
    return hashlib.sha256(secret.encode()).hexdigest()
