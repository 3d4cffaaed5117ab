"""Entry of ``earmark`` and ``python -m earmark``."""

import atexit
import contextlib
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from earmark.cli.parser import main


def program(command: Callable[[], int] = main) -> NoReturn:
    """Run a command in a process of its own, and end that with its exit code.

    Its memory is given back as a whole. Python would take apart hundreds of thousands of small
    objects one by one first, for more than half a second after all metrics.
    """
    code = 1  # of an error that nobody expected, which Python prints

    def end() -> None:
        for stream in (sys.stdout, sys.stderr):
            # Closed, or read by nobody any more.
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)

    # What is registered first is called last, after threads have ended and others' hooks.
    atexit.register(end)
    code = command()
    sys.exit(code)


if __name__ == "__main__":
    program()
