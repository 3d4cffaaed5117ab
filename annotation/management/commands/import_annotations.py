"""Bring captions and labels from a file into a project: Prodigy's JSONL, plain JSONL or CSV."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.management.lookup import (
    mapping_required,
    project_named,
    project_required,
    scheme_named,
    user_named,
)
from annotation.models import Project
from annotation.services.formats.imports import ImportReport, ImportRules, file_read, records_import
from annotation.services.projects import ProjectRules, project_create
from annotation.tasks import labelling_enqueue
from leaderboard.models import User
from scoring.captions.faults import count_of


class Command(BaseCommand):
    """Add what the project does not have yet; the same file again changes nothing."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file, the project, and who is who."""
        parser.add_argument("file", type=Path, help="CSV by its ending, else JSON lines.")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--create", action="store_true", help="Make a missing project.")
        parser.add_argument("--scheme", default="aces-13", help="Labels of a project that is made.")
        parser.add_argument("--name", help="Name of a project that is made (default: its slug).")
        parser.add_argument(
            "--manager", metavar="USERNAME", help="Who runs a project that is made."
        )
        parser.add_argument(
            "--copies",
            type=int,
            default=1,
            help="People for each caption of a project that is made (default 1).",
        )
        parser.add_argument(
            "--as",
            dest="people",
            action="append",
            default=[],
            metavar="SESSION=USERNAME",
            help="Whose a session of the file is; others become members who cannot log in.",
        )
        parser.add_argument(
            "--map-from",
            metavar="SCHEME",
            help="Turn labels of this scheme into the project's; where there are several "
            "equivalents the caption is flagged for a person to choose.",
        )

    def handle(self, *_args: Any, file: Path, **options: Any) -> None:
        """Import the file and tell what came in and what did not."""
        people = dict(_person(option) for option in options["people"])
        project = self._project(options)
        source = options["map_from"]
        mapping = None if source is None else mapping_required(source, project.scheme.slug)
        rules = ImportRules(people, mapping)
        try:
            with file.open("rb") as stream:
                report = records_import(
                    project=project,
                    records=file_read(stream, file.name),
                    now=timezone.now(),
                    rules=rules,
                )
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        labelling_enqueue(project)
        self._report(project, report)

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
        self.stdout.write(f"Created the project {slug} with {project.scheme.title}.")
        return project

    def _report(self, project: Project, report: ImportReport) -> None:
        for skipped in report.skipped:
            self.stderr.write(str(skipped))
        more = report.left_out - len(report.skipped)
        if more:
            self.stderr.write(f"and {count_of(more, 'line')} more.")
        for name in report.people:
            self.stdout.write(f"New member without a log-in: {name}")
        self.stdout.write(
            f"{project.slug}: {count_of(report.captions, 'caption')} and "
            f"{count_of(report.annotations, 'annotation')} added, {report.unchanged:,} there "
            f"already, {report.left_out:,} left out."
        )
        if report.to_settle:
            count = count_of(report.to_settle, "annotation")
            self.stdout.write(f"{count} flagged: a label has several equivalents.")


def _person(option: str) -> tuple[str, User]:
    session, sign, username = option.rpartition("=")
    if not sign or not session:
        raise CommandError(f"--as {option} should be SESSION=USERNAME.")
    return session, user_named(username)
