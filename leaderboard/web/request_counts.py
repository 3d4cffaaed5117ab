"""How often each view is asked and how long it takes, added up over the processes of a machine.

Each process counts into files of its own below ``var/counts``, and whoever is asked adds all
files up. A file belongs to a place among the processes and not to a process: who comes after one
that ended goes on with its numbers, so that nothing is lost and files do not pile up.
"""

import fcntl
import logging
import os
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from struct import error as StructError  # noqa: N812 - it is a class
from typing import IO, Any

import prometheus_client.values
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from prometheus_client import Counter, Histogram, Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector

from leaderboard.web.middleware import Middleware

logger = logging.getLogger(__name__)

# Views by name and never by path: an address may hold a secret, and there is no end to addresses.
REQUESTS = Histogram(
    "earmark_request_seconds",
    "Requests by view, method and status, and how long they took",
    ["view", "method", "status"],
    buckets=(0.05, 0.25, 1, 5, 20),
    registry=None,
)
UPLOADS_REFUSED = Counter(
    "earmark_uploads_refused",
    "Files that were not read because too many others were",
    ["reason"],
    registry=None,
)
NO_VIEW = "none"
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
# The files have their size from the start: where the disk is full, writing beyond it would end
# the process. Some thousand rows fit, more than there are views, methods and statuses.
_SIZES = {"histogram": 4_000_000, "counter": 65_536}
_DAMAGED = (RuntimeError, ValueError, StructError)


class RequestCountsMiddleware(Middleware):
    """Counts each request by the name of its view; only where somebody may read the counts."""

    def __init__(self, *args: object) -> None:
        if not (settings.PROMETHEUS_TOKEN or settings.PROMETHEUS_NETWORKS):
            raise MiddlewareNotUsed
        super().__init__(*args)  # type: ignore[arg-type]
        try:
            _count_in_files(settings.COUNTS_DIR)
        except OSError as error:
            logger.warning("Requests are not counted: %s", error)
            raise MiddlewareNotUsed from error

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Pass on and count."""
        start = time.perf_counter()
        response = self.get_response(request)
        view = request.resolver_match.view_name if request.resolver_match else NO_VIEW
        method = request.method if request.method in METHODS else "other"
        row = REQUESTS.labels(view, method, str(response.status_code))
        row.observe(time.perf_counter() - start)
        return response


def counts_of_all_processes() -> Iterable[Metric]:
    """What the processes of this machine have counted, added up."""
    files = [*settings.COUNTS_DIR.glob("*.db")]
    try:
        metrics: Iterable[Metric] = MultiProcessCollector.merge(files)
    except _DAMAGED:
        metrics = MultiProcessCollector.merge([file for file in files if _is_whole(file)])
    return metrics


class _Place:
    """The place of this process, held by a lock that ends with it."""

    process = 0
    number = ""
    lock: IO[str] | None = None


def _count_in_files(folder: Path) -> None:
    """Have this process count in files; raises ``OSError`` where the folder takes none."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    _take_place(folder)
    prometheus_client.values.ValueClass = _values_in_files()


@cache
def _values_in_files() -> Any:
    return prometheus_client.values.MultiProcessValue(lambda: _take_place(settings.COUNTS_DIR))


def _take_place(folder: Path) -> str:
    """The first place that no living process has; the same one as long as this process lives."""
    if _Place.process == os.getpid():
        return _Place.number
    number = 0
    while not _lock(folder / f"{number}.lock"):
        number += 1
    _Place.process, _Place.number = os.getpid(), str(number)
    for kind, size in _SIZES.items():
        path = folder / f"{kind}_{number}.db"
        if path.exists() and not _is_whole(path):  # the machine went down while it was written
            path.unlink()
        with path.open("ab") as file:
            os.posix_fallocate(file.fileno(), 0, size)
    return _Place.number


def _lock(path: Path) -> bool:
    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return False
    _Place.lock = file
    return True


def _is_whole(path: Path) -> bool:
    try:
        return all(True for _ in MmapedDict.read_all_values_from_file(path))
    except _DAMAGED:
        return False
