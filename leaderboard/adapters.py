"""Where Earmark does otherwise than allauth: what is trusted, encrypted and said."""

import base64
import hashlib
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.http import HttpRequest

_PURPOSE = b"earmark second factor"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Let the links of mails lead to the site's own address, whatever the request called it.

    Who asks for a mail to somebody else chooses the host and port of the request. A link that
    sets a password must not lead to a port on which they listen.
    """

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail with every address of ``context`` put on SITE_URL."""
        here = {
            name: _at_site(value) if name.endswith("_url") and isinstance(value, str) else value
            for name, value in context.items()
        }
        super().send_mail(template_prefix, email, here)


def _at_site(address: str) -> str:
    parts = urlsplit(address)
    query = f"?{parts.query}" if parts.query else ""
    return f"{settings.SITE_URL}{parts.path}{query}"


class MfaAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Keep the secrets of second factors encrypted: a copied database alone is no use."""

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
        return _box().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Decrypt what ``encrypt`` made, with this key or one of SECRET_KEY_FALLBACKS."""
        return _box().decrypt(encrypted_text.encode()).decode()

    def generate_authenticator_name(self, _user: Any, _type: Any) -> str:
        """Name a new key."""
        return "Security key"


def _box() -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    digests = (hashlib.blake2b(_PURPOSE, key=_short(key), digest_size=32).digest() for key in keys)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(digest)) for digest in digests])


def _short(key: str | bytes) -> bytes:
    """Bring a key of any length to what the hash takes."""
    return hashlib.sha512(key.encode() if isinstance(key, str) else key).digest()


class SocialAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Take a provider's word for an address only where it says that it has checked it."""

    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "email_taken": "This address belongs to an account already. Log in to that account, "
        "then connect %s on your account page.",
        "no_password": "Set a password first: without it nobody could log in any more.",
        "disconnect_last": "This is the only way into your account. Set a password first.",
    }

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Read what the provider says as it is meant: some send the word "false"."""
        super().pre_social_login(request, sociallogin)
        for address in sociallogin.email_addresses:
            address.verified = address.verified is True or address.verified == "true"
