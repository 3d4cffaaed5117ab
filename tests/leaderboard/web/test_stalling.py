"""Connections that stall are let go: a handful of them must not keep everyone else waiting."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaderboard.web.served_site import free_port
from tests.real_data import ROOT
from tests.waiting import answered

THREADS, STALLED = 2, 1
APP = """
def application(environ, start_response):
    environ["wsgi.input"].read()
    body = b"x" * (50_000_000 if environ["PATH_INFO"] == "/large" else 2)
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""
GET = b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"


def connect(port: int, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(sent)
    return connection


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """Serve something small as the site is served; what is logged is in errors.log."""
    (tmp_path / "small.py").write_text(APP)
    port = free_port()
    more = {"PORT": str(port), "WEB_THREADS": str(THREADS), "WEB_STALLED_SECONDS": str(STALLED)}
    environment = {**os.environ, **more, "LOG_FORMAT": "json"}
    environment.pop("EARMARK_DEMO", None)
    command = [sys.executable, "-m", "gunicorn", "-c", str(ROOT / "gunicorn.conf.py")]
    command += ["--chdir", str(tmp_path), "small:application"]
    with (
        (tmp_path / "errors.log").open("wb") as errors,
        subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=errors
        ) as server,
    ):
        try:
            answered(lambda: connect(port, b"").close())
            yield port
        finally:
            server.terminate()


STALLED_WITH = {
    "half a head": b"GET / HTTP/1.1\r\nHost: here\r\nX-Never-Ends: ",
    "half a body": b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100\r\n\r\nx",
    "an answer that nobody reads": b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n",
}


def test_who_stalls_holds_nobody_up(port: int) -> None:
    for sent in STALLED_WITH.values():
        held = [connect(port, sent) for _ in range(2 * THREADS)]
        time.sleep(0.2)
        with connect(port, GET) as other:
            assert other.recv(15) == b"HTTP/1.1 200 OK"
        for one in held:
            one.close()


def test_what_the_server_itself_says_has_the_form_of_the_sites_log(
    port: int, tmp_path: Path
) -> None:
    with connect(port, b"no request\r\n\r\n") as other:
        assert other.recv(12) == b"HTTP/1.1 400"
    (line,) = (tmp_path / "errors.log").read_text().splitlines()
    assert json.loads(line)["level"] == "WARNING"
