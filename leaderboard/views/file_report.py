"""What a page says about an uploaded file."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.captions import Fault

SHOWN = 500


@dataclass(frozen=True, slots=True)
class FileReport:
    """Every fault of a file, errors and warnings apart; ``clips`` is how many it must name."""

    file_name: str
    clips: int
    errors: tuple[Fault, ...]
    warnings: tuple[Fault, ...]

    @classmethod
    def of(cls, *, file_name: str, clips: int, faults: Sequence[Fault]) -> "FileReport":
        """Sort the faults of a file into those that stop it and those that do not."""
        return cls(
            file_name,
            clips,
            tuple(fault for fault in faults if fault.severity == "error"),
            tuple(fault for fault in faults if fault.severity == "warning"),
        )

    @property
    def shown_errors(self) -> tuple[Fault, ...]:
        """The errors that the page lists; a table of thousands helps nobody."""
        return self.errors[:SHOWN]

    @property
    def shown_warnings(self) -> tuple[Fault, ...]:
        """The warnings that the page lists."""
        return self.warnings[:SHOWN]
