"""Devices on which people have logged in before, by a signed cookie of each.

The cookie opens nothing. It tells the owner of an account from strangers who try passwords,
so that these cannot lock the owner out (``adapters.AccountAdapter``).
"""

import secrets
from datetime import timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse

from leaderboard.models import User

COOKIE = "earmark_device"
AGE = timedelta(days=365)
# The name of the module when the first cookies were signed: another one would forget every device.
_SALT = "leaderboard.devices"


def known_device(request: HttpRequest, name: str) -> str:
    """The device on which the person called ``name`` has logged in; "" for any other.

    ``name`` is a user name or an address, as typed to log in.
    """
    number, device = _device_cookie(request)
    if not device:
        return ""
    return device if _people_named(name).filter(pk=number).exists() else ""


def device_remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Have the browser say next time that ``user`` has logged in on it."""
    number, device = _device_cookie(request)
    if number != user.pk:
        device = secrets.token_urlsafe(16)
    response.set_signed_cookie(
        COOKIE,
        f"{user.pk}:{device}",
        salt=_SALT,
        max_age=AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def login_names(name: str) -> set[str]:
    """Every name by which this person logs in, in small letters."""
    rows = _people_named(name).values_list("username", "email", "emailaddress__email")
    return {name, *(one.lower() for row in rows for one in row if one)}


def _people_named(name: str) -> QuerySet[User]:
    ways = Q(username__iexact=name) | Q(email__iexact=name) | Q(emailaddress__email__iexact=name)
    return User.objects.filter(ways)


def _device_cookie(request: HttpRequest) -> tuple[int, str]:
    """Read the cookie: whose device, and which; 0 and "" where there is none or a false one."""
    told = request.get_signed_cookie(COOKIE, default="", salt=_SALT, max_age=AGE) or ""
    number, _, device = told.partition(":")
    return (int(number), device) if number.isdigit() else (0, "")
