"""Waiting for what happens, however slow the machine is.

Nothing here gives up: what never happens ends with pytest's time limit, which shows where it was.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from django.db import connection

Answer = TypeVar("Answer")

BETWEEN_LOOKS = 0.05
# For how long something that has to wait for SQLite's file is watched not to go on.
WATCHED_SECONDS = 0.5


def wait_until(condition: Callable[[], object]) -> None:
    """Look again and again until it is so; an exception of the condition ends it, too."""
    while not condition():
        time.sleep(BETWEEN_LOOKS)


def answered(ask: Callable[[], Answer]) -> Answer:
    """Ask again and again until nobody refuses the connection."""
    while True:
        with suppress(OSError):
            return ask()
        time.sleep(BETWEEN_LOOKS)


def elsewhere(work: Callable[[], object]) -> Future[object]:
    """Do something in another thread with a connection of its own."""

    def one() -> object:
        try:
            return work()
        finally:
            connection.close()

    pool = ThreadPoolExecutor(1)
    future = pool.submit(one)
    pool.shutdown(wait=False)
    return future


def waits(future: Future[object]) -> bool:
    """Whether what is done elsewhere has come to wait for a lock; False where it ends."""
    if connection.vendor == "sqlite":
        try:
            future.result(timeout=WATCHED_SECONDS)
        except TimeoutError:
            return True
        return False
    wait_until(lambda: future.done() or _somebody_waits())
    return not future.done()


def _somebody_waits() -> bool:
    """Whether another connection waits for this one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks"
            " WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)))"
        )
        return bool(cursor.fetchone()[0])
