"""Make an installation ready to start: tables, static files and, on request, the demo."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from annotation.demo import labelling_demo_load
from leaderboard.demo import ANNOTATORS
from leaderboard.demo.load import CHALLENGE, PHASE, demo_load
from leaderboard.models import Phase, Submission, User
from leaderboard.services.evaluations.attempts import evaluation_attempt
from leaderboard.services.ranking.rank_estimates import rank_estimates_refresh
from leaderboard.wheel import wheel_path

# The package brings much that pages do not use; without it a start is quicker.
UNUSED_OF_PLOTLY = ["datasets", "templates", "widgetbundle.js"]
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class Command(BaseCommand):
    """Migrate, collect static files and load the demo; safe to run at every start."""

    help = __doc__

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
        call_command(
            "collectstatic", interactive=False, verbosity=0, ignore_patterns=UNUSED_OF_PLOTLY
        )
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
        project = labelling_demo_load(
            phase=Phase.objects.get(challenge__slug=CHALLENGE, slug=PHASE),
            manager=User.objects.get(username="organiser"),
            annotators=(first, second),
            now=timezone.now(),
        )
        if project is not None:
            self.stdout.write(f"Made the demo project for labelling: {project.name}")

    def _score(self, submissions: list[Submission]) -> None:
        # Through the job engine, as a worker would; whatever is interrupted here,
        # the worker takes up.
        self.stdout.write("Scoring the demo systems (once, about a minute) ...")
        for submission in submissions:
            self.stdout.write(f"  {submission.system_name}")
            for evaluation_id in submission.evaluations.values_list("pk", flat=True):
                evaluation_attempt(evaluation_id=evaluation_id)
        for phase_id in {submission.phase_id for submission in submissions}:
            rank_estimates_refresh(phase_id=phase_id, now=timezone.now())
