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
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

_LANGUAGE, _CLAP = "EARMARK_LANGUAGE_MODELS", "EARMARK_CLAP_MODELS"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}")
_KEY = re.compile(r"[\x21-\x7e]{1,4000}")


class KeyMissing(Exception):
    """The key of a language model is not where the settings say; the text never has a key."""


def _checked_address(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in {"https", "http"} or not parts.hostname or parts.port == 0:
        raise ValueError("write one such as https://api.example.org/v1")
    if set("@?#") & set(address):
        raise ValueError("it may have no user, ? and #")
    return address.rstrip("/")


class LanguageModelServer(BaseModel):
    """A language model behind an OpenAI-compatible address, as the settings describe it.

    ``address`` is what ``/chat/completions`` is appended to, ``model`` the name that its server
    knows. The key is in the environment variable ``key_variable`` or in ``key_file``; without
    either, none is sent. Prices are per million tokens, in ``currency``; None: not known.
    """

    # Errors do not quote what may be a key in the wrong place.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str
    address: Annotated[str, AfterValidator(_checked_address)]
    # It stands in signatures, whose fields "|" parts.
    model: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,79}$")
    key_variable: str = ""
    key_file: str = ""
    price_in: float | None = Field(default=None, ge=0)
    price_out: float | None = Field(default=None, ge=0)
    currency: str = Field(default="USD", max_length=10)
    requests_per_minute: float = Field(default=60, gt=0, allow_inf_nan=False)
    at_once: int = Field(default=4, ge=1, le=64)

    @property
    def host(self) -> str:
        """Host name of the address, with the port where one is written."""
        return urlsplit(self.address).netloc.lower()

    def key(self) -> str:
        """The key as it is now, empty where none is sent; raises ``KeyMissing``."""
        if self.key_file:
            try:
                key = Path(self.key_file).read_text(encoding="utf-8").strip()
            except (OSError, ValueError):
                key = ""
        elif self.key_variable:
            key = os.environ.get(self.key_variable, "").strip()
        else:
            return ""
        # Anything else would be refused in an error that quotes it.
        if not _KEY.fullmatch(key):
            raise KeyMissing(
                f"The key of the language model {self.name!r} is missing, or is not one line of "
                "plain characters. The administrator of this site can set it."
            )
        return key


def language_models(text: str) -> dict[str, LanguageModelServer]:
    """``EARMARK_LANGUAGE_MODELS`` by name; raises ``ImproperlyConfigured``."""
    return {name: _server(name, entry) for name, entry in _document(_LANGUAGE, text).items()}


def clap_models(text: str) -> dict[str, str]:
    """``EARMARK_CLAP_MODELS``: folders by name; raises ``ImproperlyConfigured``."""
    folders = _document(_CLAP, text)
    for name, folder in folders.items():
        if not (isinstance(folder, str) and folder):
            raise _wrong(_CLAP, f"{name!r} is not the path of a folder.")
    return folders


def _server(name: str, entry: object) -> LanguageModelServer:
    fields = entry if isinstance(entry, dict) else {}
    try:
        return LanguageModelServer(**{**fields, "name": name})
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise _wrong(_LANGUAGE, f"{where} of {name!r}: {first['msg']}.") from None


def _document(variable: str, text: str) -> dict[str, Any]:
    try:
        document = json.loads(text or "{}")
    except ValueError:
        # Not from it: it quotes what may be a key in the wrong place.
        raise _wrong(variable, "it is no JSON.") from None
    if not isinstance(document, dict):
        raise _wrong(variable, "it is not a JSON object.")
    for name in document:
        if not _NAME.fullmatch(name):
            raise _wrong(variable, f"the name {name!r} may have letters, digits, blanks and . _ -")
    return document


def _wrong(variable: str, why: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{variable}: {why}")
