"""Whether a team takes part in a challenge, and what it lacks."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from leaderboard.models import (
    Challenge,
    ChallengeParticipation,
    ParticipationState,
    Submission,
    Team,
    User,
)


class MissingStep(StrEnum):
    """What keeps a team from submitting."""

    NOTHING = ""
    ACCEPT = "accept"
    ASK = "ask"
    WAIT = "wait"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class TakingPart:
    """How far a team is in a challenge; ``row`` is None before it asked."""

    challenge: Challenge
    team: Team
    row: ChallengeParticipation | None

    @property
    def missing(self) -> MissingStep:
        """What keeps the team from submitting; nothing where the challenge asks for nothing."""
        challenge, row = self.challenge, self.row
        if not challenge.asks_to_take_part:
            return MissingStep.NOTHING
        if row is None:
            return MissingStep.ASK if challenge.approval else MissingStep.ACCEPT
        if row.state == ParticipationState.REFUSED:
            return MissingStep.REFUSED
        if row.state == ParticipationState.WITHDRAWN:
            return MissingStep.WITHDRAWN
        if challenge.terms and (row.terms_version or 0) < challenge.terms_version:
            return MissingStep.ACCEPT
        return MissingStep.WAIT if row.state == ParticipationState.ASKED else MissingStep.NOTHING

    @property
    def may_ask(self) -> bool:
        """Whether the team itself can do something about it.

        Who was refused may ask again as long as organisers admit teams.
        """
        missing = self.missing
        return missing in {MissingStep.ASK, MissingStep.ACCEPT} or (
            missing == MissingStep.REFUSED and self.challenge.approval
        )

    @property
    def sentence(self) -> str:
        """How the team stands; empty where the challenge asks for nothing."""
        team, challenge, row = self.team, self.challenge, self.row
        reason = f" Their reason: {row.reason}" if row is not None and row.reason else ""
        again = row is not None and row.terms_version is not None
        sentences = {
            MissingStep.ASK: f"{team} has not asked to take part in {challenge}.",
            MissingStep.ACCEPT: f"{team} has not accepted the terms of {challenge}"
            f"{', which have changed' if again else ''}.",
            MissingStep.WAIT: f"{team} asked to take part in {challenge}. Its organisers have "
            "not decided yet; a notice tells you when they have.",
            MissingStep.REFUSED: f"The organisers of {challenge} did not admit {team}.{reason}",
            MissingStep.WITHDRAWN: f"The organisers of {challenge} withdrew the admission of "
            f"{team}.{reason}",
        }
        takes_part = f"{team} takes part in {challenge}." if row is not None else ""
        return sentences.get(self.missing, takes_part)

    @property
    def advice(self) -> str:
        """What the team can do, with the address where; empty where it can do nothing."""
        if not self.may_ask:
            return ""
        address = settings.SITE_URL + reverse("leaderboard:take-part", args=[self.challenge.slug])
        if self.missing == MissingStep.ACCEPT:
            return f"Accept them at {address} and submit again."
        again = " again" if self.missing == MissingStep.REFUSED else ""
        return f"Ask{again} at {address} and submit once you are admitted."


def taking_part(challenge: Challenge, teams: Iterable[Team]) -> list[TakingPart]:
    """How each of some teams stands in a challenge; no query where it asks for nothing."""
    listed = list(teams)
    if not challenge.asks_to_take_part:
        return [TakingPart(challenge, team, None) for team in listed]
    rows = {row.team_id: row for row in challenge.participations.filter(team__in=listed)}
    return [TakingPart(challenge, team, rows.get(team.pk)) for team in listed]


def terms_digest(challenge: Challenge) -> str:
    """SHA-256 of the terms as they are now."""
    return sha256(challenge.terms.encode()).hexdigest()


def people_taking_part(challenge: Challenge) -> QuerySet[User]:
    """Everyone with a log-in in a team that was admitted or handed something in, each once."""
    handed_in = Submission.objects.of_teams().filter(phase__challenge=challenge)
    admitted = ChallengeParticipation.objects.filter(
        challenge=challenge, state=ParticipationState.ADMITTED
    )
    teams = Team.objects.filter(
        Exists(handed_in.filter(team=OuterRef("pk"))) | Exists(admitted.filter(team=OuterRef("pk")))
    )
    return User.objects.filter(pk__in=teams.values("memberships__user"), is_active=True)


def waiting_count(challenge: Challenge) -> int:
    """How many teams wait for a decision of the organisers."""
    return challenge.participations.filter(state=ParticipationState.ASKED).count()
