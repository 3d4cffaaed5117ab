"""Threads that networks compute with."""

import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def network_threads(count: int) -> Iterator[None]:
    """Let each operation of networks in this thread use so many threads while the block runs."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(max(1, count))
    try:
        yield
    finally:
        torch.set_num_threads(before)
