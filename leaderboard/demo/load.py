"""Load the demo challenge through the same services that pages use."""

from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from leaderboard.demo.people import LOGINS, TEAM_NAME, Login
from leaderboard.models import Challenge, Phase, Submission, Team, User
from leaderboard.services.human import human_row_create
from leaderboard.services.references import (
    phase_set_references,
    reference_set_get_or_create,
    references_read,
)
from leaderboard.services.submissions import SystemDescription, Upload, submission_accept
from leaderboard.services.teams import team_create

DATA = Path(__file__).resolve().parent / "data"
CHALLENGE = "everyday-sounds"
PHASE = "open"

DESCRIPTION = """\
Describe what is heard in 72 short recordings of everyday sounds, one sentence each.

This challenge comes with Earmark so that every page has something true to show.
Captions, systems and teams were made up by the authors of Earmark; there are no
recordings behind them. Each system was written to have one trait, which its page
names: see whether the metrics find it.

To take part, log in as the demo participant, fetch the list of clips from the
submit page, and upload a file with one caption for each.
"""


def demo_load(*, now: datetime) -> list[Submission]:
    """Load challenge, people and systems where they are missing; give the new submissions."""
    people = {login.username: _person(login) for login in LOGINS}
    organiser, participant = people["organiser"], people["participant"]
    phase = _phase(organiser, now)
    _team(TEAM_NAME, participant, now)
    new = []
    for system in yaml.safe_load((DATA / "systems.yaml").read_text())["systems"]:
        team = _team(system["team"], organiser, now)
        if not Submission.objects.filter(
            phase=phase, team=team, system_name=system["name"]
        ).exists():
            new.append(_submission(phase, team, system, now))
    human = human_row_create(phase=phase, actor=organiser, now=now)
    return [*new, human] if human.created_at == now else new


def _person(login: Login) -> User:
    user, made = User.objects.get_or_create(
        username=login.username,
        defaults={
            "email": f"{login.username}@demo.invalid",
            "is_staff": login.organiser,
            "is_superuser": login.organiser,
        },
    )
    if made:
        user.set_password(login.password)
        user.save(update_fields=["password"])
    return user


def _phase(organiser: User, now: datetime) -> Phase:
    challenge, made = Challenge.objects.get_or_create(
        slug=CHALLENGE,
        defaults={
            "title": "Everyday sounds",
            "summary": "The demo challenge: 72 clips, five references each, systems made up "
            "so that each shows one trait.",
            "description": DESCRIPTION,
            "published": True,
        },
    )
    if made:
        challenge.organisers.add(organiser)
    phase, made = Phase.objects.get_or_create(
        challenge=challenge,
        slug=PHASE,
        defaults={
            "name": "Open phase",
            "ranking_metric": "fense",
            "quota_per_day": 20,
            "references_public": True,
            "opens_at": now,
        },
    )
    if made:
        references, _ = references_read(
            data=(DATA / "references.csv").read_bytes(), file_name="references.csv"
        )
        stored = reference_set_get_or_create(references=references, name="Everyday sounds", now=now)
        phase_set_references(phase=phase, reference_set=stored, actor=organiser, now=now)
    return phase


def _team(name: str, owner: User, now: datetime) -> Team:
    found = Team.objects.filter(name=name).first()
    return found or team_create(name=name, affiliation="Made up for the demo", owner=owner, now=now)


def _submission(phase: Phase, team: Team, system: dict[str, Any], now: datetime) -> Submission:
    file = DATA / "systems" / f"{system['slug']}.csv"
    return submission_accept(
        phase=phase,
        team=team,
        user=None,
        system=SystemDescription(
            name=system["name"], description=system["description"], metadata=_metadata(system)
        ),
        upload=Upload(file.read_bytes(), file.name),
        now=now,
    )


def _metadata(system: dict[str, Any]) -> dict[str, Any]:
    described = system["metadata"]["system"]
    names = [dataset["name"] for dataset in described.get("external_datasets") or ()]
    found = {
        "audio_modelling": described["description"].get("audio_modelling"),
        "word_modelling": described["description"].get("word_modelling"),
        "total_parameters": described["complexity"].get("total_parameters"),
        "external_datasets": ", ".join(names),
    }
    return {key: value for key, value in found.items() if value}
