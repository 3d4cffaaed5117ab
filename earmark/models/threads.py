"""Threads that networks compute with."""

import contextlib
import threading
from collections.abc import Iterator


class ThreadLimit:
    """How many threads networks may compute with; another thread may change it meanwhile."""

    def __init__(self, count: int) -> None:
        self.count = count


_here = threading.local()


@contextlib.contextmanager
def limited_to(limit: ThreadLimit) -> Iterator[None]:
    """Let networks that this thread runs compute with as many threads as a limit says."""
    _here.limit = limit
    try:
        yield
    finally:
        del _here.limit


def allowed_threads() -> int:
    """Threads that networks which this thread runs may compute with now."""
    import torch

    limit: ThreadLimit | None = getattr(_here, "limit", None)
    return torch.get_num_threads() if limit is None else max(1, limit.count)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let each operation that this thread runs be computed by it alone.

    Threads that share a product of few rows add up its terms in another order than one does, so
    that its last bits would depend on how many rows there are.
    """
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
