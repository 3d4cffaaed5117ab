"""Reading the files that commands are given, and telling their faults."""

from collections.abc import Iterable
from pathlib import Path

from django.core.management.base import CommandError, OutputWrapper

from scoring.captions import Fault


def file_read(path: Path) -> bytes:
    """Read a file whole, or raise ``CommandError``."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error


def faults_write(out: OutputWrapper, faults: Iterable[Fault]) -> None:
    """Write faults, one per line."""
    for fault in faults:
        out.write(f"{fault.severity}: {fault}")
