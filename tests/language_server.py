"""A small server that answers like an OpenAI-compatible one, as a test wants it to."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

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

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0)) or "{}")
            asked = Asked(self.path, self.headers.get("Authorization", ""), body)
            with found[0].lock:
                found[0].asked.append(asked)
            answer = found[0].say(asked)
            content = answer.content()
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:  # who asked did not wait
                self.close_connection = True

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Who asked did not wait."""

    server = Server(("127.0.0.1", 0), Handler)
    found.append(LanguageServer(f"http://127.0.0.1:{server.server_address[1]}/v1", say))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield found[0]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
