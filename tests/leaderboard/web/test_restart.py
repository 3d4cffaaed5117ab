"""The web server is restarted under way, and no request is lost, be it half an upload."""

import http.client
import json
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings

from leaderboard.models import Submission
from leaderboard.services.people.accounts import token_create
from tests.factories import CANDIDATES
from tests.leaderboard.api_client import ROOT as API
from tests.leaderboard.api_client import submissions_path
from tests.leaderboard.conftest import Cast
from tests.leaderboard.web.served_site import served_site
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
BORDER = "parts-of-the-form"
PATIENCE = 500  # of sockets; what hangs ends with pytest's time limit
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"


@dataclass
class Server:
    """The site as it is served, and what its visitors met."""

    port: int
    process: "subprocess.Popen[bytes]"
    answered: list[int] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def visit(self, *, stays: bool) -> None:
        """Ask again and again, over one connection or a new one each time."""
        connection = self.connection()
        while not self.over.is_set():
            try:
                connection.request("GET", "/healthz")
                response = connection.getresponse()
                response.read()
                self.answered.append(response.status)
                if not stays:
                    connection.close()
            except (OSError, http.client.HTTPException) as error:
                self.failed.append(repr(error))
                connection.close()

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def workers(self) -> set[str]:
        """The processes that serve."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return set(children.read_text().split())

    def all_left(self, before: set[str]) -> bool:
        return not self.workers() & before

    def wait_for_others(self, before: set[str]) -> None:
        """Wait until other processes than those of ``before`` answer."""
        wait_until(lambda: bool(self.workers() - before))
        most = len(self.answered) + 20
        wait_until(lambda: len(self.answered) > most)


@pytest.fixture
def server(transactional_db: None, tmp_path: Path) -> Iterator[Server]:
    quiet = {"RATELIMIT_ENABLE": "false", "LOG_LEVEL": "WARNING"}
    with served_site(settings.VAR_DIR, log=tmp_path / "log", **quiet) as (port, process):
        found = Server(port, process)
        yield found
        found.over.set()


class Upload:
    """An upload over a slow line: the end of it is sent when it is told to."""

    def __init__(self, server: Server, cast: Cast) -> None:
        _, secret = token_create(user=cast.member, name="x")
        part = f"--{BORDER}\r\nContent-Disposition: form-data; name="
        file = f'{part}"file"; filename="a.csv"\r\n\r\n{CANDIDATES.decode()}\r\n'
        name = f'{part}"system_name"\r\n\r\nSlow\r\n'
        body = f"{name}{file}--{BORDER}--\r\n".encode()
        head = (
            f"POST {API}{submissions_path(cast)} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {secret}\r\nContent-Length: {len(body)}\r\n"
            f"Content-Type: multipart/form-data; boundary={BORDER}\r\nConnection: close\r\n"
            "Expect: 100-continue\r\n\r\n"
        )
        self._rest = body[100:]
        self._line = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        self._line.sendall(head.encode() + body[:100])
        # The server says so once it has read the head.
        told = self._line.recv(len(GO_ON))
        assert told == GO_ON, told

    def end(self) -> tuple[int, str]:
        """Send the rest; returns status and name of the system."""
        self._line.sendall(self._rest)
        response = http.client.HTTPResponse(self._line)
        response.begin()
        body = json.loads(response.read())
        self._line.close()
        return response.status, body.get("system_name", str(body))


def test_a_restart_loses_no_request(server: Server, cast: Cast) -> None:
    visitors = [
        threading.Thread(target=server.visit, kwargs={"stays": stays}) for stays in (True, False)
    ]
    for visitor in visitors:
        visitor.start()
    wait_until(lambda: len(server.answered) > 20)
    for _ in range(2):
        upload, before = Upload(server, cast), server.workers()
        server.process.send_signal(signal.SIGHUP)
        server.wait_for_others(before)
        assert upload.end() == (201, "Slow")
        wait_until(partial(server.all_left, before))
    server.over.set()
    for visitor in visitors:
        visitor.join()
    assert server.failed == []
    assert set(server.answered) == {200}
    assert Submission.objects.count() == 2


def test_a_server_that_is_told_to_stop_ends_what_it_has_begun(server: Server, cast: Cast) -> None:
    upload = Upload(server, cast)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(2)  # it would have ended by now
    assert server.process.poll() is None
    assert upload.end() == (201, "Slow")
    assert server.process.wait(PATIENCE) == 0
    assert Submission.objects.count() == 1
