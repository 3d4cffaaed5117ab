"""Bring captions and labels from a file into a project: Prodigy's JSONL, plain JSONL, CSV, text."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.formats.table import TableColumns
from annotation.management.lookup import (
    account_given,
    project_named,
    project_required,
    scheme_named,
    user_named,
)
from annotation.models import Project
from annotation.selectors.schemes import InventoryChoice, UnreadableLabels, counted
from annotation.services.formats.file_imports import (
    FileChoice,
    FileImport,
    ImportPreview,
    LabelFile,
    file_import,
)
from annotation.services.formats.imports import ImportReport
from annotation.services.projects import ProjectRules, project_create
from annotation.tasks import labelling_enqueue
from earmark.captions.faults import count_of

_OPTIONS = "--map-from INVENTORY, --map LABEL=LABEL"
HELP = __doc__


class Command(BaseCommand):
    """Add what the project does not have yet; the same file again changes nothing."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file, the project, and who is who."""
        parser.add_argument(
            "file",
            type=Path,
            help="The file; its extension determines the format (anything "
            "else is read as JSON lines).",
        )
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument(
            "--create", action="store_true", help="Make the project if it does not exist."
        )
        parser.add_argument(
            "--scheme", default="aces-13", help="Scheme of labels for a new project."
        )
        parser.add_argument("--name", help="Name of a new project (default: its slug).")
        parser.add_argument("--manager", metavar="USERNAME", help="Manager of a new project.")
        parser.add_argument(
            "--copies",
            type=int,
            default=1,
            help="Number of people who label each caption of a new project (default 1).",
        )
        parser.add_argument(
            "--as",
            dest="people",
            action="append",
            default=[],
            metavar="SESSION=USERNAME",
            help="Account of a session in the file. Other sessions become members who cannot "
            "log in.",
        )
        parser.add_argument(
            "--map-from",
            metavar="SCHEME",
            default="",
            help="Inventory of the file's labels. Labels of which it is not known what they "
            "become are stored but do not count. If a label has several equivalents, choose one "
            "with --map; otherwise the annotation is incomplete.",
        )
        parser.add_argument(
            "--map",
            dest="table",
            action="append",
            default=[],
            metavar="LABEL=LABEL",
            help="Replace a label that the project lacks; LABEL= leaves it out.",
        )
        parser.add_argument(
            "--text-column",
            default="",
            metavar="NAME",
            help="Column of a table with the captions (default: text, caption, caption_1 ...).",
        )
        parser.add_argument(
            "--sound-column",
            default="",
            metavar="NAME",
            help="Column of a table with the names of sound files (default: file_name).",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Only report what would be imported."
        )

    def handle(self, *_args: Any, file: Path, **options: Any) -> None:
        """Import the file and tell what came in and what did not."""
        people = dict(
            account_given(option, f"--as {option} should be SESSION=USERNAME.")
            for option in options["people"]
        )
        labels = InventoryChoice(options["map_from"], dict(map(_equivalent, options["table"])))
        columns = TableColumns(options["text_column"], options["sound_column"])
        choice, now = FileChoice(labels, people, columns), timezone.now()
        existed = project_named(options["project"]) is not None
        project = self._project(options)
        try:
            with file.open("rb") as stream:
                source = LabelFile(stream, file.name)
                if options["dry_run"]:
                    self._preview(FileImport.of(project, source, choice, now).preview())
                    brought = None
                else:
                    brought = file_import(
                        project=project, file=source, choice=choice, actor=None, now=now
                    )
        except UnreadableLabels as error:
            _take_back(project, existed=existed)
            raise CommandError(f"{error} Options: {_OPTIONS}.") from error
        except OSError as error:
            _take_back(project, existed=existed)
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        if brought is None:
            _take_back(project, existed=existed)
            return
        if not existed:
            self.stdout.write(f"Created the project {project.slug} with {project.scheme.title}.")
        labelling_enqueue(project)
        self._report(project, brought)

    def _project(self, options: dict[str, Any]) -> Project:
        slug = options["project"]
        if not options["create"]:
            return project_required(slug)
        existing = project_named(slug)
        if existing is not None:
            return existing
        manager = user_named(options["manager"]) if options["manager"] else None
        try:
            project = project_create(
                slug=slug,
                name=options["name"] or slug,
                scheme=scheme_named(options["scheme"]),
                manager=manager,
                rules=ProjectRules(copies=options["copies"]),
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        return project

    def _report(self, project: Project, report: ImportReport) -> None:
        self._skipped(report)
        for name in report.people:
            self.stdout.write(f"New member without a log-in: {name}")
        self.stdout.write(
            f"{project.slug}: {count_of(report.captions, 'caption')} and "
            f"{count_of(report.annotations, 'annotation')} added, {report.unchanged:,} there "
            f"already, {report.left_out:,} left out."
        )
        self._labels(report)

    def _preview(self, preview: ImportPreview) -> None:
        survey, report = preview.survey, preview.report
        self._skipped(report)
        self.stdout.write(
            f"{count_of(survey.records, 'record')}, {survey.labelled:,} with labels. To come in: "
            f"{count_of(report.captions, 'caption')} and "
            f"{count_of(report.annotations, 'annotation')}; {report.unchanged:,} there already, "
            f"{report.left_out:,} left out."
        )
        for session, row in report.sessions.items():
            new = ", a new member without a log-in" if row["made"] else ""
            count = count_of(row["annotations"], "annotation")
            self.stdout.write(f"Session {session or 'of nobody'}: {count}, as {row['name']}{new}.")
        if survey.labels:
            self.stdout.write(f"Labels of the file: {counted(survey.labels)}.")
        self._labels(report)
        if preview.refusal:
            self.stdout.write(f"Refused: {preview.refusal} Options: {_OPTIONS}.")

    def _skipped(self, report: ImportReport) -> None:
        for skipped in [*report.skipped, *report.bad_spans]:
            self.stderr.write(str(skipped))
        more = report.left_out - len(report.skipped)
        if more:
            self.stderr.write(f"and {count_of(more, 'line')} more.")

    def _labels(self, report: ImportReport) -> None:
        """Say what becomes of labels that are not the project's."""
        if report.left_out_labels:
            self.stdout.write(
                f"Spans without a label of the project: {counted(report.left_out_labels)}."
            )
        if report.inventory:
            self.stdout.write(
                f"Annotations with labels of {report.inventory} that --map does not name are "
                "kept, and do not count."
            )
        if report.to_settle:
            count = count_of(report.to_settle, "annotation")
            self.stdout.write(f"{count} flagged: a label has several equivalents.")
        for key, (line, records) in report.unread.items():
            self.stdout.write(
                f"Not read, but it looks like labels: {key}, first in line {line:,}, in "
                f"{count_of(records, 'record')}."
            )
        if report.incomplete:
            count = count_of(report.incomplete, "annotation")
            self.stdout.write(f"{count} incomplete: flagged, and not counted.")


def _take_back(project: Project, *, existed: bool) -> None:
    """Delete a project that was made for a file of which nothing came in."""
    if not existed:
        project.delete()


def _equivalent(option: str) -> tuple[str, str]:
    label, sign, target = option.partition("=")
    if not sign or not label:
        raise CommandError(f"--map {option} should be LABEL=LABEL, or LABEL= to leave it out.")
    return label, target
