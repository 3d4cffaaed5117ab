"""What a page says about an uploaded file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leaderboard.packages.metadata_fields import CHARACTERISTICS, characteristics_of
from leaderboard.packages.reading import Package
from leaderboard.services.submissions.packages import suggested_name
from scoring.captions import Fault

SHOWN = 500


@dataclass(frozen=True, slots=True)
class ReadField:
    """A value read from the metadata, and the field of the form that it may fill."""

    label: str
    shown: str
    field: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class FileReport:
    """Every fault of a file, errors and warnings apart; ``clips`` is how many it must name."""

    file_name: str
    clips: int
    faults: Sequence[Fault]
    package: Package | None = None

    @property
    def errors(self) -> list[Fault]:
        """The faults that stop the file."""
        return [fault for fault in self.faults if fault.severity == "error"]

    @property
    def warnings(self) -> list[Fault]:
        """The faults that do not."""
        return [fault for fault in self.faults if fault.severity == "warning"]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of a package, where there are several to choose from."""
        systems = self.package.systems if self.package else ()
        return systems if len(systems) > 1 else ()

    @property
    def names_system(self) -> bool:
        """Whether the system has a name in what was handed in, so that nobody need type one."""
        return self.package is not None and bool(suggested_name(self.package))

    @property
    def undecided(self) -> bool:
        """Whether nothing is wrong but that one of several systems is still to be chosen."""
        chosen = self.package is not None and self.package.system
        return bool(self.systems) and not chosen and len(self.errors) == 1

    @property
    def read(self) -> tuple[ReadField, ...]:
        """What was read from the metadata and the names of files."""
        return tuple(_read(self.package)) if self.package else ()

    @property
    def several_files(self) -> bool:
        """Whether faults must say of which file they are."""
        return any(fault.file for fault in self.faults)

    @property
    def shown_errors(self) -> list[Fault]:
        """The errors that the page lists; a table of thousands helps nobody."""
        return self.errors[:SHOWN]

    @property
    def shown_warnings(self) -> list[Fault]:
        """The warnings that the page lists."""
        return self.warnings[:SHOWN]


def _read(package: Package) -> Iterator[ReadField]:
    if package.label:
        yield ReadField("Label", package.label)
    if package.metadata is not None:
        if name := suggested_name(package):
            yield ReadField("System name", name, "system_name", name)
        characteristics = characteristics_of(package.metadata.to_dict())
        values = {
            "audio_modelling": characteristics.encoder,
            "word_modelling": characteristics.decoder,
            "total_parameters": characteristics.parameters,
            "external_datasets": ", ".join(characteristics.external_data),
            "source_code": characteristics.source_code,
        }
        for field, label in CHARACTERISTICS.items():
            if (value := values[field]) not in (None, ""):
                shown = f"{value:,}" if isinstance(value, int) else str(value)
                yield ReadField(label, shown, field, str(value))
        if authors := package.metadata.submission.authors:
            yield ReadField("Authors", str(len(authors)))
    if package.report is not None:
        yield ReadField("Technical report", package.report.name)
