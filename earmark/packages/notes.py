"""Notes about a metadata file: what deviates, where, and what it was read as."""

from earmark.captions import Fault
from earmark.captions.faults import count_of

MAX_NOTES = 100


class MetadataNotes:
    """The warnings met while metadata is read; ``file`` is its name."""

    def __init__(self, file: str | None = None) -> None:
        self.file = file
        self._faults: list[Fault] = []
        self._left_out = 0

    def warn(self, line: int | None, path: str, value: str, message: str) -> None:
        """Note something that was read differently from how it was written."""
        if len(self._faults) >= MAX_NOTES:
            self._left_out += 1
            return
        self._faults.append(Fault(line, path or None, value, message, "warning", self.file))

    def warn_about(self, line: int | None, path: str, value: str, note: str) -> None:
        """Note how a single value was read, as a sentence; nothing where ``note`` is empty."""
        if note:
            self.warn(line, path, value, f"{note[0].upper()}{note[1:]}.")

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every warning, by line."""
        faults = sorted(self._faults, key=lambda fault: (fault.line is None, fault.line or 0))
        if self._left_out:
            message = f"{count_of(self._left_out, 'further warning')} not listed."
            faults.append(Fault(None, None, "", message, "warning", self.file))
        return tuple(faults)


def dotted(path: tuple[str, ...]) -> str:
    """A path as people write it: system.description.optimizer."""
    return ".".join(path)
