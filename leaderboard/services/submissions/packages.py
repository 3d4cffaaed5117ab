"""Reading an upload and checking it against the clips of a phase."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError

from leaderboard.packages.metadata import Metadata
from leaderboard.packages.metadata_files import metadata_merged
from leaderboard.packages.reading import (
    File,
    Package,
    Sizes,
    package_against,
    package_read,
)
from leaderboard.web.public_names import RowNameField
from leaderboard.web.refusals import Refused
from scoring.captions import Fault, References
from scoring.captions.faults import count_of

MAX_NAME = 80


class FileRejected(Refused):
    """The file has faults, warnings included; ``package`` is what could be read all the same."""

    def __init__(self, faults: Sequence[Fault], package: Package | None = None) -> None:
        errors = sum(fault.severity == "error" for fault in faults)
        super().__init__(
            f"The file has {count_of(errors, 'error')}. Nothing was submitted and no quota was "
            "used.",
            status=422,
            faults=faults,
        )
        self.package = package


@dataclass(frozen=True, slots=True)
class SystemDescription:
    """A team's own description of its system, which takes precedence over that in the files.

    ``metadata`` uses DCASE's field names, nested or flat; an empty name is taken
    from the metadata file.
    """

    name: str = ""
    description: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was uploaded."""

    data: bytes
    file_name: str


@dataclass(frozen=True, slots=True)
class AttachedFiles:
    """What was sent with the captions or the package.

    ``system`` names the one that is meant of several; by ``key``, which the client chose, a
    repeated upload is recognised.
    """

    metadata: Upload | None = None
    report: Upload | None = None
    system: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class CheckedPackage:
    """A package whose captions have no errors."""

    package: Package
    captions: Upload
    warnings: tuple[Fault, ...]


def package_from_upload(*, upload: Upload, attached: AttachedFiles) -> Package:
    """The uploaded package, or captions alone; never raises."""
    limit = settings.MAX_UPLOAD_BYTES
    return package_read(
        _file(upload),
        metadata=_file(attached.metadata) if attached.metadata else None,
        report=_file(attached.report) if attached.report else None,
        system=attached.system,
        sizes=Sizes(captions=limit, report=limit),
    )


def package_check(*, references: References, package: Package) -> CheckedPackage:
    """Check an upload; raises ``FileRejected`` with all that is wrong."""
    captions = package.captions
    reading = package_against(package, references, max_bytes=settings.MAX_UPLOAD_BYTES)
    if captions is None or reading.value is None:
        raise FileRejected(reading.faults, package)
    return CheckedPackage(package, Upload(captions.data, captions.name), reading.faults)


def description_completed(system: SystemDescription, package: Package) -> SystemDescription:
    """A description as typed, completed by the metadata file.

    Raises ``FileRejected`` where nothing names the system.
    """
    metadata = metadata_merged(package.metadata, system.metadata)
    name = system.name or suggested_name(package)
    if not name:
        fault = Fault(
            None, "system_name", "", "The system has no name. Enter one, or add it to the metadata."
        )
        raise FileRejected([fault], package)
    return SystemDescription(name, system.description, metadata.to_dict())


def label_of(system: SystemDescription, package: Package) -> str:
    """Label of a system: from the stored metadata, else from the package's files."""
    about = system.metadata.get("submission")
    label = about.get("label") if isinstance(about, dict) else None
    return str(label or package.label)


def suggested_name(package: Package) -> str:
    """The system's name in the metadata, else its label, in the form that pages accept."""
    about = (package.metadata or Metadata()).submission
    for name in (about.name, package.label):
        try:
            return str(RowNameField(max_length=MAX_NAME).clean(name or ""))
        except ValidationError:
            continue
    return ""


def _file(upload: Upload) -> File:
    return File(upload.file_name, upload.data)
