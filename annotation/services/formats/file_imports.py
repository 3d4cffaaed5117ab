"""Files with captions and labels: what would come in, bringing them in, and taking one back."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import IO, Any

from django.db import transaction
from django.db.models import Q

from annotation.formats.records import SkippedLine
from annotation.formats.table import TableColumns, column_names
from annotation.models import Assignment, Import, ImportState, Item, Member, Project
from annotation.selectors.imports import brought_by, import_undoing, sessions_to_go
from annotation.selectors.schemes import (
    InventoryChoice,
    LabelReading,
    UndecidedLabels,
    UnreadableLabels,
    label_equivalents,
    label_reading,
)
from annotation.services.formats.imports import (
    TABLES,
    ImportReport,
    ImportRules,
    ending_of,
    file_read,
    records_import,
)
from annotation.services.projects import ProjectAct
from earmark.captions.faults import cut
from leaderboard.models import User
from leaderboard.web.refusals import Refused

PIECE = 65_536
LONGEST_NAME = 255
# More keys than these, of those that look like labels and are not read, help nobody.
MOST_UNREAD = 20


@dataclass(frozen=True, slots=True)
class LabelFile:
    """A file that can be read several times, and its name."""

    file: IO[bytes]
    name: str


@dataclass(frozen=True, slots=True)
class FileChoice:
    """What was said of a file: what its labels become, whose its sessions are, its columns."""

    labels: InventoryChoice = field(default_factory=InventoryChoice)
    people: Mapping[str, User] = field(default_factory=dict)
    columns: TableColumns = field(default_factory=TableColumns)

    def to_json(self) -> dict[str, Any]:
        """The choice as ``Import.chosen`` stores it."""
        return {
            "map_from": self.labels.source,
            "table": dict(self.labels.table),
            "people": {session: user.pk for session, user in self.people.items()},
            "columns": asdict(self.columns),
        }


@dataclass(frozen=True, slots=True)
class FileSurvey:
    """What a file holds: records, those of them with labels, spans by label, its sha256.

    ``columns`` are the names in the header of a table. ``unread`` has, by key that is not read and
    looks like labels, its first line and how many records have it.
    """

    records: int
    labelled: int
    labels: Counter[str]
    sha256: str
    columns: Sequence[str] = ()
    unread: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would do. ``reading`` is None where it is refused, ``refusal`` says why.

    The report is then that of the file without the labels that the project lacks.
    """

    survey: FileSurvey
    report: ImportReport
    reading: LabelReading | None
    refusal: str = ""


def file_survey(file: LabelFile, choice: FileChoice) -> FileSurvey:
    """Count what a file holds, lines that cannot be read apart."""
    records = labelled = 0
    labels: Counter[str] = Counter()
    unread: dict[str, tuple[int, int]] = {}
    file.file.seek(0)
    sha256 = hashlib.sha256()
    while piece := file.file.read(PIECE):
        sha256.update(piece)
    file.file.seek(0)
    columns = column_names(file.file) if ending_of(file.name) in TABLES else []
    file.file.seek(0)
    for record in file_read(file.file, file.name, choice.columns):
        if not isinstance(record, SkippedLine):
            records += 1
            labelled += record.spans is not None
            labels.update(span["label"] for span in record.spans or ())
            for key in map(cut, record.unread):
                if key in unread or len(unread) < MOST_UNREAD:
                    first, count = unread.get(key, (record.line, 0))
                    unread[key] = (first, count + 1)
    file.file.seek(0)
    return FileSurvey(records, labelled, labels, sha256.hexdigest(), columns, unread)


@dataclass(frozen=True, slots=True)
class FileImport:
    """A file on its way into a project at a time, by what was said of it and what it holds."""

    project: Project
    file: LabelFile
    choice: FileChoice
    survey: FileSurvey
    now: datetime

    @classmethod
    def of(
        cls, project: Project, file: LabelFile, choice: FileChoice, now: datetime
    ) -> "FileImport":
        """Look through the file first."""
        return cls(project, file, choice, file_survey(file, choice), now)

    def preview(self) -> ImportPreview:
        """What it would do, from doing it and taking it back at once."""
        refusal, reading = "", None
        try:
            reading = self.reading()
        except UnreadableLabels as error:
            refusal = str(error)
        report = self._tried(reading or self._known_labels())
        return ImportPreview(self.survey, report, reading, refusal)

    def reading(self) -> LabelReading:
        """How the labels of the file come in; raises ``UnreadableLabels`` where that is unclear."""
        try:
            return label_reading(self.project, self.survey.labels, self.choice.labels)
        except UndecidedLabels:
            reading = self._known_labels()
            # A file that brings no new labels, as an export does that comes back, asks nothing.
            if self._tried(reading).annotations:
                raise
            return reading

    def carry_out(self, record: Import) -> ImportReport:
        """Bring the file in; ``record``, which lists it, goes where nothing came in.

        Raises ``UnreadableLabels`` where it is not clear what its labels are in the project.
        """
        reading = self.reading()
        record.sha256, record.inventory = self.survey.sha256, reading.inventory
        record.chosen = self.choice.to_json()
        record.mapping = reading.mapping_json()
        record.state, record.content = ImportState.DONE, b""
        record.save()
        report = self._brought(ImportRules(self.choice.people, reading, record))
        if report.captions or report.annotations:
            record.report = report_json(self.survey, report)
            record.copies, record.made = report.copies, report.made_users
            record.save()
        else:
            record.delete()
        return report

    def _known_labels(self) -> LabelReading:
        """A reading that leaves out what the project lacks, to see what else the file holds."""
        try:
            equivalents = label_equivalents(self.project.scheme, self.choice.labels)
        except UnreadableLabels:
            equivalents = {}
        lacking = set(self.survey.labels) - set(self.project.scheme.names)
        return LabelReading(mapping={label: equivalents.get(label, ()) for label in lacking})

    def _tried(self, reading: LabelReading) -> ImportReport:
        """What the import does, which is taken back before anybody sees it."""
        with transaction.atomic():
            # Labels may change until then; what the file has of those of before is left out.
            Project.objects.select_for_update().get(pk=self.project.pk)
            self.project.refresh_from_db(fields=["scheme"])
            report = self._brought(ImportRules(self.choice.people, reading))
            transaction.set_rollback(True)
        return report

    def _brought(self, rules: ImportRules) -> ImportReport:
        self.file.file.seek(0)
        records = file_read(self.file.file, self.file.name, self.choice.columns)
        report = records_import(project=self.project, records=records, now=self.now, rules=rules)
        report.labels, report.inventory = self.survey.labels, rules.reading.inventory
        report.unread = self.survey.unread
        return report


def file_import(
    *, project: Project, file: LabelFile, choice: FileChoice, actor: User | None, now: datetime
) -> ImportReport:
    """Bring a file in, and list it with the project's imports where it brought anything.

    Raises ``UnreadableLabels`` where it is not clear what its labels are in the project.
    """
    record = Import(project=project, file_name=file.name[-LONGEST_NAME:], by=actor, at=now)
    return FileImport.of(project, file, choice, now).carry_out(record)


_COUNTS = ("captions", "annotations", "unchanged", "to_settle", "left_out", "incomplete")


def report_json(survey: FileSurvey, report: ImportReport) -> dict[str, Any]:
    """A report as ``Import.report`` stores it, with what the file holds."""
    return {
        **{name: getattr(report, name) for name in _COUNTS},
        "records": survey.records,
        "labelled": survey.labelled,
        "labels": dict(survey.labels.most_common()),
        "columns": list(survey.columns),
        "left_out_labels": dict(report.left_out_labels.most_common()),
        "skipped": [asdict(row) for row in report.skipped],
        "unread": [
            {"key": key, "line": line, "records": records}
            for key, (line, records) in survey.unread.items()
        ],
        "bad_spans": [asdict(row) for row in report.bad_spans],
        "sessions": report.sessions,
    }


@transaction.atomic
def import_undo(*, record: Import, act: ProjectAct) -> dict[str, Any]:
    """Delete the captions and answers that a file brought, where nothing stands against it.

    Captions that were there before stay, with as many assignments as before. The import
    stays in the list as taken back.
    """
    # Answers, decisions and trainings begin under these locks.
    project = Project.objects.select_for_update().get(pk=record.project_id)
    locked = Import.objects.select_for_update(of=("self",)).get(pk=record.pk)
    items, brought = Item.with_removed.filter(imported_in=locked), brought_by(locked)
    touched = items | Item.with_removed.filter(annotations__in=brought)
    every = Item.with_removed.filter(pk__in=touched.values("pk"))
    list(every.select_for_update().order_by("pk"))
    undoing = import_undoing(locked)
    if undoing["reasons"]:
        raise Refused(
            f"The import cannot be taken back. {' '.join(undoing['reasons'])}", status=422
        )
    users = list(sessions_to_go(locked).values_list("user", flat=True))
    _assignments_free(locked)
    brought.delete()
    items.delete()
    Member.objects.filter(project=project, user__in=users).delete()
    # Their other projects, if a file of those named them too, keep them.
    User.objects.filter(pk__in=users, labelling_projects=None).delete()
    locked.state, locked.undone_by, locked.undone_at = ImportState.UNDONE, act.actor, act.now
    locked.save(update_fields=["state", "undone_by", "undone_at"])
    act.note(
        "import-undo",
        project,
        file=locked.file_name,
        captions=undoing["captions"],
        annotations=undoing["annotations"],
    )
    return undoing


def _assignments_free(record: Import) -> None:
    """Give captions that stay the assignments back that answers of the file took."""
    stored: dict[str, Any] = record.copies
    grown = {int(item): int(more) for item, more in stored.items()}
    taken: dict[int, list[Assignment]] = defaultdict(list)
    # Those of answers that were asked for again are free by now.
    free_already = Q(item__in=grown, user=None, done=False)
    rows = Assignment.with_removed.filter(
        Q(annotation__imported_in=record) | free_already, test=False
    )
    for row in rows.exclude(item__imported_in=record).order_by("item", "-number"):
        taken[row.item_id].append(row)
    surplus = [row.pk for item, rows in taken.items() for row in rows[: grown.get(item, 0)]]
    free = [row.pk for item, rows in taken.items() for row in rows[grown.get(item, 0) :]]
    Assignment.with_removed.filter(pk__in=surplus).delete()
    Assignment.with_removed.filter(pk__in=free).update(user=None, done=False, expires_at=None)
    items = Item.with_removed.in_bulk(grown)
    for pk, item in items.items():
        item.copies = max(1, item.copies - min(grown[pk], len(taken[pk])))
    Item.with_removed.bulk_update(items.values(), ["copies"], batch_size=200)
