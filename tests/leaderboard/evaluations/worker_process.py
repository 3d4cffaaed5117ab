"""A real Celery worker process on the test database and the test broker."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.db import connection

from tests.real_data import ROOT

LEASE_SECONDS = 3


def database_url() -> str:
    """The address of the test database."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    place = f"{database['HOST']}:{database['PORT']}/{database['NAME']}"
    return f"postgres://{database['USER']}:{database['PASSWORD']}@{place}"


EVERYTHING = ("cpu", "gpu", "maintenance")


class Worker:
    """A worker with beat, in a process group of its own."""

    def __init__(self, log: Path, queues: tuple[str, ...]) -> None:
        self._path = log
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "DATABASE_URL": database_url(),
            "EARMARK_VAR": str(settings.VAR_DIR),
            "EARMARK_LEASE_SECONDS": str(LEASE_SECONDS),
            "EARMARK_SWEEP_SECONDS": "1",
            "EARMARK_REQUEUE_SECONDS": "4",
        }
        command = (
            f"-m celery -A leaderboard worker -B -Q {','.join(queues)} --concurrency 1"
            " --without-gossip --without-mingle --loglevel INFO"
        )
        self._log = log.open("ab")
        self._process = subprocess.Popen(
            [sys.executable, *command.split()],
            cwd=ROOT,
            env=environment,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )

    def kill(self) -> None:
        """End the worker and all its children at once, with no chance to clean up."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._log.close()

    def wait_until(self, condition: Callable[[], bool], *, seconds: float, what: str) -> None:
        """Wait for something the worker does, or fail with the end of its log."""
        end = time.monotonic() + seconds
        while not condition():
            if self._process.poll() is not None:
                self._fail(f"The worker ended before this happened: {what}")
            if time.monotonic() > end:
                self._fail(f"This did not happen within {seconds} s: {what}")
            time.sleep(0.05)

    def _fail(self, reason: str) -> None:
        raise AssertionError(f"{reason}. Its log:\n{self._path.read_text()[-8000:]}")


@contextmanager
def running_worker(folder: Path, queues: tuple[str, ...] = EVERYTHING) -> Iterator[Worker]:
    """Run a worker that writes its log to ``folder``, and kill it at the end."""
    worker = Worker(folder / "worker.log", queues)
    try:
        yield worker
    finally:
        worker.kill()
