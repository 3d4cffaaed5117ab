"""A recording on its way in, be it in an archive or in a folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO

# What computers put beside the files of people.
_JUNK = (".DS_Store", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True)
class Recording:
    """A file that may be of a clip; ``names`` has what it may be called, the likeliest first.

    ``fault`` says why it is not to be opened.
    """

    names: tuple[str, ...]
    size: int
    open: Callable[[], IO[bytes]]
    fault: str | None = None

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.names[0]


def is_junk(name: str) -> bool:
    """Tell what no person meant to send."""
    path = PurePosixPath(name.replace("\\", "/"))
    return path.name.startswith("._") or path.name in _JUNK or "__MACOSX" in path.parts
