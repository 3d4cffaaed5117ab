"""Notes about a metadata file: what was bent, where, and what it was read as."""

from scoring.captions import Fault
from scoring.captions.faults import counted

MAX_NOTES = 100


class Notes:
    """The warnings met while metadata is read; ``file`` is its name."""

    def __init__(self, file: str | None = None) -> None:
        self.file = file
        self._faults: list[Fault] = []
        self._left_out = 0

    def warn(self, line: int | None, path: str, value: str, message: str) -> None:
        """Note something that was read otherwise than it was written."""
        if len(self._faults) >= MAX_NOTES:
            self._left_out += 1
            return
        self._faults.append(Fault(line, path or None, value, message, "warning", self.file))

    def said(self, line: int | None, path: str, value: str, said: str) -> None:
        """Note what a reader of single values said, as a sentence."""
        if said:
            self.warn(line, path, value, f"{said[0].upper()}{said[1:]}.")

    def extend(self, others: "Notes") -> None:
        """Take over the notes of an attempt that was successful."""
        for fault in others.faults:
            self.warn(fault.line, fault.column or "", fault.value, fault.message)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every warning, by line."""
        found = sorted(self._faults, key=lambda fault: (fault.line is None, fault.line or 0))
        if self._left_out:
            message = f"{counted(self._left_out, 'further warning')} not listed."
            found.append(Fault(None, None, "", message, "warning", self.file))
        return tuple(found)


def dotted(path: tuple[str, ...]) -> str:
    """Write a path as people do: system.description.optimizer."""
    return ".".join(path)
