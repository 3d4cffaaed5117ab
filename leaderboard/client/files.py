"""Files to hand in, and checking them as the server does."""

from dataclasses import dataclass
from pathlib import Path

from leaderboard.client.ending import Misused, Refused
from leaderboard.client.server import Server
from leaderboard.packages.against import package_against
from leaderboard.packages.reading import File, Package, Sizes, package_read
from scoring.captions import Fault, References


@dataclass(frozen=True, slots=True)
class Chosen:
    """The files that a command names, and which system of a package is meant."""

    file: File
    metadata: File | None
    report: File | None
    system: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found."""

    package: Package
    clips: int
    faults: tuple[Fault, ...]

    @property
    def good(self) -> bool:
        """Whether it would be taken."""
        return not any(fault.severity == "error" for fault in self.faults)


def chosen(file: Path, metadata: Path | None, report: Path | None, system: str) -> Chosen:
    """Read the files of a command; raises ``Misused`` where one cannot be read."""
    return Chosen(
        _read(file),
        _read(metadata) if metadata else None,
        _read(report) if report else None,
        system,
    )


def check(server: Server, phase: str, files: Chosen) -> Report:
    """Check files against the clips of a phase, here, with the reader that the server uses."""
    asked = server.get(f"/phases/{phase}/clips")
    try:
        names, limit = [str(name) for name in asked["file_names"]], int(asked["max_bytes"])
    except (KeyError, TypeError, ValueError) as error:
        raise Refused("The server does not say which clips the phase has.") from error
    if len(files.file.data) > limit:
        raise Refused(f"{files.file.name} is larger than the limit of {limit / 1e6:g} MB.")
    package = package_read(
        files.file,
        metadata=files.metadata,
        report=files.report,
        system=files.system,
        sizes=Sizes(limit, limit),
    )
    references = References.build((name, ("",)) for name in names)
    reading = package_against(package, references, max_bytes=limit)
    return Report(package, len(names), reading.faults)


def _read(path: Path) -> File:
    try:
        return File(path.name, path.read_bytes())
    except OSError as error:
        raise Misused(f"{path} cannot be read: {error.strerror}.") from error
