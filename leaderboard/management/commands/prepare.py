"""Make an installation ready to start: tables, static files and, on request, the demo."""

import logging
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.demo import labelling_demo_load
from annotation.demo_collection import collection_demo_load, judging_demo_load
from leaderboard.checks import METRICS, SITE
from leaderboard.demo import ANNOTATORS
from leaderboard.demo.load import CHALLENGE, PHASE, demo_load
from leaderboard.models import Phase, Submission, User
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from leaderboard.wheel import wheel_path

# The package brings much that pages do not use; without it a start is quicker.
UNUSED_OF_PLOTLY = ["datasets", "templates", "widgetbundle.js"]
LOOPBACK = {"127.0.0.1", "localhost", "::1"}
HELP = __doc__


class Command(BaseCommand):
    """Migrate, collect static files and load the demo; safe to run at every start."""

    help = HELP
    # The others need every page loaded, which takes longer than all the rest of a start.
    requires_system_checks = (METRICS, SITE)

    def add_arguments(self, parser: CommandParser) -> None:
        """Take --demo."""
        parser.add_argument(
            "--demo",
            action="store_true",
            help="Load the demo challenge with its public log-ins (only on a loopback SITE_URL).",
        )

    def handle(self, *_args: Any, demo: bool, **_options: Any) -> None:
        """Do what is not done yet."""
        call_command("migrate", interactive=False, verbosity=0)
        static_files_collect()
        # Written now, so that whoever asks first does not wait for it.
        wheel_path(settings.VAR_DIR / "wheel")
        if not demo:
            return
        if urlsplit(settings.SITE_URL).hostname not in LOOPBACK:
            raise CommandError(
                "The demo has public passwords, so it loads only where SITE_URL is this machine. "
                f"SITE_URL is {settings.SITE_URL}."
            )
        new = demo_load(now=timezone.now())
        self._label()
        if new:
            self._score(new)

    def _label(self) -> None:
        first, second = (User.objects.get(username=name) for name in ANNOTATORS)
        manager, now = User.objects.get(username="organiser"), timezone.now()
        phase = Phase.objects.get(challenge__slug=CHALLENGE, slug=PHASE)
        made = [
            labelling_demo_load(phase=phase, manager=manager, annotators=(first, second), now=now),
            *collection_demo_load(manager=manager, people=(first, second, manager), now=now),
            judging_demo_load(phase=phase, manager=manager, judges=(first, second), now=now),
        ]
        for project in filter(None, made):
            self.stdout.write(f"Made a demo project: {project.name}")

    def _score(self, submissions: list[Submission]) -> None:
        # Through the job engine, as a worker would; whatever is interrupted here,
        # the worker takes up.
        self.stdout.write("Scoring the demo systems (once, about a minute) ...")
        logging.disable(logging.INFO)  # a line for each evaluation is for who runs a site
        try:
            for submission in submissions:
                self.stdout.write(f"  {submission.system_name}")
                for evaluation_id in submission.evaluations.values_list("pk", flat=True):
                    evaluation_attempt(evaluation_id=evaluation_id)
        finally:
            logging.disable(logging.NOTSET)
        for phase_id in {submission.phase_id for submission in submissions}:
            rank_estimates_refresh(phase_id=phase_id, now=timezone.now())


def static_files_collect() -> None:
    """Collect, name by content and compress the static files, unless none has changed since.

    Even where nothing has to be done that takes as long as starting the web server.
    """
    note = Path(settings.STATIC_ROOT) / ".collected"
    present = _static_files_digest()
    if note.is_file() and note.read_text() == present:
        return
    note.unlink(missing_ok=True)  # what is interrupted is not taken for done
    call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=UNUSED_OF_PLOTLY)
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(present)


def _static_files_digest() -> str:
    """A digest of the names, sizes and times of the files that would be collected."""
    lines = [settings.STORAGES["staticfiles"]["BACKEND"]]
    for finder in get_finders():
        for name, storage in finder.list(UNUSED_OF_PLOTLY):
            status = Path(storage.path(name)).stat()
            lines.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return sha256("\n".join(lines).encode()).hexdigest()
