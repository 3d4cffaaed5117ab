"""A server and the account on it, and speaking to its API: never twice where once is meant."""

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

from earmark.captions.faults import cut, one_line
from earmark.client.command_line import Misused, RequestRefused, Unreachable

# Plain HTTP to these does not leave the machine.
_THIS_MACHINE = {"127.0.0.1", "::1", "localhost"}


@dataclass(frozen=True, slots=True)
class Account:
    """A server's address and a personal token, empty where there is none."""

    server: str
    token: str = ""

    @property
    def in_the_clear(self) -> bool:
        """Whether others on the way can read the token."""
        parts = urlsplit(self.server)
        open_way = parts.scheme == "http" and parts.hostname not in _THIS_MACHINE
        return bool(self.token) and open_way


def config_path(environment: Mapping[str, str]) -> Path:
    """The file in which ``login`` stores the account."""
    base = environment.get("XDG_CONFIG_HOME") or ""
    # The specification says that a path which is not absolute is to be ignored.
    folder = Path(base) if Path(base).is_absolute() else Path.home() / ".config"
    return folder / "earmark" / "client.json"


def account_read(environment: Mapping[str, str], server: str | None = None) -> Account:
    """Find the account; arguments and the environment take precedence over what is stored.

    The stored token goes to its own server only, and that of the environment to the
    server of the environment where it names one.
    """
    stored = _stored(config_path(environment))
    named = environment.get("EARMARK_URL") or ""
    address = server or named or stored.server
    if not address:
        raise Misused(
            "No server is set. Run 'login --server https://...' first, or set EARMARK_URL."
        )
    address = server_address(address)
    meant = not named or server_address(named) == address
    token = (environment.get("EARMARK_TOKEN") or "") if meant else ""
    token = token or (stored.token if address == stored.server else "")
    return Account(address, token.strip())


def account_store(account: Account, environment: Mapping[str, str]) -> Path:
    """Store an account so that nobody else can read it; the file changes whole or not at all."""
    path = config_path(environment)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    text = json.dumps({"server": account.server, "token": account.token}, indent=2)
    # The temporary file is made readable by its owner alone.
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(text + "\n")
    Path(file.name).replace(path)
    return path


def server_address(address: str) -> str:
    """A server's address without what may follow it; raises ``Misused``."""
    text = address.strip().rstrip("/").removesuffix("/api/v1")
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and bool(parts.netloc)
    except ValueError:
        usable = False
    if not usable:
        raise Misused(
            f"{address!r} is not the address of a server. Write it as https://example.org"
        )
    return text


def _stored(path: Path) -> Account:
    try:
        stored = json.loads(path.read_text())
        return Account(str(stored["server"]), str(stored["token"]))
    except FileNotFoundError:
        return Account("")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Misused(f"{path} cannot be read. Run 'login' again, or remove it.") from error


ATTEMPTS = 6
LONGEST_PAUSE = 60.0
TIMEOUT = httpx.Timeout(10, read=60, write=60)
BUSY = {429, 502, 503, 504}
Say = Callable[[str], None]
Sleep = Callable[[float], None]


def pause(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


@dataclass
class Server:
    """A server; ``say`` tells the person why they wait."""

    account: Account
    say: Say
    http: httpx.Client
    sleep: Sleep = pause

    @classmethod
    def of(cls, account: Account, say: Say) -> "Server":
        """Prepare to speak to an account's server."""
        headers = {"User-Agent": "earmark-client", "Accept": "application/json"}
        if account.token:
            headers["Authorization"] = f"Bearer {account.token}"
        if account.in_the_clear:
            say(f"{account.server} is not encrypted: others on the network can read the token.")
        # A redirect could carry the token elsewhere: it is told instead.
        http = httpx.Client(base_url=f"{account.server}/api/v1", headers=headers, timeout=TIMEOUT)
        return cls(account, say, http)

    def get(self, path: str, **query: Any) -> Any:
        """Read something."""
        return _content(self._ask("GET", path, params=query))

    def download(self, path: str) -> bytes:
        """Read a file."""
        return self._ask("GET", path).content

    def upload(
        self, path: str, *, fields: Mapping[str, str], files: Mapping[str, Any], key: str
    ) -> Any:
        """Hand files in. The key lets the server know a second try for what it is."""
        headers = {"Idempotency-Key": key}
        return _content(self._ask("POST", path, data=dict(fields), files=files, headers=headers))

    def _ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = self.http.request(method, path, **request)
            except (httpx.TransportError, httpx.InvalidURL) as error:
                why, wait = self._out_of_reach(error), None
            else:
                if answer.status_code not in BUSY:
                    return _taken(answer)
                why, wait = _server_message(answer), _asked_pause(answer)
            if attempt == ATTEMPTS:
                raise Unreachable(why)
            if wait is not None and wait > LONGEST_PAUSE * 10:
                raise Unreachable(f"{why} It asks to wait {wait:.0f} seconds.")
            wait = min(2.0 ** (attempt - 1), LONGEST_PAUSE) if wait is None else wait
            self.say(f"{why} Trying again in {wait:.0f} s.")
            self.sleep(wait)
        raise Unreachable("The server does not answer.")

    def _out_of_reach(self, error: Exception) -> str:
        what = "does not answer in time" if isinstance(error, httpx.TimeoutException) else ""
        return f"{self.account.server} {what or f'cannot be reached ({cut(str(error))})'}."


def _asked_pause(answer: httpx.Response) -> float | None:
    """Read Retry-After: seconds, or a date."""
    text = answer.headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _content(answer: httpx.Response) -> Any:
    try:
        return answer.json()
    except ValueError as error:
        raise Unreachable(f"{answer.url} does not seem to be an Earmark site.") from error


def _taken(answer: httpx.Response) -> httpx.Response:
    """The answer where it is no error; raises the error that it stands for."""
    if answer.is_success:
        return answer
    if answer.status_code >= 500:
        raise Unreachable(_server_message(answer))
    if answer.is_redirect:
        to = cut(answer.headers.get("Location", ""))
        raise RequestRefused(f"The server redirects to {to}. Log in to that address instead.")
    try:
        body = answer.json()
    except ValueError:
        body = {}
    raise RequestRefused(_server_message(answer), body if isinstance(body, dict) else {})


def _server_message(answer: httpx.Response) -> str:
    """The server's reason, on one line."""
    try:
        detail = answer.json()["detail"]
    except (ValueError, KeyError, TypeError):
        return f"The server answered {answer.status_code} {answer.reason_phrase}."
    return one_line(str(detail))
