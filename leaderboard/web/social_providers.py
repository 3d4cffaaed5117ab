"""Accounts elsewhere with which people may log in, from the environment.

``EARMARK_SOCIAL`` is a JSON object. GitHub and Google each take a client's id and secret;
any other provider that speaks OpenID Connect has an id of its own choice, a name for the
button and the address of its server::

    {"github": {"client_id": "...", "secret": "..."},
     "openid_connect": [{"id": "campus", "name": "Campus", "server_url": "https://id.example.org",
                         "client_id": "...", "secret": "..."}]}
"""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

KNOWN = {"github": ["user:email"], "google": ["profile", "email"]}
OPENID = "openid_connect"
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,30}")

Providers = dict[str, dict[str, Any]]


def social_providers(text: str) -> Providers:
    """``EARMARK_SOCIAL`` as allauth expects it; raises ``ImproperlyConfigured``."""
    document = _document(text)
    unknown = sorted(set(document) - {*KNOWN, OPENID})
    if unknown:
        raise _wrong(f"{unknown[0]!r} is not known: give github, google or {OPENID}.")
    providers: Providers = {
        name: {
            "APPS": [_client(name, _mapping(name, document[name]))],
            "SCOPE": scope,
            "OAUTH_PKCE_ENABLED": True,
        }
        for name, scope in KNOWN.items()
        if name in document
    }
    listed = document.get(OPENID, [])
    if not isinstance(listed, list):
        raise _wrong(f"{OPENID} is a list of objects, one for each provider.")
    apps = [_openid(f"{OPENID}, number {at}", entry) for at, entry in enumerate(listed, 1)]
    ids = [app["provider_id"] for app in apps]
    if len(set(ids)) < len(ids):
        raise _wrong(f"two providers of {OPENID} have the same id.")
    # Without any, its addresses answer 404.
    return providers | {OPENID: {"APPS": apps, "OAUTH_PKCE_ENABLED": True}}


def social_apps(providers: Providers) -> list[str]:
    """The Django apps that serve these providers."""
    return [f"allauth.socialaccount.providers.{name}" for name in sorted(providers)]


def _openid(where: str, entry: object) -> dict[str, Any]:
    fields = _mapping(where, entry)
    provider_id, server = _text(where, fields, "id"), _text(where, fields, "server_url")
    if not _ID.fullmatch(provider_id):
        raise _wrong(
            f"{where}: the id {provider_id!r} stands in addresses: give small letters, digits, -."
        )
    if not _trustworthy(server):
        raise _wrong(f"{where}: server_url {server!r} must begin with https://.")
    return _client(where, fields) | {
        "provider_id": provider_id,
        "name": _text(where, fields, "name"),
        "settings": {"server_url": server},
    }


def _trustworthy(address: str) -> bool:
    """Whether an address has HTTPS, or plain HTTP within this machine."""
    parts = urlsplit(address)
    local = parts.hostname in {"127.0.0.1", "::1", "localhost"}
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and local))


def _client(where: str, fields: Mapping[str, object]) -> dict[str, Any]:
    return {key: _text(where, fields, key) for key in ("client_id", "secret")}


def _document(text: str) -> dict[str, object]:
    try:
        document = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        raise _wrong(f"it is not JSON: {error}.") from error
    if not isinstance(document, dict):
        raise _wrong("it must be an object.")
    return document


def _mapping(where: str, entry: object) -> Mapping[str, object]:
    if not isinstance(entry, dict):
        raise _wrong(f"{where} must be an object with client_id and secret.")
    return entry


def _text(where: str, fields: Mapping[str, object], key: str) -> str:
    value = fields.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _wrong(f"{where} lacks {key}.")
    return value.strip()


def _wrong(what: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"EARMARK_SOCIAL: {what}")
