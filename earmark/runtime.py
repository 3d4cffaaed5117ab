"""Devices, processors and memory of a run, and the calls by which its progress is reported."""

import contextlib
import ctypes
import os
import re
from collections.abc import Callable

from earmark.errors import ResourceMissing, UnusableInput

# "auto", "cpu", "cuda" or one of several cards such as "cuda:1", "mps" on a Mac.
Device = str
_DEVICE = re.compile(r"auto|cpu|cuda(:[0-9]+)?|mps")
# Done and total, in the caller's units.
Heartbeat = Callable[[int, int], None]
# The family, clips done and clips in all.
Progress = Callable[[str, int, int], None]

# glibc's malloc.h: how many pools of memory threads use, by default eight for each processor.
_M_ARENA_MAX, _POOLS = -8, 2


class UnknownDevice(UnusableInput):
    """A device that models cannot be told to run on."""

    def __init__(self, device: object) -> None:
        super().__init__(
            f"There is no device {device!r}. Choose from: auto, cpu, cuda, cuda:1 and so on, mps."
        )


def device_name(device: object) -> Device:
    """Name of a device that is given by name or as a torch.device; raises ``UnknownDevice``."""
    name = str(device)
    if not _DEVICE.fullmatch(name):
        raise UnknownDevice(device)
    return name


def compute_device(device: Device) -> str:
    """Device on which networks run; raises ``ResourceMissing`` where it is not available."""
    import torch

    cards = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device == "auto":
        return "cuda" if cards else "cpu"
    kind, _, number = device_name(device).partition(":")
    found = {"cpu": 1, "cuda": cards, "mps": int(torch.backends.mps.is_available())}[kind]
    if int(number or 0) >= found:
        raise ResourceMissing(
            f"There is no device {device} on this machine. Use the device auto or cpu."
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
    _ask_c_library("mallopt", _M_ARENA_MAX, _POOLS)


def give_memory_back() -> None:
    """Give what is free in this process's pools back to the system, wherever in them it lies."""
    _ask_c_library("malloc_trim", 0)


def _ask_c_library(function: str, *arguments: int) -> None:
    with contextlib.suppress(OSError, AttributeError, TypeError):  # other systems have no such call
        getattr(ctypes.CDLL(None), function)(*arguments)
