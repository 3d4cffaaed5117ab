"""The memory that a job may take, beyond what its process had before.

Only processes that do one job at a time have such a limit: those of a worker. Counted is what
a process asks for and alone can write to (``RLIMIT_DATA``), since the operating system refuses
more of that in a way that the job can tell; elsewhere than on Linux there is no limit.
"""

import errno
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from celery import Task
from django.conf import settings

MEGABYTE = 1_000_000
# What libraries say that have no error of their own for it; the last two where compiled code
# was refused memory and returned without a word.
REFUSED = (
    "annot allocate memory",
    "an't allocate memory",
    "std::bad_alloc",
    "Could not reserve memory",
    "failed to map segment",
    "can't start new thread",
    "without setting an exception",
    "without exception set",
)


class JobMemory:
    """Whether jobs of this process are limited, and whether one of them was refused memory."""

    limited = False
    ran_out = False


class Job(Task):
    """A task under the limit, if its process has one."""

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Do the job."""
        with memory_limit():
            try:
                return self.run(*args, **kwargs)
            except MemoryError as error:  # as it is, it would end the worker
                raise RuntimeError(memory_reason(error)) from error


@contextmanager
def memory_limit() -> Iterator[None]:
    """Limit what is taken until the end of the block, or until ``memory_reason`` is asked."""
    if not JobMemory.limited or not settings.JOB_MEMORY_MB:
        yield
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    # What this process alone can write to.
    pages = int(Path("/proc/self/statm").read_text().split()[5])
    limit = pages * resource.getpagesize() + settings.JOB_MEMORY_MB * MEGABYTE
    resource.setrlimit(
        resource.RLIMIT_DATA, (limit if most == resource.RLIM_INFINITY else min(limit, most), most)
    )
    try:
        yield
    finally:
        _lift_limit()


def memory_reason(error: BaseException) -> str:
    """Why a job failed, where it was for want of memory, else nothing; the limit is lifted then.

    What failed can then be stored; the process ends after the job, since libraries that were
    refused memory may be half loaded.
    """
    if not any(map(_is_want_of_memory, _causes(error))):
        return ""
    JobMemory.ran_out = True
    if not JobMemory.limited or not settings.JOB_MEMORY_MB:
        return "The machine's memory ran out."
    _lift_limit()
    return f"Needed {limit_in_words()}."


def limit_in_words() -> str:
    """The limit of a job here; empty where there is none."""
    if not settings.JOB_MEMORY_MB:
        return ""
    return f"more than {settings.JOB_MEMORY_MB:,} MB of memory, the limit of one job here"


def _lift_limit() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _is_want_of_memory(error: BaseException) -> bool:
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return True
    return isinstance(error, MemoryError) or any(words in str(error) for words in REFUSED)
