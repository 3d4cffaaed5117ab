"""Reading an upload: a file of captions, or a DCASE package with everything in it."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from earmark.captions import Candidates, Fault, Limits, ReadResult, References, read_candidates
from earmark.captions.faults import in_quotes
from earmark.packages.archive import (
    LABEL,
    YAMLS,
    Archive,
    ArchiveEntry,
    PackageRefused,
    SystemFiles,
    best_captions,
    is_zip,
    systems_in,
)
from earmark.packages.metadata import Metadata
from earmark.packages.metadata_files import MAX_BYTES as MAX_METADATA_BYTES
from earmark.packages.metadata_files import metadata_read

MAX_LISTED = 20
_ZIPS = {".zip", ".tar", ".gz", ".tgz", ".7z", ".rar"}


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was uploaded."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Package:
    """The content of an upload; ``captions`` is None where it is not clear which file they are.

    ``system`` is the label of the chosen system, empty where none is known; ``systems``
    are all those in the package, to choose from.
    """

    captions: File | None
    metadata: Metadata | None = None
    report: File | None = None
    system: str = ""
    systems: tuple[str, ...] = ()
    unpacked: bool = False
    faults: tuple[Fault, ...] = ()

    @property
    def errors(self) -> tuple[Fault, ...]:
        """The faults for which the package is refused."""
        return tuple(fault for fault in self.faults if fault.severity == "error")

    @property
    def label(self) -> str:
        """The label that the metadata give, else the one of the package's files."""
        label = self.metadata.submission.label if self.metadata else None
        return label or (self.system if LABEL.fullmatch(self.system) else "")


def package_read(
    file: File,
    *,
    metadata: File | None = None,
    report: File | None = None,
    system: str = "",
    max_bytes: int = 5_000_000,
) -> Package:
    """Read a package, or a file of captions, with the files sent along.

    ``system`` says which one of several to take: its label, or the last number of it, or
    the name of its file. Files sent along take precedence over those in the package. Of captions
    and report up to ``max_bytes`` each are read. No content makes this raise.
    """
    return _PackageReader(max_bytes).read(file, metadata, report, system)


@dataclass
class _PackageReader:
    max_bytes: int
    faults: list[Fault] = field(default_factory=list)

    def read(self, file: File, metadata: File | None, report: File | None, system: str) -> Package:
        unpacked = is_zip(file.data)
        package = self._unpack(file, system, metadata, report) if unpacked else self._plain(file)
        described = package.metadata if metadata is None else self._metadata(metadata)
        printed = package.report if report is None else self._report(report)
        label, named = described.submission.label if described else None, package.system
        if label and LABEL.fullmatch(named) and label.casefold() != named.casefold():
            message = f"The files are named {named}; the label in the metadata was used."
            self.faults.append(Fault(None, "submission.label", label, message, "warning"))
        return replace(
            package,
            metadata=described,
            report=printed,
            unpacked=unpacked,
            faults=tuple(self.faults),
        )

    def _plain(self, file: File) -> Package:
        """A file as the captions, unless it is clearly something else."""
        suffix = PurePath(file.name).suffix.lower()
        if suffix in YAMLS:
            self._error(file.name, "This is a metadata file. Add the captions.")
            return Package(None)
        if file.data.startswith(b"%PDF-"):
            self._error(file.name, "This is a PDF document. Choose the file of captions.")
            return Package(None)
        if suffix in _ZIPS and file.data:
            self._error(file.name, "This is not a zip archive. Make one, or upload the CSV alone.")
            return Package(None)
        label = LABEL.search(file.name)
        return Package(file, system=label.group() if label else "")

    def _unpack(
        self, file: File, wanted: str, metadata: File | None, report: File | None
    ) -> Package:
        try:
            archive = Archive(file.data)
        except PackageRefused as error:
            self._error(file.name, str(error))
            return Package(None)
        if any(entry.path.startswith("xl/") for entry in archive.entries):
            self._error(file.name, 'This is an Excel workbook. Save it as "CSV UTF-8" instead.')
            return Package(None)
        for path, why in archive.skipped[:MAX_LISTED]:
            self._warn(file.name, f"{in_quotes(path)} was left out: {why}.")
        systems = systems_in(archive.entries)
        labels = tuple(system.key for system in systems)
        chosen = self._choose(file.name, archive, systems, wanted)
        if chosen is None:
            return Package(None, systems=labels)
        captions = self._captions(archive, chosen, wanted)
        described = printed = None
        if metadata is None:
            part = self._read_only(archive, chosen.metadata, "metadata", MAX_METADATA_BYTES)
            described = None if part is None else self._metadata(part)
        elif chosen.metadata:
            self._warn(metadata.name, "Was used instead of the metadata in the package.")
        if report is None:
            named = [entry for entry in chosen.reports if "report" in entry.stem.lower()]
            part = self._read_only(archive, named or chosen.reports, "report", self.max_bytes)
            printed = None if part is None else self._report(part)
        return Package(captions, described, printed, chosen.key, labels)

    def _choose(
        self, name: str, archive: Archive, systems: list[SystemFiles], wanted: str
    ) -> SystemFiles | None:
        if not systems:
            self._error(name, _nothing(archive.entries))
            return None
        if not wanted.strip():
            if len(systems) == 1:
                return systems[0]
            self._error(
                name,
                f"The package contains {len(systems)} systems: {_listed(s.key for s in systems)}."
                " Choose the one to submit; each system is submitted separately.",
            )
            return None
        fitting = [system for system in systems if _is_wanted(system, wanted.strip())]
        if len(fitting) == 1:
            return fitting[0]
        what = "is not one of" if not fitting else "matches several of"
        self._error(
            name, f"{in_quotes(wanted)} {what} the systems: {_listed(s.key for s in systems)}."
        )
        return None

    def _captions(self, archive: Archive, system: SystemFiles, wanted: str) -> File | None:
        choice = [entry for entry in system.captions if _names(entry, wanted.strip())]
        if len(choice) != 1:
            choice = best_captions(system)
        if len(choice) > 1:
            names = _listed(entry.path for entry in choice)
            self._error(
                system.key,
                f"There are {len(choice)} files of captions: {names}. Keep only one in the "
                "package, or give the name of the right file as the system.",
            )
            return None
        others = [entry for entry in system.captions if entry is not choice[0]]
        if others:
            names = _listed(entry.path for entry in others)
            self._warn(choice[0].name, f"Read as the captions; not read: {names}.")
        return self._read(archive, choice[0], self.max_bytes)

    def _read_only(
        self, archive: Archive, entries: list[ArchiveEntry], what: str, limit: int
    ) -> File | None:
        """Read the only one of ``entries``; several are an error."""
        if len(entries) > 1:
            names = _listed(entry.path for entry in entries)
            self._error(
                entries[0].name,
                f"There are {len(entries)} files for the {what}: {names}. Keep only one.",
            )
            return None
        return self._read(archive, entries[0], limit) if entries else None

    def _read(self, archive: Archive, entry: ArchiveEntry, limit: int) -> File | None:
        try:
            return File(entry.name, archive.read(entry, limit))
        except PackageRefused as error:
            self._error(entry.path, str(error))
            return None

    def _metadata(self, file: File) -> Metadata | None:
        reading = metadata_read(file.data, file=file.name)
        self.faults += reading.faults
        return reading.value

    def _report(self, file: File) -> File | None:
        if len(file.data) > self.max_bytes:
            self._error(file.name, f"The report has more than {self.max_bytes:,} bytes.")
            return None
        # PDF readers ignore up to 1,024 bytes before the mark.
        if b"%PDF-" not in file.data[:1024]:
            self._error(file.name, "The report is not a PDF document. Save it as PDF.")
            return None
        return file

    def _error(self, file: str, message: str) -> None:
        self.faults.append(Fault(None, None, "", message, file=file))

    def _warn(self, file: str, message: str) -> None:
        self.faults.append(Fault(None, None, "", message, "warning", file))


def _is_wanted(system: SystemFiles, wanted: str) -> bool:
    if system.key.casefold() == wanted.casefold():
        return True
    if wanted.isdecimal():
        return system.key.rpartition("_")[2] == wanted
    return any(_names(entry, wanted) for entry in system.captions)


def _names(entry: ArchiveEntry, wanted: str) -> bool:
    return wanted.casefold() in {entry.path.casefold(), entry.name.casefold()}


def _nothing(entries: list[ArchiveEntry]) -> str:
    if any(entry.suffix in _ZIPS for entry in entries):
        return "The captions are in an archive inside this archive. Unpack that one first."
    if not entries:
        return "The archive is empty. Put the file of captions into it."
    if any(entry.suffix in {".xlsx", ".xls", ".ods"} for entry in entries):
        return "The archive contains a spreadsheet but no CSV. Save the captions as CSV."
    names = _listed(entry.path for entry in entries)
    return f"The archive contains no file of captions (.csv). It contains {names}."


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    shown = ", ".join(in_quotes(name) for name in listed[:MAX_LISTED])
    more = len(listed) - MAX_LISTED
    return f"{shown} and {more:,} more" if more > 0 else shown


def captions_read(
    data: bytes, file_name: str, references: References, *, max_bytes: int
) -> ReadResult[Candidates]:
    """Read a file of captions of at most ``max_bytes``.

    A file with far more rows than clips is the wrong file (those with a row per reference
    have about five); listing each of its rows as a fault would help nobody and take long.
    """
    limits = Limits(max_bytes=max_bytes, max_rows=10 * len(references) + 1_000)
    return read_candidates(data, references, file_name=file_name, limits=limits)


def package_against(
    package: Package, references: References, *, max_bytes: int
) -> ReadResult[Candidates]:
    """Read the captions of a package; the faults are those of all its files.

    Only the names of the clips are used of the references.
    """
    captions = package.captions
    if captions is None:
        return ReadResult(None, package.faults)
    reading = captions_read(captions.data, captions.name, references, max_bytes=max_bytes)
    among = package.unpacked or package.metadata is not None or package.report is not None
    faults = [replace(fault, file=captions.name) if among else fault for fault in reading.faults]
    return ReadResult(None if package.errors else reading.value, (*faults, *package.faults))
