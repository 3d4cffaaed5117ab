"""Who is asking: a personal token, a session cookie, or nobody."""

from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import check_csrf

from leaderboard.access import Visitor
from leaderboard.api.errors import ApiError
from leaderboard.models import User
from leaderboard.services.tokens import token_user


class VisitorRequest(HttpRequest):
    """A request of anyone."""

    auth: Visitor


class UserRequest(HttpRequest):
    """A request of someone who is known."""

    auth: User


class TokenInvalid(ApiError):
    """The header names no token that works; said even where none is needed."""

    def __init__(self) -> None:
        super().__init__(
            401,
            "The token is not valid. Send a token of your account as "
            "'Authorization: Bearer ear_...', or no such header at all.",
        )


class PersonalToken(HttpBearer):
    """The token that a person made on the page of their account."""

    def __call__(self, request: HttpRequest) -> User | None:
        """Give the token's user, None without the header, or raise ``TokenInvalid``."""
        header = request.headers.get("Authorization")
        if not header:
            return None
        scheme, _, secret = header.partition(" ")
        user = None
        if scheme.lower() == self.openapi_scheme:
            user = self.authenticate(request, secret.strip())
        if user is None:
            raise TokenInvalid
        return user

    def authenticate(self, _request: HttpRequest, token: str) -> User | None:
        """Look the token up."""
        return token_user(secret=token, now=timezone.now())


class SessionCookie(APIKeyCookie):
    """The cookie of someone who is logged in to the site, with the CSRF token."""

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> User | None:
        """Give the user who is logged in; what changes data must come from our own pages."""
        user = self.authenticate(request, None)
        # Asked in this order, someone without a session hears that a log-in is
        # missing and not that a CSRF token is.
        if user is not None and check_csrf(request):
            raise ApiError(403, "The CSRF token is missing or wrong. Scripts should use a token.")
        return user

    def authenticate(self, request: HttpRequest, _key: str | None) -> User | None:
        """Give the session's user."""
        return request.user if isinstance(request.user, User) else None


def nobody(_request: HttpRequest) -> AnonymousUser:
    """Let a request without any sign of who asks pass as nobody."""
    return AnonymousUser()


KNOWN = (PersonalToken(), SessionCookie())
ANYONE = (*KNOWN, nobody)
# In OpenAPI an empty requirement beside the others makes them optional.
PUBLIC: dict[str, Any] = {"security": [{}]}
