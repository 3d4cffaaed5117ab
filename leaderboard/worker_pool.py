"""The processes in which a worker computes, and what is said when one of them ends.

Celery starts another for each that ends, over and over and hardly saying so. Here each end is
a line of the log with what it means, what the process had claimed is given back at once, and
a worker whose processes all end at their start ends too, so that its supervisor sees it.
"""

import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from ctypes import c_bool
from dataclasses import dataclass
from multiprocessing.sharedctypes import RawValue
from typing import Any

from billiard.pool import EX_OK, EX_RECYCLE, RUN
from billiard.pool import Pool as BilliardPool
from billiard.pool import TimeoutHandler as PoolTimeoutHandler
from billiard.pool import Worker as BilliardWorker
from celery.concurrency.asynpool import AsynPool
from celery.concurrency.asynpool import Worker as AsynWorker
from celery.concurrency.prefork import TaskPool as PreforkPool
from celery.worker import state

from leaderboard.job_memory import JobMemory, limit_in_words
from leaderboard.leases import process_ended, process_name, work_returned

logger = logging.getLogger(__name__)

# So many ends without a job, within so many seconds, and nothing will mend itself any more.
MANY_ENDS = 5
SHORT_TIME = 60.0
# How long a worker that gives up waits for what it has begun.
LAST_SECONDS = 10.0
# How libraries in compiled code, and what loads them, end a process that is refused memory.
WITHOUT_MEMORY = (-signal.SIGABRT, 127)


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a process of a worker ended: its exit code, negative where a signal ended it."""

    pid: int
    exit_code: int
    had_job: bool

    @property
    def manner(self) -> str:
        """The end in words, for everyone."""
        if self.had_job and self.exit_code in WITHOUT_MEMORY and limit_in_words():
            return f"{self._bare_manner}, most often because it needed {limit_in_words()}"
        return self._bare_manner

    @property
    def _bare_manner(self) -> str:
        if self.exit_code >= 0:
            return f"ended with exit code {self.exit_code}"
        if self.exit_code == -signal.SIGKILL:
            return "was ended by the system (SIGKILL), most often because memory ran out"
        with contextlib.suppress(ValueError):
            return f"crashed ({signal.Signals(-self.exit_code).name})"
        return f"crashed (signal {-self.exit_code})"

    @property
    def mending(self) -> str:
        """What whoever runs the site does about it."""
        if self.exit_code >= 0:
            return "The lines above say what the error was; correct it."
        if self.exit_code == -signal.SIGKILL:
            return (
                "Give the machine or container more memory, run fewer processes (--concurrency), "
                "or set EARMARK_JOB_MEMORY_MB lower, so that a job that needs too much fails alone."
            )
        return (
            "That is an error in compiled code: install requirements.txt again for this machine. "
            "If it needed too much memory, EARMARK_JOB_MEMORY_MB sets the limit."
        )


class TimeoutHandler(PoolTimeoutHandler):
    """Ends processes that are over the hard limit, and marks them."""

    def _trywaitkill(self, worker: Any) -> None:
        worker.over_time = True
        super()._trywaitkill(worker)


class PoolProcess(BilliardWorker):
    """A process that says when it can take jobs, and takes no more once one ran out of memory."""

    def contribute_to_object(self, obj: Any) -> Any:
        """Give the worker's view of the process what the process itself will set."""
        obj.is_up = self.is_up = RawValue(c_bool, False)
        return super().contribute_to_object(obj)

    def on_loop_start(self, pid: int) -> None:
        """Say that the start is over."""
        self.is_up.value = True
        super().on_loop_start(pid)

    def _make_child_methods(self, *args: Any, **options: Any) -> None:
        super()._make_child_methods(*args, **options)
        take: Callable[[], Any] = self.wait_for_job  # type: ignore[has-type]

        def wait_for_job() -> Any:
            return sys.exit(EX_RECYCLE) if JobMemory.ran_out else take()

        self.wait_for_job = wait_for_job


class AsynPoolProcess(PoolProcess, AsynWorker):
    """The same where the broker is Redis."""


class WatchedPool(BilliardPool):
    """Processes of a worker whose broker is a folder; how they end is noted."""

    Worker = PoolProcess
    TimeoutHandler = TimeoutHandler

    def __init__(self, *args: Any, **options: Any) -> None:
        self._lost: set[int] = set()
        self._ends: deque[float] = deque(maxlen=MANY_ENDS)
        super().__init__(*args, **options)

    def _create_worker_process(self, i: int) -> Any:
        process = super()._create_worker_process(i)
        process.started_at, process.over_time = time.monotonic(), False
        return process

    def on_job_process_lost(self, job: Any, pid: int, exitcode: int) -> None:
        """Note that a process ended while it worked."""
        self._lost.add(pid)
        super().on_job_process_lost(job, pid, exitcode)

    def _join_exited_workers(self, shutdown: bool = False) -> Any:
        before = list(self._pool)
        exit_codes = super()._join_exited_workers(shutdown)
        if exit_codes and self._state == RUN:
            for process in before:
                if process not in self._pool:
                    self._note(process)
        return exit_codes

    def _note(self, process: Any) -> None:
        had_job = process.pid in self._lost
        self._lost.discard(process.pid)
        if process.over_time:  # Celery has logged it
            self._tell(process, reason="", serving=True)
            return
        end = ProcessEnd(process.pid, process.exitcode or 0, had_job)
        if end.exit_code == -signal.SIGTERM:  # a terminal or supervisor tells every process
            logger.info("Process %s was told to stop.", end.pid)
            work_returned.send_robust(sender=type(self), names=[process_name(end.pid)])
            return
        wanted = process._controlled_termination or end.exit_code in (EX_OK, EX_RECYCLE)  # noqa: SLF001
        if wanted and not had_job:
            return
        when = "during a job" if had_job else "before it took a job"
        logger.error("Process %s %s %s. %s", end.pid, end.manner, when, end.mending)
        if not had_job:
            now = time.monotonic()
            while self._ends and now - self._ends[0] > SHORT_TIME:
                self._ends.popleft()
            self._ends.append(now)
        self._tell(
            process,
            reason=f"The process that computed this {end.manner}.",
            serving=had_job or self._has_survivor(),
        )
        if len(self._ends) == MANY_ENDS and not self._has_survivor():
            self._give_up()

    def _tell(self, process: Any, *, reason: str, serving: bool) -> None:
        name = process_name(process.pid)
        process_ended.send_robust(sender=type(self), name=name, reason=reason, serving=serving)

    def _has_survivor(self) -> bool:
        """Whether a process lives that was there before others began to end."""
        return any(process.started_at < self._ends[0] for process in self._pool)

    def _give_up(self) -> None:
        if state.should_stop is not None:
            return
        logger.critical(
            "%s processes of this worker ended before they took a job, within %.0f s: it ends with "
            "status 1 and serves no queue until it is started again.",
            MANY_ENDS,
            SHORT_TIME,
        )
        state.should_stop = 1
        deadline = threading.Timer(LAST_SECONDS, os._exit, [1])
        deadline.daemon = True
        deadline.start()


class WatchedAsynPool(WatchedPool, AsynPool):
    """The same where the broker is Redis."""

    Worker = AsynPoolProcess


class TaskPool(PreforkPool):
    """Celery's pool of processes, watched."""

    Pool = WatchedAsynPool
    BlockingPool = WatchedPool

    @property
    def takes_jobs(self) -> bool:
        """Whether one of the processes has come through its start."""
        return any(process.is_up.value for process in self._pool._pool)  # noqa: SLF001
