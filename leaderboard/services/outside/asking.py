"""Asking a language model behind an OpenAI-compatible address, within a pace and a budget.

No text of an error has the key, or what the server answered: some servers quote the key.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from threading import Event, Lock, current_thread, main_thread
from typing import Any

import httpx
from django.db import connection
from django.db.models import F

from earmark.asking import AskingEnded, Message, QuestionRefused
from leaderboard.models import Evaluation, LanguageModelUse
from leaderboard.outside_models import KeyMissing, LanguageModelServer
from leaderboard.selectors.clips.audio import recordings_of
from leaderboard.selectors.outside import kind_of, language_model_server

# Seconds before a request is sent again, the longest that a server may ask for, and the time that
# an answer may take.
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
LONGEST_PAUSE = 300.0
TIMEOUT = 60.0
LIST_TIMEOUT = 10.0  # for the list of models
LARGEST = 1_000_000  # bytes of an answer
MOST_TOKENS = 400

_AGAIN = frozenset({0, 408, 409, 425, 429, *range(500, 600)})  # 0: no answer came
_THIS_ONE = frozenset({400, 413, 422})
_KEY = frozenset({401, 403})


class Pace:
    """At most so many requests a minute, evenly; a server may hold all of them up for a while."""

    def __init__(self, per_minute: float) -> None:
        self._pause = 60 / per_minute
        self._next = 0.0
        self._lock = Lock()

    def wait(self, stop: Event) -> None:
        """Wait for the next turn; raises ``AskingEnded`` once ``stop`` is set."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = at + self._pause
        pause(at - now, stop)

    def hold(self, seconds: float) -> None:
        """Let no turn begin for so long."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def pause(seconds: float, stop: Event) -> None:
    """Wait; raises ``AskingEnded`` once ``stop`` is set."""
    if stop.wait(seconds) if seconds > 0 else stop.is_set():
        raise AskingEnded("It was stopped.")


@lru_cache(maxsize=32)
def pace_of(_address: str, per_minute: float) -> Pace:
    """The pace of an address, the same for all systems that this process scores."""
    return Pace(per_minute)


@dataclass(frozen=True, slots=True)
class Spending:
    """The budget of a phase for the language model of this name behind this host."""

    phase_id: int
    model: str
    host: str

    def request_count(self) -> None:
        """Count a request before it is sent; raises ``AskingEnded`` where it may not be sent.

        One statement asks and counts, so that any number of threads and workers stay within the
        budget, and so that nothing more is sent once an organiser turned the model off.
        """
        agreed = LanguageModelUse.objects.filter(
            phase=self.phase_id, model=self.model, host=self.host, active=True
        )
        if agreed.filter(requests__lt=F("budget")).update(requests=F("requests") + 1) == 1:
            return
        use = agreed.first()
        if use is None:
            raise AskingEnded(
                "The organisers have not agreed that captions are sent to this language model, or "
                "its address has changed since."
            )
        raise AskingEnded(
            f"The budget of {use.budget:,} requests to the language model is spent. Organisers can "
            "raise it; answers that were paid for are kept."
        )

    def tokens_count(self, tokens_in: int, tokens_out: int) -> None:
        """Add the tokens that the server says a request had."""
        LanguageModelUse.objects.filter(phase=self.phase_id).update(
            tokens_in=F("tokens_in") + tokens_in, tokens_out=F("tokens_out") + tokens_out
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered: its status (0: nothing), the body, how long it asks to wait."""

    status: int
    body: bytes = b""
    retry_after: float | None = None


class ServedModel:
    """The language model of a server, within the budget of a phase; a ``LanguageModel``.

    ``Retry-After`` is honoured, and holds up the other threads, too.
    """

    def __init__(self, server: LanguageModelServer, spending: Spending) -> None:
        self._server, self._spending = server, spending
        self._pace = pace_of(server.address, server.requests_per_minute)
        self._client = httpx.Client(timeout=TIMEOUT, follow_redirects=False)

    def close(self) -> None:
        """End the connections to the server."""
        self._client.close()

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._server.model

    @property
    def at_once(self) -> int:
        """How many conversations the server takes at a time."""
        return self._server.at_once

    def answer(self, messages: Sequence[Message], stop: Event) -> str:
        """The text of its next turn; empty where the answer has none."""
        for seconds in (*PAUSES, None):
            reply = self._asked(messages, stop)
            if reply.status not in _AGAIN or seconds is None:
                break
            self._hold(reply, stop, seconds)
        if reply.status == 200:
            return self._text(reply.body)
        raise _failure(reply.status)

    def _asked(self, messages: Sequence[Message], stop: Event) -> Reply:
        """Send one request, which is counted before."""
        self._pace.wait(stop)
        try:
            key = self._server.key()
        except KeyMissing as error:
            raise AskingEnded(str(error)) from None
        with _own_connection():
            self._spending.request_count()
        return self._posted(messages, key)

    def _posted(self, messages: Sequence[Message], key: str) -> Reply:
        body = {
            "model": self._server.model,
            "messages": [{"role": one.role, "content": one.text} for one in messages],
            "temperature": 0,
            "max_tokens": MOST_TOKENS,
        }
        url = f"{self._server.address}/chat/completions"
        # What it raises may quote what was sent, and is nowhere told.
        with (
            suppress(httpx.HTTPError),
            self._client.stream("POST", url, json=body, headers=_headers(key)) as response,
        ):
            return Reply(response.status_code, _read(response), _retry_after(response))
        return Reply(0)

    def _hold(self, reply: Reply, stop: Event, seconds: float) -> None:
        if reply.retry_after is None:
            pause(seconds, stop)
        elif reply.retry_after > LONGEST_PAUSE:
            raise AskingEnded(
                f"The language model's server asks to wait for {reply.retry_after / 60:,.0f} "
                "minutes. Try again after that."
            )
        else:
            self._pace.hold(reply.retry_after)

    def _text(self, body: bytes) -> str:
        try:
            answer = json.loads(body)
            text = answer["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError, RecursionError):
            return ""
        with _own_connection():
            self._spending.tokens_count(*_tokens(answer.get("usage")))
        return text if isinstance(text, str) else ""


def status_of(server: LanguageModelServer) -> int:
    """The status with which a server lists its models, 0 without an answer; costs no tokens.

    Raises ``KeyMissing``.
    """
    url, headers = f"{server.address}/models", _headers(server.key())
    # What it raises may quote what was sent, and is nowhere told.
    with (
        suppress(httpx.HTTPError),
        httpx.stream("GET", url, headers=headers, timeout=LIST_TIMEOUT) as response,
    ):
        return response.status_code
    return 0


def key_refused(status: int) -> bool:
    """Whether this is how a server says that it does not take the key."""
    return status in _KEY


def _headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


@contextmanager
def _own_connection() -> Iterator[None]:
    """Give back the connection to the database that a thread of its own opened."""
    try:
        yield
    finally:
        if current_thread() is not main_thread():
            connection.close()


def _failure(status: int) -> Exception:
    if status in _THIS_ONE:
        return QuestionRefused(f"The language model's server refused the question ({status}).")
    if status in _KEY:
        return AskingEnded(f"The language model's server refused the key ({status}).")
    if status in _AGAIN:
        outcome = f"answered with an error ({status})" if status else "did not answer"
        return AskingEnded(
            f"The language model's server {outcome} {len(PAUSES) + 1} times in a row. Try again "
            "later; answers that were paid for are kept."
        )
    return AskingEnded(
        f"The language model's server answered with {status}. The administrator of this site can "
        "see whether address and model are right."
    )


def _read(response: httpx.Response) -> bytes:
    """The body of an answer; raises ``httpx.ReadTimeout`` where it is too long in coming."""
    deadline, read = time.monotonic() + TIMEOUT, bytearray()
    for part in response.iter_bytes():
        read += part
        if time.monotonic() > deadline:
            raise httpx.ReadTimeout("")
        if len(read) > LARGEST:
            return b""
    return bytes(read)


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds that the server asks to wait, given as such or as a date; None: it does not."""
    header = response.headers.get("Retry-After", "")
    if header.isascii() and header.isdigit():
        return float(header[:9])
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _tokens(usage: Any) -> tuple[int, int]:
    """Tokens in and out of an answer; 0 where the server does not say."""
    fields = usage if isinstance(usage, dict) else {}
    counts = (fields.get(key) for key in ("prompt_tokens", "completion_tokens"))
    first, second = (one if type(one) is int and 0 <= one < 10**7 else 0 for one in counts)
    return first, second


@contextmanager
def outside_means(evaluation: Evaluation) -> Iterator[Mapping[str, Any]]:
    """Fields of the workspace for a family: recordings, or a language model; none for others.

    Nothing is sent before the family asks. Raises ``ResourceMissing``.
    """
    kind, phase = kind_of(evaluation.family), evaluation.submission.phase
    if kind == "clap":
        yield {"recordings": recordings_of(phase.reference_set)}
    elif kind == "language":
        server = language_model_server(str(evaluation.parameters.get("model", "")))
        spending = Spending(phase.pk, server.name, server.host)
        with closing(ServedModel(server, spending)) as model:
            yield {"language_model": model}
    else:
        yield {}
