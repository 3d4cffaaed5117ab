"""Write everything that the site stores to a folder, while it runs, or check such a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from leaderboard.management.terminal import backup_lines
from leaderboard.services.backups.folder import KEY
from leaderboard.services.backups.whole_site import backup_make, backup_read
from leaderboard.web.refusals import Refused

HELP = __doc__


class Command(BaseCommand):
    """Database, recordings, labellers and key; a second run copies only what is new."""

    help = HELP
    requires_system_checks = ()  # which read every page and operation of the site

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the folder and --verify."""
        parser.add_argument(
            "folder", type=Path, help="An empty folder, or a folder with an earlier backup."
        )
        parser.add_argument(
            "--verify", action="store_true", help="Only check that the backup can be restored."
        )

    def handle(self, *_args: Any, folder: Path, verify: bool, **_options: Any) -> None:
        """Write or check, and say what the backup holds."""
        try:
            if verify:
                manifest = backup_read(folder)
                self.stdout.write(f"Every file of {folder} is intact.")
            else:
                manifest, new_files = backup_make(path=folder, now=timezone.now())
                self.stdout.write(f"{folder} is complete; {new_files:,} files are new.")
        except Refused as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"The backup is not complete: {error}") from error
        for line in backup_lines(manifest):
            self.stdout.write(line)
        if KEY not in manifest.files:
            self.stdout.write(
                "SECRET_KEY is set in the environment and is not in the backup. Store it "
                "separately and safely: without it, the second factors in the backup cannot be "
                "used."
            )
