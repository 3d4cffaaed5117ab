"""Add recordings to the clips of a phase: from a zip, a folder of this machine or an address."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from leaderboard.management.terminal import phase_named
from leaderboard.services.clips.audio import AudioReport, audio_add, audio_base_url_set
from leaderboard.web.refusals import Refused

LISTED = 10
HELP = __doc__


class Command(BaseCommand):
    """Store recordings, or note where they lie, and report."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the phase and the source."""
        parser.add_argument("phase", metavar="CHALLENGE/PHASE")
        parser.add_argument("source", metavar="PATH_OR_URL", help="A zip, a folder, or https://...")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Add the sound."""
        phase, source, now = phase_named(options["phase"]), options["source"], timezone.now()
        try:
            if "://" in source:
                audio_base_url_set(phase=phase, url=source, actor=None, now=now)
                self.stdout.write(f"The clips of {options['phase']} are played from {source}.")
                return
            path = Path(source)
            if not path.exists():
                raise CommandError(f"There is no {path}.")
            self._report(audio_add(phase=phase, path=path, actor=None, now=now))
        except Refused as refused:
            raise CommandError(f"{refused} Nothing was stored.") from refused

    def _report(self, report: AudioReport) -> None:
        size = report.size / 1e6
        self.stdout.write(f"{report.matched:,} recordings stored, {size:,.1f} MB.")
        self._list("refused", [f"{file.name}: {file.why}" for file in report.refused])
        self._list("not in the references", list(report.unknown))
        self._list("clips still without sound", list(report.missing))

    def _list(self, what: str, names: list[str]) -> None:
        self.stdout.write(f"{len(names):,} {what}")
        for name in names[:LISTED]:
            self.stdout.write(f"  {name}")
        if len(names) > LISTED:
            self.stdout.write(f"  and {len(names) - LISTED:,} more")
