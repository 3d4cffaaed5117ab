"""Submit a file of captions to a phase."""

from argparse import BooleanOptionalAction
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify

from earmark.packages.reading import File
from leaderboard.management.terminal import faults_write, file_read, scores_lines, wait_for_scores
from leaderboard.models import Phase, Submission, Team, User
from leaderboard.selectors.board.rows import values_of_submission
from leaderboard.services.people.teams import team_create
from leaderboard.services.submissions.accepting import (
    AttachedFiles,
    SystemDescription,
    package_from_upload,
    submission_accept,
    suggested_name,
)
from leaderboard.tasks import submission_enqueue
from leaderboard.web.refusals import Refused

HELP = __doc__


class Command(BaseCommand):
    """Take a file in as the pages do, under the same rules, and on request wait for the scores."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file, for whom and where."""
        parser.add_argument(
            "file", type=Path, help="Captions (CSV, TSV, JSON, JSONL) or a package."
        )
        parser.add_argument("--phase", required=True, metavar="[CHALLENGE/]PHASE")
        parser.add_argument(
            "--challenge", metavar="SLUG", help="Challenge, if several phases have the same slug."
        )
        parser.add_argument("--team", required=True, metavar="SLUG")
        parser.add_argument(
            "--system",
            metavar="NAME",
            help="Name of the system (default: the name in the metadata, or else the file's).",
        )
        parser.add_argument(
            "--create",
            action=BooleanOptionalAction,
            default=True,
            help="Make the team if it does not exist.",
        )
        parser.add_argument("--owner", metavar="USERNAME", help="Owner of a new team.")
        parser.add_argument(
            "--wait", action="store_true", help="Wait for the scores and show them."
        )

    def handle(self, *_args: Any, file: Path, **options: Any) -> None:
        """Submit, or write every fault and store nothing."""
        phase = _phase(options["phase"], options["challenge"])
        data = file_read(file)
        # A team that is made for a file which is then refused goes with it.
        with transaction.atomic():
            team = self._team(options)
            submission = self._submit(phase, team, options["system"] or "", file, data)
            submission_enqueue(submission)
        address = f"{settings.SITE_URL}{reverse('leaderboard:system', args=[submission.public_id])}"
        self.stdout.write(f"Submitted {submission.public_id}: {address}")
        if options["wait"]:
            self._wait(submission)

    def _team(self, options: dict[str, Any]) -> Team:
        """The team; it is created, with a message, where there is none."""
        slug = options["team"]
        existing = Team.objects.filter(slug=slug).first()
        if existing is not None:
            return existing
        if not options["create"]:
            raise CommandError(f"There is no team {slug}. To make it, leave out --no-create.")
        if slugify(slug)[:40] != slug:
            raise CommandError(
                f"{slug} cannot be a team's slug. Use at most 40 lower-case letters, digits and "
                "hyphens."
            )
        username, owner = options["owner"], None
        if username is not None:
            owner = User.objects.filter(username=username).first()
            if owner is None:
                raise CommandError(f"There is no user {username}.")
        try:
            team = team_create(name=slug, affiliation="", owner=owner, now=timezone.now())
        except Refused as error:
            raise CommandError(str(error)) from error
        members = "without members" if owner is None else f"owned by {owner.username}"
        transaction.on_commit(lambda: self.stdout.write(f"Created the team {slug}, {members}."))
        return team

    def _submit(self, phase: Phase, team: Team, name: str, file: Path, data: bytes) -> Submission:
        upload = File(file.name, data)
        package = package_from_upload(upload=upload, attached=AttachedFiles())
        name = name or (suggested_name(package) if package.unpacked else "") or file.stem
        try:
            submission = submission_accept(
                phase=phase,
                team=team,
                user=None,
                system=SystemDescription(name[:80]),
                upload=upload,
                now=timezone.now(),
            )
        except Refused as error:
            faults_write(self.stderr, error.faults)
            raise CommandError(str(error)) from error
        for warning in submission.warnings:
            self.stderr.write(f"warning: {warning}")
        return submission

    def _wait(self, submission: Submission) -> None:
        progress = wait_for_scores(submission, self.stdout)
        if progress is None:
            self.stdout.write("Stopped waiting; scoring continues.")
            return
        for line in scores_lines(values_of_submission(submission), progress):
            self.stdout.write(line)
        if progress.state == "failed":
            raise CommandError("Nothing could be scored. The reasons are listed above.")


def _phase(name: str, challenge: str | None) -> Phase:
    """Find a phase by its slug, or by CHALLENGE/PHASE."""
    before, _, slug = name.rpartition("/")
    slug_of_challenge = challenge or before
    known = Phase.objects.select_related("challenge").order_by("challenge__slug", "position", "id")
    rows = known.filter(slug=slug)
    if slug_of_challenge:
        rows = rows.filter(challenge__slug=slug_of_challenge)
    matches = list(rows)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise CommandError(f"Several phases match. Name one of them: {_names(matches)}.")
    where = f"{slug_of_challenge}/{slug}" if slug_of_challenge else slug
    raise CommandError(f"There is no phase {where}. Known: {_names(list(known)) or 'none'}.")


def _names(phases: list[Phase]) -> str:
    return ", ".join(f"{phase.challenge.slug}/{phase.slug}" for phase in phases)
