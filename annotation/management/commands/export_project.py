"""Write a whole labelling project, its recordings included, to one zip."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.lookup import project_required
from annotation.services.formats.project_archives import project_archive_download

HELP = __doc__


class Command(BaseCommand):
    """Write all that is in a project, but for who may log in."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the project and the file."""
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("file", type=Path, metavar="FILE.zip")

    def handle(self, *_args: Any, project: str, file: Path, **_options: Any) -> None:
        """Write the file, or nothing at all."""
        found = project_required(project)
        part = file.with_name(f"{file.name}.part")
        try:
            with part.open("wb") as target:
                target.writelines(project_archive_download(found, named=True).pieces)
            part.replace(file)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise CommandError(f"{error.filename or file}: {error.strerror}.") from error
        self.stdout.write(f"Wrote {file} ({file.stat().st_size:,} bytes).")
