"""How a run is told of, and where its networks run."""

from collections.abc import Callable
from typing import Literal

from scoring.errors import ResourceMissing

Device = Literal["auto", "cpu", "cuda"]
# Done and total, in units of whoever tells.
Heartbeat = Callable[[int, int], None]
# The family, clips done and clips in all.
Progress = Callable[[str, int, int], None]


def placed(device: Device) -> Literal["cpu", "cuda"]:
    """Say where a network runs; raises ``ResourceMissing`` where CUDA is asked for in vain."""
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise ResourceMissing(
            "There is no CUDA device on this machine. Use the device auto or cpu."
        )
    return device
