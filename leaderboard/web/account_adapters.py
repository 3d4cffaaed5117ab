"""Adapters for allauth: limits on log-ins, second factors, accounts elsewhere, messages.

A signed cookie marks the devices on which people have logged in before. It opens nothing. It
distinguishes the owner of an account from strangers who try passwords, so that these cannot
lock the owner out (``AccountAdapter``).
"""

import base64
import hashlib
import logging
import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context as context_of_thread
from allauth.core import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse

from leaderboard.models import User
from leaderboard.web.mail import LINKS_KEPT, NEWS_KEPT, mail_send
from leaderboard.web.rate_limits import rate_limit_key

logger = logging.getLogger(__name__)

_PURPOSE = b"earmark second factor"


ANYWHERE = "login_failed_anywhere"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Keeps strangers from locking people out, and from choosing where links in mails lead."""

    error_messages = DefaultAccountAdapter.error_messages | {
        "username_password_mismatch": "User name or password is wrong. Check both, or reset your "
        "password.",
        "email_password_mismatch": "E-mail address or password is wrong. Check both, or reset "
        "your password.",
        "too_many_login_attempts": "Too many attempts failed. Wait a few minutes. If it was not "
        "you who tried, setting a new password by mail lets you in at once.",
    }

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Refuse a name for which passwords were wrong too often, except on a known device.

        Wrong passwords for one name are counted by where they come from, so that nobody
        is locked out by others; many addresses that guess together come to the limit of
        the name, which a device on which its owner has logged in does not meet.
        """
        name = _login_name(credentials)
        free = known_device(request, name) or ratelimit.consume(
            request, action=ANYWHERE, key=name, dry_run=True
        )
        if not free:
            raise self.validation_error("too_many_login_attempts")
        super().pre_authenticate(request, **credentials)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Count a wrong password for its name, wherever it came from."""
        ratelimit.consume(request, action=ANYWHERE, key=_login_name(credentials))

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Cache key of wrong passwords: the name, and the device or address they came from."""
        name = _login_name(credentials)
        return f"{name}:{known_device(request, name) or rate_limit_key(request, None)}"

    def _delete_login_attempts_cached_email(self, request: HttpRequest, **credentials: Any) -> None:
        """Forget the wrong passwords of a person who set a new one by mail, by every name."""
        for name in login_names(_login_name(credentials)):
            super()._delete_login_attempts_cached_email(request, username=name)
            ratelimit.clear(request, action=ANYWHERE, key=name)

    def post_login(self, request: HttpRequest, user: User, **options: Any) -> HttpResponse:
        """Know the device again on which somebody logged in."""
        response: HttpResponse = super().post_login(request, user, **options)
        device_remember(request, response, user)
        return response

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail with every address of ``context`` put on SITE_URL, or say that it waits.

        Who asks for a mail to somebody else chooses the host and port of the request. A link
        that sets a password must not lead to a port on which they listen.
        """
        here = {
            name: _at_site(value) if name.endswith("_url") and isinstance(value, str) else value
            for name, value in context.items()
        }
        request = context_of_thread.request
        message = self.render_mail(template_prefix, email, {"email": email, **here})
        linked = any(name.endswith("_url") for name in context)
        if mail_send(message, keep=LINKS_KEPT if linked else NEWS_KEPT) or request is None:
            return
        messages.warning(request, (_LINK_WAITS if linked else _NEWS_WAITS).format(email))


# The same whether or not the address has an account.
_LINK_WAITS = (
    "The mail with the link could not be sent to {} yet. It is tried again for two hours. If it "
    "does not arrive, have another sent: log in and open E-mail in your account, or reset your "
    "password again."
)
_NEWS_WAITS = (
    "This was done, but the mail about it could not be sent to {} yet. It is tried again for a day."
)


def _login_name(credentials: Mapping[str, Any]) -> str:
    """What somebody typed to log in: a user name or an address."""
    return str(credentials.get("email") or credentials.get("username") or "").lower()


def _at_site(address: str) -> str:
    parts = urlsplit(address)
    query = f"?{parts.query}" if parts.query else ""
    return f"{settings.SITE_URL}{parts.path}{query}"


FACTOR_KEY = (
    "Add the key that was used before to SECRET_KEY_FALLBACKS, or delete these authenticators in "
    "the admin: then the password alone is enough to log in."
)


class SecondFactorUnreadable(PermissionDenied):
    """A second factor was encrypted with a SECRET_KEY that the site does not know any more."""

    def __init__(self) -> None:
        super().__init__(
            "Your code cannot be checked, because the secret key of this site was changed; that is "
            "not your fault. A security key still works. Otherwise ask an administrator, who can "
            "bring the earlier key back or turn your second factor off."
        )


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypts the secrets of second factors, so that a copied database alone is no use."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "add_email_blocked": "While a second factor guards the account, no address can be added. "
        "Turn the second factor off, add the address, then turn it on again.",
        "cannot_generate_recovery_codes": "Recovery codes stand in for a second factor. "
        "Set one up first.",
        "incorrect_code": "This code is wrong or was used already. Type the one shown now.",
        "unverified_email": "Confirm your e-mail addresses first: without one that is yours, "
        "a lost second factor would lock you out.",
    }

    def encrypt(self, text: str) -> str:
        """Encrypt with a key made of SECRET_KEY."""
        return _encryption().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt what ``encrypt`` made, with this key or one of SECRET_KEY_FALLBACKS.

        Raises ``SecondFactorUnreadable``.
        """
        try:
            return _encryption().decrypt(encrypted_text.encode()).decode()
        except InvalidToken as error:
            logger.warning("A second factor cannot be checked with SECRET_KEY. %s", FACTOR_KEY)
            raise SecondFactorUnreadable from error

    def generate_authenticator_name(self, _user: Any, _type: Any) -> str:
        """Name a new key."""
        return "Security key"


def _encryption() -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    # The inner hash brings a key of any length to what the outer one takes.
    short = (hashlib.sha512(key.encode() if isinstance(key, str) else key) for key in keys)
    digests = (
        hashlib.blake2b(_PURPOSE, key=key.digest(), digest_size=32).digest() for key in short
    )
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


class SocialAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Trusts a provider's e-mail address only where the provider has verified it."""

    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "email_taken": "This address belongs to an account already. Log in to that account, "
        "then connect %s on your account page.",
        "no_password": "Set a password first: without it nobody could log in any more.",
        "disconnect_last": "This is the only way into your account. Set a password first.",
    }

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Correct the provider's flags of verified addresses: some send the word "false"."""
        super().pre_social_login(request, sociallogin)
        for address in sociallogin.email_addresses:
            address.verified = address.verified is True or address.verified == "true"


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
    """Set the cookie by which the browser is known as one on which ``user`` has logged in."""
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
    return {name, *(login.lower() for row in rows for login in row if login)}


def _people_named(name: str) -> QuerySet[User]:
    ways = Q(username__iexact=name) | Q(email__iexact=name) | Q(emailaddress__email__iexact=name)
    return User.objects.filter(ways)


def _device_cookie(request: HttpRequest) -> tuple[int, str]:
    """Read the cookie: whose device, and which; 0 and "" where there is none or a false one."""
    cookie = request.get_signed_cookie(COOKIE, default="", salt=_SALT, max_age=AGE) or ""
    number, _, device = cookie.partition(":")
    return (int(number), device) if number.isdigit() else (0, "")
