"""Speaking to a server's API: patiently, and never twice where once is meant."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from leaderboard.client.account import Account
from leaderboard.client.ending import Refused, Unreachable
from scoring.captions.faults import cut, one_line

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
            say(f"{account.server} is not encrypted: others on the way can read the token.")
        # A redirect could carry the token elsewhere: it is told instead.
        http = httpx.Client(base_url=f"{account.server}/api/v1", headers=headers, timeout=TIMEOUT)
        return cls(account, say, http)

    def get(self, path: str, **query: Any) -> Any:
        """Read something."""
        return self._ask("GET", path, params=query)

    def upload(
        self, path: str, *, fields: Mapping[str, str], files: Mapping[str, Any], key: str
    ) -> Any:
        """Hand files in. The key lets the server know a second try for what it is."""
        return self._ask(
            "POST", path, data=dict(fields), files=files, headers={"Idempotency-Key": key}
        )

    def _ask(self, method: str, path: str, **request: Any) -> Any:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                answer = self.http.request(method, path, **request)
            except (httpx.TransportError, httpx.InvalidURL) as error:
                why, wait = self._out_of_reach(error), None
            else:
                if answer.status_code not in BUSY:
                    return _content(answer)
                why, wait = _said(answer), _asked_pause(answer)
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
    """Give what was answered, or raise what went wrong."""
    if answer.is_success:
        try:
            return answer.json()
        except ValueError as error:
            raise Unreachable(f"{answer.url} does not answer as Earmark does.") from error
    if answer.status_code >= 500:
        raise Unreachable(_said(answer))
    if answer.is_redirect:
        to = cut(answer.headers.get("Location", ""))
        raise Refused(f"The server sends on to {to}. Log in to that address instead.")
    try:
        body = answer.json()
    except ValueError:
        body = {}
    raise Refused(_said(answer), body if isinstance(body, dict) else {})


def _said(answer: httpx.Response) -> str:
    """Give the reason that the server gave, on one line."""
    try:
        detail = answer.json()["detail"]
    except (ValueError, KeyError, TypeError):
        return f"The server answers {answer.status_code} {answer.reason_phrase}."
    return one_line(str(detail))
