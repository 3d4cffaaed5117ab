"""Set the references of a phase; challenge and phase are made where they are missing."""

import argparse
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from earmark.captions import References
from leaderboard.management.terminal import faults_write, file_read
from leaderboard.models import Challenge, Phase, ReferenceSet
from leaderboard.services.organising.challenges import challenge_create
from leaderboard.services.organising.phases import phase_create
from leaderboard.services.organising.references import (
    phase_set_references,
    reference_set_get_or_create,
    references_read,
)
from leaderboard.services.submissions.human_row import human_row_create
from leaderboard.tasks import submission_enqueue
from leaderboard.web.refusals import Refused

HELP = __doc__


class Command(BaseCommand):
    """Read references whole, write every fault, and store them for a phase."""

    help = HELP

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the file, where it belongs, and how new things begin."""
        parser.add_argument("file", type=Path, help="References: Clotho, AudioCaps, JSON or JSONL.")
        parser.add_argument("--challenge", required=True, metavar="SLUG")
        parser.add_argument("--phase", required=True, metavar="SLUG")
        parser.add_argument("--name", help="Name of the reference set (default: the file's).")
        parser.add_argument(
            "--create",
            action=argparse.BooleanOptionalAction,
            default=True,
            help="Make the challenge and the phase if they do not exist (default).",
        )
        parser.add_argument(
            "--unpublished", action="store_true", help="A new challenge is not visible yet."
        )
        parser.add_argument(
            "--public-references",
            action="store_true",
            help="A new phase shows references and scores of single clips to everyone.",
        )
        parser.add_argument(
            "--same-captions",
            action="store_true",
            help="Store them also where one phase hides captions that another shows to everyone.",
        )
        parser.add_argument(
            "--human-row",
            action=argparse.BooleanOptionalAction,
            default=True,
            help="Score one reference of each clip against the others, as a row on the "
            "leaderboard (default).",
        )

    def handle(self, *_args: Any, file: Path, **options: Any) -> None:
        """Store the references, or nothing at all."""
        references = self._read(file)
        try:
            with transaction.atomic():
                self._store(references, options["name"] or file.stem, options)
        except Refused as error:
            to_confirm = error.field == "confirmed"
            more = " (--same-captions) Nothing was stored." if to_confirm else ""
            raise CommandError(f"{error}{more}") from error
        except ValidationError as error:
            said = (f"{field}: {' '.join(texts)}" for field, texts in error.message_dict.items())
            raise CommandError(" ".join(said)) from error

    def _read(self, file: Path) -> References:
        try:
            references, warnings = references_read(data=file_read(file), file_name=file.name)
        except Refused as error:
            faults_write(self.stderr, error.faults)
            raise CommandError(f"{error} Nothing was stored.") from error
        faults_write(self.stderr, warnings)
        return references

    def _store(self, references: References, name: str, options: dict[str, Any]) -> None:
        now = timezone.now()
        challenge = self._challenge(options)
        phase = self._phase(challenge, options)
        stored = reference_set_get_or_create(
            challenge=challenge, references=references, name=name, now=now
        )
        phase_set_references(
            phase=phase,
            reference_set=stored,
            actor=None,
            now=now,
            confirmed=options["same_captions"],
        )
        self._report(phase, stored)
        if options["human_row"]:
            self._human_row(phase)

    def _human_row(self, phase: Phase) -> None:
        now = timezone.now()
        try:
            human = human_row_create(phase=phase, actor=None, now=now)
        except Refused as error:
            self.stdout.write(str(error))
            return
        if human.created_at == now:
            submission_enqueue(human)
            message = "The human row (one reference against the others) is waiting to be scored."
            self.stdout.write(message)

    def _challenge(self, options: dict[str, Any]) -> Challenge:
        slug = options["challenge"]
        existing = Challenge.objects.filter(slug=slug).first()
        if existing is not None:
            return existing
        if not options["create"]:
            known = ", ".join(Challenge.objects.order_by("slug").values_list("slug", flat=True))
            raise CommandError(f"There is no challenge {slug}. Known: {known or 'none'}.")
        published = not options["unpublished"]
        challenge = challenge_create(
            slug=slug, title=_title(slug), published=published, actor=None, now=timezone.now()
        )
        visibility = "visible to everyone" if published else "not published yet"
        self.stdout.write(f'Created the challenge {slug} ("{challenge.title}"), {visibility}.')
        return challenge

    def _phase(self, challenge: Challenge, options: dict[str, Any]) -> Phase:
        slug = options["phase"]
        existing = challenge.phases.filter(slug=slug).first()
        if existing is not None:
            return existing
        if not options["create"]:
            known = ", ".join(challenge.phases.values_list("slug", flat=True))
            raise CommandError(f"{challenge} has no phase {slug}. It has: {known or 'none'}.")
        public = options["public_references"]
        phase = phase_create(
            challenge=challenge,
            slug=slug,
            name=_title(slug),
            references_public=public,
            actor=None,
            now=timezone.now(),
        )
        self.stdout.write(
            f'Created the phase {challenge.slug}/{slug} ("{phase.name}"): open without an end, no '
            f"quota, ranked by {phase.ranking.label}, {'public' if public else 'hidden'} "
            "references."
        )
        return phase

    def _report(self, phase: Phase, stored: ReferenceSet) -> None:
        where = f"{phase.challenge.slug}/{phase.slug}"
        self.stdout.write(
            f"{where} has the references {stored.name}: {stored.clip_count:,} clips, "
            f"{stored.caption_count:,} captions, sha256 {stored.content_hash[:12]}."
        )
        self.stdout.write(f"Submit with: manage.py submit FILE --phase {where} --team SLUG")


def _title(slug: str) -> str:
    return slug.replace("-", " ").replace("_", " ").strip().capitalize() or slug
