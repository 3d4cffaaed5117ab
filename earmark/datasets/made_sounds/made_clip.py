"""A made clip and the events that sound in it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Attribute = str | int | float
Waveform = NDArray[np.float64]

# How the events of a clip lie to each other.
ALONE, AT_ONCE, IN_ORDER = "alone", "at once", "in order"


@dataclass(frozen=True, slots=True)
class MadeEvent:
    """Something that sounds from ``start`` to ``end`` (seconds), with what is known of it.

    All have ``level`` ("quiet", "normal", "loud") and ``distance`` ("near", "far"). What is
    struck or called has ``times`` and, if more than once, ``interval`` (seconds between two
    beginnings); ``frequency`` (Hz) and ``pitch`` ("low", "middle", "high") go together.
    """

    kind: str
    attributes: Mapping[str, Attribute]
    start: float
    end: float

    def text(self, name: str) -> str:
        """An attribute in words; empty if the event has none of the name."""
        return str(self.attributes.get(name, ""))

    def number(self, name: str) -> float:
        """An attribute in numbers; 0 if the event has none of the name."""
        return float(self.attributes.get(name, 0))

    @property
    def seconds(self) -> float:
        """How long it sounds."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Scene:
    """What sounds in a clip of so many seconds, how the events lie to each other, and where."""

    arrangement: str
    place: str
    seconds: float
    events: tuple[MadeEvent, ...]


@dataclass(frozen=True, slots=True)
class MadeClip:
    """A clip with float32 samples from -1 to 1, five captions, and its events as they start."""

    file_name: str
    samples: NDArray[np.float32]
    rate: int
    captions: tuple[str, ...]
    content: tuple[MadeEvent, ...]
    arrangement: str
    place: str

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples) / self.rate
