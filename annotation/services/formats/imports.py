"""Bringing captions and labels in from files, any number of times with the same result."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import PurePath
from typing import IO, Any

from django.db import transaction

from annotation.batches import AT_ONCE
from annotation.formats import docbin, plain_text, prodigy, table
from annotation.formats.offsets import fitting_spans
from annotation.formats.records import Record, RecordFault, SkippedLine
from annotation.formats.table import BY_HEADER, TableColumns
from annotation.models import INCOMPLETE, Annotation, Import, Item, Project, Revision
from annotation.selectors.schemes import LabelReading, UnreadableLabels
from annotation.services.answers import LONGEST_COMMENT, revision_of
from annotation.services.people import SessionPeople
from annotation.services.projects import Task, items_add
from annotation.services.schemes import relabelled_spans
from annotation.services.tasks import assignments_for_imported
from annotation.spans import still_taken
from leaderboard.models import User

TABLES = frozenset({".csv", ".tsv"})
# More of them help nobody; the report counts the others.
MOST_TOLD = 500
# Under this name exports have what is settled.
GOLD = "gold"


@dataclass(frozen=True, slots=True)
class ImportRules:
    """How a file is read: whose sessions are whose, and what its labels become.

    ``record`` is the import as the project lists it, where it does.
    """

    people: Mapping[str, User] = field(default_factory=dict)
    reading: LabelReading = field(default_factory=LabelReading)
    record: Import | None = None


@dataclass(slots=True)
class ImportReport:
    """What an import did.

    ``unchanged`` are records that were there already; ``to_settle`` annotations
    in which a label has several equivalents; ``people`` the members that were
    made; ``skipped`` the first records that were left out, of ``left_out``; ``bad_spans``
    the first spans that were, of annotations of which the others came in: ``incomplete`` ones.
    ``labels`` counts the spans of the file by label, and ``inventory`` is theirs where it
    is not the project's. ``left_out_labels`` counts, by label, spans that did not come in
    with their annotations.
    ``unread`` has, by key that looks like labels, its first line and count (``FileSurvey``).
    ``sessions`` says how many ``annotations`` of each came in, under which ``name``, and whether
    that member was ``made`` with the import.
    ``copies`` has, by item, to how many more people the file brought a caption.
    """

    captions: int = 0
    annotations: int = 0
    unchanged: int = 0
    to_settle: int = 0
    left_out: int = 0
    incomplete: int = 0
    people: list[str] = field(default_factory=list)
    made_users: list[int] = field(default_factory=list)
    skipped: list[SkippedLine] = field(default_factory=list)
    bad_spans: list[SkippedLine] = field(default_factory=list)
    labels: Counter[str] = field(default_factory=Counter)
    inventory: str = ""
    left_out_labels: Counter[str] = field(default_factory=Counter)
    unread: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    copies: dict[int, int] = field(default_factory=dict)

    @property
    def took_any(self) -> bool:
        """Whether a record came in or was there already."""
        return bool(self.captions or self.annotations or self.unchanged)

    def skip(self, skipped: SkippedLine) -> None:
        """Note a record that was left out."""
        self.left_out += 1
        if len(self.skipped) < MOST_TOLD:
            self.skipped.append(skipped)


def file_read(
    file: IO[bytes], name: str, columns: TableColumns = BY_HEADER
) -> Iterator[Record | SkippedLine]:
    """Read a file by the ending of its name; without a known one as JSON lines."""
    ending = ending_of(name)
    if ending in TABLES:
        return table.read(file, columns)
    if ending == ".spacy":
        return docbin.read(file)
    return plain_text.read(file) if ending == ".txt" else prodigy.read(file)


def ending_of(name: str) -> str:
    """The ending of a file's name in small letters, with its dot."""
    return PurePath(name.lower()).suffix


def records_import(
    *,
    project: Project,
    records: Iterable[Record | SkippedLine],
    now: datetime,
    rules: ImportRules | None = None,
) -> ImportReport:
    """Add captions and labels that the project does not have yet, 500 records at a time.

    Spans come in as they are: they may nest or coincide, but lie on words and
    have labels of the scheme. What someone labelled here since is never changed.
    The same file again changes nothing, so an import that broke off is repeated.
    """
    report = ImportReport()
    chosen = rules or ImportRules()
    sessions = SessionPeople(project, chosen.people)
    stream = iter(records)
    while part := list(islice(stream, AT_ONCE)):
        for skipped in part:
            if isinstance(skipped, SkippedLine):
                report.skip(skipped)
        _ImportBatch(project, sessions, chosen, report, now).store(
            [record for record in part if isinstance(record, Record)]
        )
    report.people, report.made_users = sessions.made, sessions.made_users
    report.skipped.sort(key=lambda skipped: skipped.line)
    return report


class _ImportBatch:
    """Some records, stored together or not at all."""

    def __init__(
        self,
        project: Project,
        sessions: SessionPeople,
        rules: ImportRules,
        report: ImportReport,
        now: datetime,
    ) -> None:
        self._project, self._sessions, self._rules = project, sessions, rules
        self._report, self._now = report, now
        self._names = frozenset(project.scheme.names)
        self._stored: dict[tuple[int, int], Annotation] = {}
        self._lines: dict[tuple[int, str], Annotation] = {}
        self._new: list[Annotation] = []

    @transaction.atomic
    def store(self, records: Sequence[Record]) -> None:
        # New labels are made under the same lock; what came in by those of before would keep them.
        now = Project.objects.select_for_update().get(pk=self._project.pk)
        if now.scheme_id != self._project.scheme_id:
            raise UnreadableLabels(
                "The labels of the project changed during the import. Import the file again; "
                "existing records stay as they are."
            )
        read = [(record, _task(record)) for record in records if self._usable(record)]
        removed = Item.with_removed.filter(project=self._project, removed_at__isnull=False)
        gone = set(
            removed.filter(key__in={task.key for _, task in read}).values_list("key", flat=True)
        )
        for record, task in read:
            if task.key in gone:
                self._report.skip(SkippedLine.because(record.line, _REMOVED))
        usable = [record for record, task in read if task.key not in gone]
        tasks = [task for _, task in read if task.key not in gone]
        rows = items_add(project=self._project, tasks=tasks, imported_in=self._rules.record)
        added = {item.key for item in rows}
        self._report.captions += len(added)
        # Annotations of a caption change under its lock; one order for all who lock several.
        keys = {task.key for task in tasks}
        locked = (
            self._project.items.select_for_update(no_key=True).filter(key__in=keys).order_by("pk")
        )
        items = {item.key: item for item in locked}
        known = Annotation.every.filter(item__in=items.values()).select_related("user")
        self._stored = {(row.item_id, row.user_id): row for row in known}
        self._lines = {(row.item_id, row.extra.get("line", "")): row for row in known}
        for record, task in zip(usable, tasks, strict=True):
            if record.spans is not None:
                self._annotate(items[task.key], record)
            elif task.key not in added:
                self._report.unchanged += 1
            added.discard(task.key)
        self._sessions.join()
        self._keep()

    def _usable(self, record: Record) -> bool:
        """Whether a record can be taken at all, before its caption is added."""
        try:
            self._spans(record)
            _require_no_gold(record, self._project)
        except RecordFault as fault:
            self._report.skip(SkippedLine.because(record.line, fault))
            return False
        return True

    def _spans(self, record: Record) -> tuple[list[dict[str, Any]], str]:
        """The spans with labels of the scheme, and what a person has to choose."""
        spans = [dict(span) for span in record.spans or ()]
        questions: list[str] = []
        mapping = self._rules.reading.mapping
        if mapping:
            spans, questions = relabelled_spans(spans, mapping, record.text)
        for span in spans:
            if span["label"] not in self._names:
                raise RecordFault(
                    f"The scheme {self._project.scheme.title} has no such label.",
                    value=span["label"],
                    fix=f"It has: {', '.join(self._project.scheme.names)}.",
                )
        return spans, " ".join(questions)

    def _annotate(self, item: Item, incoming: Record) -> None:
        record = _on_words_of(item, incoming)
        # The same line is the same work, whoever its session was said to be then.
        same = self._lines.get((item.pk, record.source)) if record.source else None
        if same is not None and not _is_waiting(same):
            self._report.unchanged += 1
            return
        try:
            user = self._sessions.person(record.person) if same is None else same.user
            annotation = self._annotation(item, user, record)
            stored = same or self._stored.get((item.pk, user.pk))
            if stored is not None and not self._takes_place_of(stored, annotation):
                if same is None:
                    _require_same(stored, annotation)
                self._report.unchanged += 1
                return
        except RecordFault as fault:
            self._report.skip(SkippedLine.because(record.line, fault))
            return
        if stored is not None:
            stored.delete()
        self._stored[item.pk, user.pk] = annotation
        self._lines[item.pk, record.source] = annotation
        self._new.append(annotation)
        self._note(record, user, annotation)

    def _takes_place_of(self, stored: Annotation, imported: Annotation) -> bool:
        """Whether it counts in place of what a file brought that waits, and nobody changed here."""
        decided = self._rules.reading.decided or stored.inventory == INCOMPLETE
        return decided and _is_waiting(stored) and not imported.inventory

    def _note(self, record: Record, user: User, annotation: Annotation) -> None:
        """Count an annotation that comes in: whose it is, and which of its labels do not come."""
        report = self._report
        report.incomplete += annotation.inventory == INCOMPLETE
        report.bad_spans += record.left_out[: MOST_TOLD - len(report.bad_spans)]
        name = self._sessions.name_of(user)
        made = name in self._sessions.made
        nothing = {"annotations": 0, "name": name, "made": made}
        report.sessions.setdefault(record.person, nothing)["annotations"] += 1
        mapping = self._rules.reading.mapping
        labels = [span["label"] for span in record.spans or ()]
        report.left_out_labels.update(name for name in labels if len(mapping.get(name, "1")) != 1)

    def _annotation(self, item: Item, user: User, record: Record) -> Annotation:
        spans, questions = self._spans(record)
        labels = [span["label"] for span in record.spans or ()]
        taken = still_taken(record.taken, spans)
        mapped = self._rules.reading.decisions(labels)
        lacks = [f"Left out of the file: {fault.why} {fault.value}" for fault in record.left_out]
        open_questions = " ".join(filter(None, (questions, *lacks)))
        self._report.to_settle += bool(questions)
        comment = " ".join(filter(None, (open_questions, record.comment)))
        return Annotation(
            item=item,
            user=user,
            spans=spans,
            answer=record.answer,
            flagged=record.flagged or bool(open_questions),
            comment=comment[:LONGEST_COMMENT],
            inventory=INCOMPLETE if open_questions else self._inventory(record, labels),
            imported_in=self._rules.record,
            scheme=self._project.scheme,
            edit=f"import-{hashlib.sha256(record.source.encode()).hexdigest()[:32]}",
            # A line stands for the annotation as long as it has this version.
            extra={
                **({"line": record.source} if record.source else {}),
                "version": 0 if [span["label"] for span in spans] != labels else 1,
                **({"taken": taken} if taken else {}),
                **({"mapped": mapped} if mapped else {}),
            },
            created_at=record.at or self._now,
            updated_at=record.at or self._now,
        )

    def _inventory(self, record: Record, labels: Iterable[str]) -> str:
        """The inventory of a complete answer, "" where somebody said what its labels are."""
        reading = self._rules.reading
        if record.inventory and (record.inventory == INCOMPLETE or not reading.decided):
            return record.inventory
        return reading.inventory_of(labels)

    def _keep(self) -> None:
        """Store the new annotations in the order of the file, in which exports write them.

        Incomplete ones, and those with labels of another inventory, take no assignment: the
        caption still needs people who label it by the project's.
        """
        counting = [row for row in self._new if not row.inventory]
        before = {row.item_id: row.item.copies for row in counting}
        assignments = assignments_for_imported(
            [(row.item, row.user) for row in counting], self._now
        )
        for row, assignment in zip(counting, assignments, strict=True):
            row.assignment = assignment
        record, grown = self._rules.record, self._report.copies
        for row in {row.item_id: row for row in counting}.values():
            more = row.item.copies - before[row.item_id]
            was_there = record is None or row.item.imported_in_id != record.pk
            if was_there and more:
                grown[row.item_id] = grown.get(row.item_id, 0) + more
        Annotation.objects.bulk_create(self._new)
        Revision.objects.bulk_create(map(revision_of, self._new))
        self._report.annotations += len(self._new)


def _task(record: Record) -> Task:
    extra = {"carried": record.carried} if record.carried else {}
    return Task(record.text, record.tokens, record.meta, extra)


def _on_words_of(item: Item, record: Record) -> Record:
    """A record with its spans on the words of its caption, which may have been split otherwise."""
    if _offsets(item.tokens) == _offsets(record.tokens):
        return record
    places = [{key: span[key] for key in ("start", "end", "label")} for span in record.spans or ()]
    spans, faults = fitting_spans(places, item.tokens)
    left_out = [SkippedLine.because(record.line, fault) for fault in faults]
    return replace(record, spans=spans, left_out=[*record.left_out, *left_out], taken=())


def _is_waiting(annotation: Annotation) -> bool:
    """Whether it came with a file, does not count for its labels, and nobody changed it here."""
    from_file = annotation.pk is not None and annotation.edit.startswith("import-")
    return from_file and annotation.version == 1 and annotation.inventory != ""


_REMOVED = RecordFault(
    "This caption was removed from the project.",
    fix="Bring it back first: Captions, state Removed.",
)


def _require_no_gold(record: Record, project: Project) -> None:
    if record.spans is not None and record.person == f"{project.slug}-{GOLD}":
        raise RecordFault(
            "Settled labels of this project cannot be imported from a file.",
            fix="Import it into another project.",
        )


def _require_same(stored: Annotation, imported: Annotation) -> None:
    """Raise ``RecordFault`` where someone labelled the caption otherwise already."""
    if (stored.spans, stored.answer) != (imported.spans, imported.answer):
        raise RecordFault(
            f"{stored.user} has already labelled this caption differently; that answer stays.",
            fix="To have both, import into another project.",
        )


def _offsets(tokens: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    return [(token["start"], token["end"]) for token in tokens]
