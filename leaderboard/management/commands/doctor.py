"""Look at all that the site needs, and say how to mend what it lacks; status 1 where it does."""

import json
import sys
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leaderboard.management.doctor import examinations

HELP = __doc__


class Command(BaseCommand):
    """Settings, database, cache, queues, workers, clocks, disks, mail, models with hashes."""

    help = HELP
    # They are part of what is told.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --json and --quick."""
        parser.add_argument("--json", action="store_true", help="One JSON object for each check.")
        parser.add_argument("--quick", action="store_true", help="Do not load models.")

    def handle(self, *_args: Any, quick: bool, **options: Any) -> None:
        """Write each check when it is done."""
        faults = 0
        for check in examinations(models=not quick):
            faults += not check.ok
            if options["json"]:
                self.stdout.write(json.dumps(asdict(check)))
                continue
            line = f"{'ok   ' if check.ok else 'FAULT'} {check.name}: {check.detail}"
            self.stdout.write(line if check.ok else self.style.ERROR(line))
            if check.mending:
                self.stdout.write(f"      {check.mending}")
            self.stdout.flush()
        if faults:
            sys.exit(1)
        if not options["json"]:
            self.stdout.write("No problems found.")
