"""How fast requests follow each other, over all threads of a process."""

import time
from functools import lru_cache
from threading import Event, Lock

from scoring.asking import AskingEnded


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
