"""What became of an archive of recordings."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that was not taken, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class AudioReport:
    """Which clips have their recording now, and what was left.

    ``missing`` are clips of the references that still have none; ``unknown`` are
    files for which the references have no clip.
    """

    matched: int
    size: int
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    refused: tuple[Refusal, ...]
