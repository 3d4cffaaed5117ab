"""Reading what was handed in and checking it against the clips of a phase."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError

from leaderboard.forms.names import RowNameField
from leaderboard.packages.against import captions_read, package_against
from leaderboard.packages.merging import merged
from leaderboard.packages.metadata import Metadata
from leaderboard.packages.reading import File, Package, Sizes, package_read
from scoring.captions import Candidates, Fault, Reading, References

MAX_NAME = 80


class SubmissionRefused(Exception):
    """A submission that could not be taken; its text says why."""


class FileRejected(SubmissionRefused):
    """The file has faults; ``faults`` lists all of them, warnings included.

    ``package`` is what was found all the same.
    """

    def __init__(self, faults: Sequence[Fault], package: Package | None = None) -> None:
        errors = sum(fault.severity == "error" for fault in faults)
        what = "1 fault" if errors == 1 else f"{errors} faults"
        super().__init__(f"The file has {what}. Nothing was submitted and no quota was spent.")
        self.faults = tuple(faults)
        self.package = package


@dataclass(frozen=True, slots=True)
class SystemDescription:
    """What a team says about its system beside the files; it stands before what they say.

    ``metadata`` uses DCASE's field names, nested or flat; an empty name is taken
    from the metadata file.
    """

    name: str = ""
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came."""

    data: bytes
    file_name: str


@dataclass(frozen=True, slots=True)
class Beside:
    """What came beside the captions or the package.

    ``system`` says which one of several; ``key`` is the client's, by which an upload
    that is tried again is known.
    """

    metadata: Upload | None = None
    report: Upload | None = None
    system: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A package whose captions were found good."""

    package: Package
    captions: Upload
    warnings: tuple[Fault, ...]


def package_open(*, upload: Upload, beside: Beside) -> Package:
    """Find out what was handed in: captions alone, or a package; never raises."""
    limit = settings.MAX_UPLOAD_BYTES
    return package_read(
        _file(upload),
        metadata=_file(beside.metadata) if beside.metadata else None,
        report=_file(beside.report) if beside.report else None,
        system=beside.system,
        sizes=Sizes(captions=limit, report=limit),
    )


def candidates_read(*, references: References, upload: Upload) -> Reading[Candidates]:
    """Read a file of candidates as this installation takes them."""
    return captions_read(
        upload.data, upload.file_name, references, max_bytes=settings.MAX_UPLOAD_BYTES
    )


def package_check(*, references: References, package: Package) -> Checked:
    """Check all that was handed in, or raise ``FileRejected`` with all that is wrong."""
    captions = package.captions
    reading = package_against(package, references, max_bytes=settings.MAX_UPLOAD_BYTES)
    if captions is None or reading.value is None:
        raise FileRejected(reading.faults, package)
    return Checked(package, Upload(captions.data, captions.name), reading.faults)


def described(system: SystemDescription, package: Package) -> SystemDescription:
    """Complete what was typed by what the metadata file says.

    Raises ``FileRejected`` where nothing names the system.
    """
    metadata = merged(package.metadata, system.metadata)
    name = system.name or suggested_name(package)
    if not name:
        fault = Fault(
            None, "system_name", "", "The system has no name. Type one, or name it in the metadata."
        )
        raise FileRejected([fault], package)
    return SystemDescription(name, system.description, metadata.to_dict())


def label_of(system: SystemDescription, package: Package) -> str:
    """Give a system's label: of the metadata that are kept, else of the package's files."""
    about = system.metadata.get("submission")
    said = about.get("label") if isinstance(about, dict) else None
    return str(said or package.label)


def suggested_name(package: Package) -> str:
    """Give the name that the metadata give to a system, else its label, as pages take names."""
    about = (package.metadata or Metadata()).submission
    for name in (about.name, package.label):
        try:
            return str(RowNameField(max_length=MAX_NAME).clean(name or ""))
        except ValidationError:
            continue
    return ""


def _file(upload: Upload) -> File:
    return File(upload.file_name, upload.data)
