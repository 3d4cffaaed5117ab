"""The site as it is served: gunicorn in a process of its own, on the test database."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.leaderboard.evaluations.worker_process import database_url
from tests.real_data import ROOT
from tests.waiting import wait_until


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def served_site(
    folder: Path, *, log: Path | None = None, **variables: str
) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """Serve the site, whose files are in a folder, until the block ends; its port and process."""
    port = free_port()
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
        "DATABASE_URL": database_url(),
        "EARMARK_VAR": str(folder),
        "PORT": str(port),
        **variables,
    }
    environment.pop("EARMARK_DEMO", None)
    command = [sys.executable, "-m", "gunicorn", "-c", "gunicorn.conf.py", "leaderboard.wsgi"]
    with (log or folder / "web.log").open("ab") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
        try:
            wait_until(lambda: process.poll() is not None or answers(port))
            yield port, process
        finally:
            process.kill()
            process.wait()


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
