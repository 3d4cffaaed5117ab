"""Make a new labelling project of a zip that export_project wrote."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.management.lookup import account_given, project_required, user_named
from annotation.services.formats.archive_reading import ArchiveReport, project_archive_read
from annotation.services.projects import ProjectAct
from annotation.services.schemes import schemes_load
from annotation.tasks import labelling_enqueue, stages_enqueue
from earmark.captions.faults import count_of
from leaderboard.web.refusals import Refused

HELP = __doc__


class Command(BaseCommand):
    """Make the project with all that the archive has, or nothing."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file and who manages the project."""
        parser.add_argument("file", type=Path, metavar="FILE.zip")
        parser.add_argument("--manager", required=True, metavar="USERNAME")
        parser.add_argument(
            "--person",
            action="append",
            default=[],
            metavar="NAME=USERNAME",
            help="account of a person in the archive; other people are imported without a log-in",
        )
        parser.add_argument(
            "--source",
            metavar="PROJECT",
            help="the project that feeds this one, made from the archive of the original "
            "feeding project",
        )

    def handle(
        self,
        *_args: Any,
        file: Path,
        manager: str,
        person: list[str],
        source: str | None,
        **_options: Any,
    ) -> None:
        """Make the project and tell what it has."""
        schemes_load()
        act = ProjectAct(user_named(manager), timezone.now())
        feeds = None if source is None else project_required(source)
        people = dict(account_given(one, f"{one}: write NAME=USERNAME.") for one in person)
        try:
            made, report = project_archive_read(path=file, act=act, people=people, source=feeds)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        labelling_enqueue(made)
        if feeds is not None:
            stages_enqueue(feeds)
        self.stdout.write(f"Made the project {made.slug}: {_told(report)}.")


def _told(report: ArchiveReport) -> str:
    counts = report.counts
    return ", ".join(
        (
            count_of(counts["captions"], "caption"),
            count_of(counts.get("answers", 0), "answer"),
            f"{counts.get('gold', 0):,} settled",
            count_of(report.sounds, "sound"),
        )
    )
