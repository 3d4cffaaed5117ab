"""Load the demo challenge through the same services that pages use."""

from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from django.db import transaction

from earmark.captions import References
from earmark.packages.reading import File
from leaderboard.demo import LOGINS, OTHERS, TEAM_NAME
from leaderboard.demo.recordings import recordings_write
from leaderboard.models import Challenge, Phase, Submission, Team, User
from leaderboard.selectors.labellers.use import new_phase_parameters
from leaderboard.services.clips.audio import audio_add
from leaderboard.services.organising.references import (
    phase_set_references,
    reference_set_get_or_create,
    references_read,
)
from leaderboard.services.people.teams import team_create
from leaderboard.services.submissions.accepting import SystemDescription, submission_accept
from leaderboard.services.submissions.human_row import human_row_create

DATA = Path(__file__).resolve().parent / "data"
CHALLENGE = "everyday-sounds"
PHASE = "open"
# Between two systems, the last one of the list first: the history of ranks has something to show.
APART = timedelta(days=2)

DESCRIPTION = """\
Describe what is heard in 72 short recordings, one sentence each.

This challenge comes with Earmark so that every page has something to show. A program
made its sounds and their references, so the references are true: knocks, bells, birds,
water, engines, footsteps and more, alone, at once or one after the other. Systems and
teams are fictional, except for the baseline, which was trained with the starter kit for
some minutes. Each has one trait, which its page names: see whether the metrics find it.

To take part, log in as the demo participant, fetch the list of clips from the
submit page, and upload a file with one caption for each. Sounds of the same kind to
train with are made by `earmark sounds FOLDER`.
"""


@transaction.atomic
def demo_load(*, now: datetime) -> list[Submission]:
    """Load challenge, people and systems where they are missing; returns the new submissions.

    A site that has the demo of an earlier version, with other clips, keeps it as it is.
    """
    references, _ = references_read(
        data=(DATA / "references.csv").read_bytes(), file_name="references.csv"
    )
    here = Phase.objects.filter(challenge__slug=CHALLENGE, slug=PHASE, reference_set__isnull=False)
    if here.exclude(reference_set__content_hash=references.content_hash).exists():
        return []
    people = {
        login.username: _person(
            login.username,
            login.password,
            email=f"{login.username}@demo.invalid",
            is_staff=login.organiser,
            is_superuser=login.organiser,
        )
        for login in LOGINS
    }
    organiser, participant = people["organiser"], people["participant"]
    others = _person(OTHERS, None, is_active=False)
    listed = yaml.safe_load((DATA / "systems.yaml").read_text())["systems"]
    phase = _phase(organiser, opens_at=now - APART * (len(listed) + 1))
    _clips(phase, references, organiser, now)
    _team(TEAM_NAME, participant, now)
    new = []
    for ago, system in reversed(list(enumerate(listed, 1))):
        at = now - APART * ago
        team = _team(system["team"], others, at)
        # By their teams: earlier versions had other names for the systems.
        if not Submission.objects.filter(phase=phase, team=team).exists():
            new.append(_submission(phase, team, system, at))
    human = human_row_create(phase=phase, actor=organiser, now=now)
    return [*new, human] if human.created_at == now else new


def _person(name: str, password: str | None, **fields: Any) -> User:
    """An account, made where it is missing; without a password nobody can log in to it."""
    user = User.objects.filter(username=name).first()
    return user or User.objects.create_user(name, password=password, **fields)


def _phase(organiser: User, *, opens_at: datetime) -> Phase:
    challenge, created = Challenge.objects.get_or_create(
        slug=CHALLENGE,
        defaults={
            "title": "Everyday sounds",
            "summary": "A demo: 72 synthetic sounds with five references each, and fictional "
            "systems, each with one trait.",
            "description": DESCRIPTION,
            "published": True,
        },
    )
    if created:
        challenge.organisers.add(organiser)
    phase, _ = Phase.objects.get_or_create(
        challenge=challenge,
        slug=PHASE,
        defaults={
            "name": "Open phase",
            "ranking_metric": "fense",
            "quota_per_day": 20,
            "references_public": True,
            "opens_at": opens_at,
            "parameters": new_phase_parameters(),
        },
    )
    return phase


def _clips(phase: Phase, references: References, organiser: User, now: datetime) -> None:
    """Set the references and add the recordings, where they are not there yet."""
    if phase.reference_set is None:
        stored = reference_set_get_or_create(
            challenge=phase.challenge, references=references, name="Everyday sounds", now=now
        )
        phase_set_references(phase=phase, reference_set=stored, actor=organiser, now=now)
    if phase.reference_set is not None and not phase.reference_set.audio.exists():
        with TemporaryDirectory() as folder:
            recordings_write(Path(folder))
            audio_add(phase=phase, path=Path(folder), actor=organiser, now=now)


def _team(name: str, owner: User, now: datetime) -> Team:
    team = Team.objects.filter(name=name).first()
    return team or team_create(name=name, affiliation="Fictional (demo)", owner=owner, now=now)


def _submission(phase: Phase, team: Team, system: dict[str, Any], now: datetime) -> Submission:
    file = DATA / "systems" / f"{system['slug']}.csv"
    return submission_accept(
        phase=phase,
        team=team,
        user=None,
        system=SystemDescription(
            name=system["name"], description=system["description"], metadata=system["metadata"]
        ),
        upload=File(file.name, file.read_bytes()),
        now=now,
    )
