"""Acts at the same moment, with real threads on the real database."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connection


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Do all at the same moment, each over a connection of its own; what each gave or raised."""
    together = threading.Barrier(len(acts))

    def begin(act: Callable[[], Any]) -> Any:
        together.wait()
        try:
            return act()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result() for future in [pool.submit(begin, act) for act in acts]]


def outcomes(*acts: Callable[[], Any]) -> list[str]:
    """The same; "" for each that was done, or the name of its refusal."""
    found = at_once(*acts)
    return [type(one).__name__ if isinstance(one, Exception) else "" for one in found]
