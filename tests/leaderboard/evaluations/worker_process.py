"""A real Celery worker process on the test database and the test broker."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.utils import timezone

from leaderboard.models import LeasedJob
from tests.real_data import ROOT
from tests.waiting import wait_until

# What works is never thought lost, however slow the machine; see ``kill`` for what is.
LEASE_SECONDS = 3600


def database_url() -> str:
    """The address of the test database."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    place = f"{database['HOST']}:{database['PORT']}/{database['NAME']}"
    return f"postgres://{database['USER']}:{database['PASSWORD']}@{place}"


EVERYTHING = ("cpu", "gpu", "maintenance")


class Worker:
    """A worker with beat, in a process group of its own; ``settings_`` are in its environment."""

    def __init__(
        self, log: Path, queues: tuple[str, ...], app: str, settings_: Mapping[str, str]
    ) -> None:
        self._path = log
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
            "DATABASE_URL": database_url(),
            "EARMARK_VAR": str(settings.VAR_DIR),
            "EARMARK_LEASE_SECONDS": str(LEASE_SECONDS),
            "EARMARK_SWEEP_SECONDS": "1",
            "EARMARK_REQUEUE_SECONDS": "4",
            **settings_,
        }
        command = (
            f"-m celery -A {app} worker -B -Q {','.join(queues)} --concurrency 1"
            " --without-gossip --without-mingle --loglevel INFO"
        )
        self._file = log.open("ab")
        self._process = subprocess.Popen(
            [sys.executable, *command.split()],
            cwd=ROOT,
            env=environment,
            stdout=self._file,
            stderr=self._file,
            start_new_session=True,
        )

    def kill(self) -> None:
        """End it in the middle of its work, and let the time pass until that is thought lost."""
        self.end()
        for kind in apps.get_models():
            if issubclass(kind, LeasedJob):
                kind._default_manager.update(lease_expires_at=timezone.now())

    def end(self) -> None:
        """End the worker and all its children at once, with no chance to clean up."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._file.close()

    def stop(self, *, every_process: bool) -> None:
        """Tell it to stop, or, as a terminal or supervisor may, each of its processes."""
        if every_process:
            os.killpg(self._process.pid, signal.SIGTERM)
        else:
            self._process.terminate()

    def wait_for_end(self, meanwhile: Callable[[], None] = lambda: None) -> int:
        """Exit status of the worker, which ends by itself; ``meanwhile`` looks after it."""
        while (status := self._process.poll()) is None:
            meanwhile()
            time.sleep(0.05)
        return status

    @property
    def log(self) -> str:
        """What it has logged so far."""
        return self._path.read_text()

    def wait_until(self, condition: Callable[[], bool], *, what: str) -> None:
        """Wait for something the worker does, or fail with the end of its log."""

        def happened() -> bool:
            if self._process.poll() is not None:
                self._fail(f"The worker ended before this happened: {what}")
            return condition()

        wait_until(happened)

    def _fail(self, reason: str) -> NoReturn:
        raise AssertionError(f"{reason}. Its log:\n{self.log[-8000:]}")


@contextmanager
def running_worker(
    folder: Path, queues: tuple[str, ...] = EVERYTHING, app: str = "leaderboard", **settings_: str
) -> Iterator[Worker]:
    """Run a worker that writes its log to ``folder``, and kill it at the end."""
    worker = Worker(folder / "worker.log", queues, app, settings_)
    try:
        yield worker
    finally:
        worker.end()
