"""A provider of OpenID Connect on this machine: what a university runs, as small as it gets."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt

from tests.http_server import Handler, serving

CLIENT, SECRET = "earmark", "between us"


@dataclass
class Provider:
    """What the server says of whoever logs in there, and what it was asked."""

    claims: dict[str, Any]
    url: str = ""
    asked: list[str] = field(default_factory=list)
    posted: list[dict[str, list[str]]] = field(default_factory=list)

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def token(self) -> dict[str, Any]:
        now = int(time.time())
        told = self.claims | {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 60}
        return {
            "access_token": "a",
            "token_type": "Bearer",
            "expires_in": 60,
            "id_token": jwt.encode(told, SECRET * 5, algorithm="HS256"),
        }


@contextmanager
def provider_running(claims: dict[str, Any]) -> Iterator[Provider]:
    """Serve a provider whose only person has these claims."""
    provider = Provider(claims)

    class Login(Handler):
        def do_GET(self) -> None:  # noqa: N802
            path = urlsplit(self.path).path
            provider.asked.append(path)
            if path == "/.well-known/openid-configuration":
                self.say(provider.configuration())
            elif path == "/userinfo":
                self.say(provider.claims)
            elif path == "/authorize":
                self.send_back()
            else:
                self.send_error(404)

        def do_POST(self) -> None:  # noqa: N802
            provider.posted.append(parse_qs(self.received().decode()))
            self.say(provider.token())

        def send_back(self) -> None:
            asked = parse_qs(urlsplit(self.path).query)
            back, state = asked["redirect_uri"][0], asked["state"][0]
            self.answer(b"", 302, {"Location": f"{back}?code=c&state={state}"})

        def say(self, what: dict[str, Any]) -> None:
            self.answer(json.dumps(what).encode(), headers={"Content-Type": "application/json"})

    with serving(Login) as provider.url:
        yield provider


def configured(provider: Provider) -> str:
    """Write the variable with which a site knows the provider."""
    entry = {
        "id": "campus",
        "name": "Campus",
        "server_url": provider.url,
        "client_id": CLIENT,
        "secret": SECRET,
    }
    return json.dumps({"openid_connect": [entry]})
