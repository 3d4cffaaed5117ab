"""Processes that are timed from their start to their end, with those that they start."""

import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.bench.performance.table import Cost
from tests.real_data import ROOT

# Seconds between two looks at the memory of a process and of those that it has started.
_LOOK = 0.02
# Linux counts in kilobytes, macOS in bytes.
_UNIT = 1 if sys.platform == "darwin" else 1024


def use_processors(count: int) -> None:
    """Let this process and those that it starts use so many processors."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])
    os.environ["OMP_NUM_THREADS"] = str(count)


def run(
    command: Sequence[str],
    *,
    environment: Mapping[str, str] | None = None,
) -> Cost:
    """Cost of a process, its children's memory included (on Linux).

    Memory is the largest sum of resident sets that was seen at once; what processes share counts
    for each. Ends the program with what it wrote where it failed.
    """
    with tempfile.TemporaryFile("w+") as said:
        began = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        watch = _MemoryWatch(process.pid)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise SystemExit(
                f"{' '.join(command)} ended with {process.returncode}:\n{said.read()[-4000:]}"
            )
    most = max(watch.stop(), used.ru_maxrss * _UNIT)
    return Cost(seconds, used.ru_utime + used.ru_stime, most)


def run_module(
    module: str, *arguments: str, python: str = sys.executable, **options: Any
) -> tuple[Cost, Any]:
    """Cost of a module that writes JSON to the file of ``--out``, and what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        cost = run([python, "-m", module, *arguments, "--out", str(out)], **options)
        return cost, json.loads(out.read_text(encoding="utf-8"))


class _MemoryWatch:
    """A thread that looks at the memory of a process and its descendants, again and again."""

    def __init__(self, pid: int) -> None:
        self._pid, self._most = pid, 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> int:
        """Bytes that were seen at most; 0 where the system has no ``/proc``."""
        self._ended.set()
        self._thread.join()
        return self._most

    def _look(self) -> None:
        while not self._ended.wait(_LOOK):
            self._most = max(self._most, tree_memory(self._pid))


def tree_memory(pid: int) -> int:
    """Bytes in memory of a process and all that it has started; 0 where that is not known."""
    folder = Path(f"/proc/{pid}")
    total = 0
    with contextlib.suppress(OSError, ValueError):
        total = int((folder / "statm").read_text().split()[1]) * resource.getpagesize()
        for task in (folder / "task").iterdir():
            # A process ends while it is looked at.
            with contextlib.suppress(OSError):
                total += sum(map(tree_memory, map(int, (task / "children").read_text().split())))
    return total


def own_peak() -> int:
    """Bytes that this process has had in memory at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


class Clock:
    """Cost of what happens from here on in this process.

    >>> Clock().cost().seconds >= 0
    True
    """

    def __init__(self) -> None:
        self._seconds, self._processor = time.perf_counter(), time.process_time()

    def cost(self) -> Cost:
        """Cost until now; memory is the most that the process ever had."""
        return Cost(
            time.perf_counter() - self._seconds,
            time.process_time() - self._processor,
            own_peak(),
        )
