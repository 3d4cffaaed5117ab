"""Devices, processors and memory of a run, and the calls by which its progress is reported."""

import contextlib
import ctypes
import os
from collections.abc import Callable
from typing import Literal

from scoring.errors import ResourceMissing

Device = Literal["auto", "cpu", "cuda"]
# Done and total, in the caller's units.
Heartbeat = Callable[[int, int], None]
# The family, clips done and clips in all.
Progress = Callable[[str, int, int], None]

# glibc's malloc.h: how many pools of memory threads use, by default eight for each processor.
_M_ARENA_MAX, _POOLS = -8, 2


def compute_device(device: Device) -> Literal["cpu", "cuda"]:
    """Device on which networks run; raises ``ResourceMissing`` where CUDA is not available."""
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise ResourceMissing(
            "There is no CUDA device on this machine. Use the device auto or cpu."
        )
    return device


def usable_processors() -> int:
    """Processors that this process may use: as ``OMP_NUM_THREADS`` says, else all that it has."""
    limit = os.environ.get("OMP_NUM_THREADS", "")
    if limit.isdecimal() and int(limit):
        return int(limit)
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def share_memory_pools() -> None:
    """Let threads of this process take memory from two pools, where the C library has more.

    What a thread has freed stays in its pool: 250 MB after all metrics with nothing prepared.
    """
    with contextlib.suppress(OSError, AttributeError, TypeError):  # other systems have no such call
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _POOLS)
