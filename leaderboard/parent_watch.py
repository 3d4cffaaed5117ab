"""Ends this process when one that started it is gone, however that ended.

``manage.py run`` is killed with no chance to stop what it started, or the terminal's ``make``
is: web server and workers would go on for ever, and hold the port and the queue.
"""

import logging
import os
import select
import signal
import threading
import time
from collections.abc import Iterable

logger = logging.getLogger(__name__)

# As long as honcho gives to what it stops itself.
GRACE_SECONDS = 5.0


def end_with(pids: Iterable[int]) -> None:
    """End this process once one of these has ended; returns at once."""
    for pid in pids:
        threading.Thread(target=_watch, args=(pid,), name="parent-watch", daemon=True).start()


def _watch(pid: int) -> None:
    _wait_for_end(pid)
    logger.warning("Process %s, which started this one, is gone; this one ends, too.", pid)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def _wait_for_end(pid: int) -> None:
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except (AttributeError, OSError):  # not Linux, or an old one
        _wait_by_looking(pid)
        return
    poll = select.poll()
    poll.register(watched, select.POLLIN)
    poll.poll()


def _wait_by_looking(pid: int) -> None:
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        except PermissionError:  # another user's, and alive
            pass
        time.sleep(1)
