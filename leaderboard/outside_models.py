"""Language models and CLAP models of an installation, from the environment.

``EARMARK_LANGUAGE_MODELS`` is a JSON object of models by the names that organisers choose::

    {"judge": {"address": "https://api.example.org/v1", "model": "model-2025-01-01",
               "key_variable": "JUDGE_KEY", "price_in": 2.5, "price_out": 10,
               "requests_per_minute": 60, "at_once": 4}}

``EARMARK_CLAP_MODELS`` is one of folders by name. Keys themselves stand in neither.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

_LANGUAGE, _CLAP = "EARMARK_LANGUAGE_MODELS", "EARMARK_CLAP_MODELS"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}")
# It stands in signatures, whose fields "|" parts.
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,79}")
_KEY = re.compile(r"[\x21-\x7e]{1,4000}")


class KeyMissing(Exception):
    """The key of a language model is not where the settings say; the text never has a key."""


@dataclass(frozen=True, slots=True)
class LanguageModelServer:
    """A language model behind an OpenAI-compatible address, as the settings describe it.

    ``address`` is what ``/chat/completions`` is appended to, ``model`` the name that its server
    knows. The key is in the environment variable ``key_variable`` or in ``key_file``; without
    either, none is sent. Prices are per million tokens, in ``currency``; None: not known.
    """

    name: str
    address: str
    model: str
    key_variable: str = ""
    key_file: str = ""
    price_in: float | None = None
    price_out: float | None = None
    currency: str = "USD"
    requests_per_minute: float = 60
    at_once: int = 4

    @property
    def host(self) -> str:
        """Host name of the address, with the port where one is written."""
        return urlsplit(self.address).netloc.lower()

    def key(self) -> str:
        """The key as it is now, empty where none is sent; raises ``KeyMissing``."""
        if self.key_file:
            try:
                found = Path(self.key_file).read_text(encoding="utf-8").strip()
            except (OSError, ValueError):
                found = ""
        elif self.key_variable:
            found = os.environ.get(self.key_variable, "").strip()
        else:
            return ""
        # Anything else would be refused in an error that quotes it.
        if not _KEY.fullmatch(found):
            raise KeyMissing(
                f"The key of the language model {self.name!r} is missing, or is not one line of "
                "plain characters. The administrator of this site can set it."
            )
        return found


def language_models(text: str) -> dict[str, LanguageModelServer]:
    """``EARMARK_LANGUAGE_MODELS`` by name; raises ``ImproperlyConfigured``."""
    return {name: _server(name, entry) for name, entry in _document(_LANGUAGE, text).items()}


def clap_models(text: str) -> dict[str, str]:
    """``EARMARK_CLAP_MODELS``: folders by name; raises ``ImproperlyConfigured``."""
    found = _document(_CLAP, text)
    for name, folder in found.items():
        if not (isinstance(folder, str) and folder):
            raise _wrong(_CLAP, f"{name!r} is not the path of a folder.")
    return found


def _server(name: str, entry: object) -> LanguageModelServer:
    if not isinstance(entry, Mapping):
        raise _wrong(_LANGUAGE, f"{name!r} is not an object with address and model.")
    known = set(LanguageModelServer.__dataclass_fields__) - {"name"}
    if unknown := sorted(set(entry) - known):
        hint = " A key is named by key_variable or key_file." if unknown[0] == "key" else ""
        raise _wrong(
            _LANGUAGE,
            f"{unknown[0]!r} of {name!r} is not known: give {', '.join(sorted(known))}.{hint}",
        )
    texts = {key: _text(name, entry, key) for key in ("address", "model")}
    texts |= {
        key: _text(name, entry, key)
        for key in ("key_variable", "key_file", "currency")
        if key in entry
    }
    numbers = {key: _number(name, entry, key) for key in ("price_in", "price_out") if key in entry}
    if (rate := _number(name, entry, "requests_per_minute", 60)) <= 0:
        raise _wrong(_LANGUAGE, f"requests_per_minute of {name!r} must be more than 0.")
    at_once = entry.get("at_once", 4)
    if not isinstance(at_once, int) or not 1 <= at_once <= 64:
        raise _wrong(_LANGUAGE, f"at_once of {name!r} must be a whole number from 1 to 64.")
    if len(numbers) == 1:
        raise _wrong(_LANGUAGE, f"{name!r} needs both price_in and price_out, or neither.")
    server = LanguageModelServer(
        name=name, **texts, **numbers, requests_per_minute=rate, at_once=at_once
    )
    _check_server(server)
    return server


def _check_server(server: LanguageModelServer) -> None:
    try:
        parts = urlsplit(server.address)
        valid = parts.scheme in {"https", "http"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or "@" in server.address or "?" in server.address or "#" in server.address:
        raise _wrong(
            _LANGUAGE,
            f"the address of {server.name!r} must be like https://api.example.org/v1, without "
            "user, ? and #.",
        )
    if not _MODEL.fullmatch(server.model):
        raise _wrong(
            _LANGUAGE,
            f"model of {server.name!r} may have up to 80 letters, digits and . _ : / @ + -",
        )


def _document(variable: str, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        # Not from it: it quotes what may be a key in the wrong place.
        raise _wrong(variable, "it is no JSON.") from None
    if not isinstance(found, dict):
        raise _wrong(variable, "it is not a JSON object.")
    for name in found:
        if not _NAME.fullmatch(name):
            raise _wrong(variable, f"the name {name!r} may have letters, digits, blanks and . _ -")
    return found


def _text(name: str, entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    if not (isinstance(value, str) and value):
        raise _wrong(_LANGUAGE, f"{key} of {name!r} is missing, or is no text.")
    return value.rstrip("/") if key == "address" else value


def _number(name: str, entry: Mapping[str, Any], key: str, usual: float = 0) -> float:
    value = entry.get(key, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise _wrong(_LANGUAGE, f"{key} of {name!r} must be a number from 0 up.")
    return float(value)


def _wrong(variable: str, why: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{variable}: {why}")
