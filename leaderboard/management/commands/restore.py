"""Restore a backup into an empty database, and compare the leaderboards with those of then."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from leaderboard.management.terminal import backup_lines, comparison_lines
from leaderboard.services.backups.whole_site import backup_restore
from leaderboard.web.refusals import Refused

HELP = __doc__


class Command(BaseCommand):
    """Database, recordings, labellers and key; of this version or an earlier one."""

    help = HELP
    requires_system_checks = ()  # which read every page and operation of the site

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the folder."""
        parser.add_argument("folder", type=Path, help="What 'manage.py backup' wrote.")

    def handle(self, *_args: Any, folder: Path, **_options: Any) -> None:
        """Restore, and end with an error where a leaderboard is not as it was."""
        try:
            manifest, leaderboards, about_key = backup_restore(path=folder, now=timezone.now())
        except Refused as error:
            raise CommandError(f"{error}\nNothing was restored.") from error
        except OSError as error:
            raise CommandError(f"The backup was not restored: {error}") from error
        for line in (*backup_lines(manifest), *comparison_lines(leaderboards)):
            self.stdout.write(line)
        if about_key:
            self.stdout.write(about_key)
        if any(board.changes for board in leaderboards):
            raise CommandError(
                "All rows are restored, and yet the leaderboards above are not as they were. "
                "Look into it before you open the site."
            )
