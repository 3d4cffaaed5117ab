"""A small server that answers like an OpenAI-compatible one, as a test wants it to."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.http_server import Handler, serving

KEY = "sk-test-9f8e7d6c5b4a"


@dataclass(frozen=True)
class Asked:
    """A request that came in."""

    path: str
    authorization: str
    body: dict[str, Any]

    @property
    def caption(self) -> str:
        """The caption that is to be judged."""
        told: dict[str, Any] = json.loads(self.body["messages"][1]["content"])
        return str(told["description"])


@dataclass(frozen=True)
class Answer:
    """What is answered: a status, headers, and the text of a turn or a whole body."""

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None

    def content(self) -> bytes:
        """The body as it is sent."""
        if self.body is not None:
            return self.body
        told = {
            "choices": [{"message": {"role": "assistant", "content": self.text}}],
            "usage": {"prompt_tokens": 400, "completion_tokens": 30},
        }
        return json.dumps(told).encode()


def judgment(score: int = 70, reason: str = "It names the sound.") -> Answer:
    """A judgment as it is asked for."""
    return Answer(json.dumps({"score": score, "reason": reason}))


Say = Callable[[Asked], Answer]


@dataclass
class LanguageServer:
    """A running server; ``say`` makes the answers, ``asked`` has the requests in order."""

    address: str
    say: Say
    asked: list[Asked] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def host(self) -> str:
        """Its host with the port."""
        return self.address.split("/")[2]


@contextmanager
def language_server(say: Say = lambda _asked: judgment()) -> Iterator[LanguageServer]:
    """Run a server on a free port of this machine."""
    found: list[LanguageServer] = []

    class Language(Handler):
        def do_POST(self) -> None:  # noqa: N802
            body = json.loads(self.received() or "{}")
            asked = Asked(self.path, self.headers.get("Authorization", ""), body)
            with found[0].lock:
                found[0].asked.append(asked)
            answer = found[0].say(asked)
            self.answer(answer.content(), answer.status, answer.headers)

        do_GET = do_POST  # noqa: N815

    with serving(Language) as address:
        found.append(LanguageServer(f"{address}/v1", say))
        yield found[0]
