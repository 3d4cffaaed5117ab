"""A provider of OpenID Connect on this machine: what a university runs, as small as it gets."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt

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

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
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

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"])).decode()
            provider.posted.append(parse_qs(sent))
            self.say(provider.token())

        def send_back(self) -> None:
            asked = parse_qs(urlsplit(self.path).query)
            back, state = asked["redirect_uri"][0], asked["state"][0]
            self.send_response(302)
            self.send_header("Location", f"{back}?code=c&state={state}")
            self.end_headers()

        def say(self, what: dict[str, Any]) -> None:
            body = json.dumps(what).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


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
