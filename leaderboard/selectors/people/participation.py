"""Whether a team takes part in a challenge and what it lacks; all of them, for its organisers."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Lower
from django.urls import reverse

from leaderboard.models import (
    Challenge,
    ChallengeParticipation,
    Membership,
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


PAGE = 50
# A team that handed in before it had to ask.
UNASKED = "unasked"
STATES = {**dict(ParticipationState.choices), UNASKED: "Submitted without a request"}


@dataclass(frozen=True, slots=True)
class ParticipantRow:
    """A team; ``part`` is None where it submitted and never had to ask."""

    team: Team
    part: ChallengeParticipation | None
    people: tuple[User, ...]
    submissions: int

    @property
    def state(self) -> str:
        """The key of the row in ``STATES``."""
        return UNASKED if self.part is None else self.part.state

    @property
    def state_name(self) -> str:
        """The state in words."""
        return STATES[self.state]


def participants_of(challenge: Challenge, *, state: str = "", text: str = "") -> QuerySet[Team]:
    """Teams that asked, take part or submitted: who waits comes first, then by name.

    ``state`` is a key of ``STATES``; ``text`` is in the name of a team or of a member.
    """
    parts = ChallengeParticipation.objects.filter(challenge=challenge, team=OuterRef("pk"))
    handed_in = Submission.objects.of_teams().filter(
        phase__challenge=challenge, team=OuterRef("pk")
    )
    rows = Team.objects.annotate(waits=Exists(parts.filter(state=ParticipationState.ASKED)))
    if state == UNASKED:
        rows = rows.filter(~Exists(parts), Exists(handed_in))
    elif state:
        rows = rows.filter(Exists(parts.filter(state=state)))
    else:
        rows = rows.filter(Exists(parts) | Exists(handed_in))
    if text:
        named = Q(memberships__user__username__icontains=text)
        teams = Team.objects.filter(Q(name__icontains=text) | named)
        rows = rows.filter(pk__in=teams.values("pk"))
    return rows.order_by("-waits", Lower("name"), "pk")


def participant_rows(challenge: Challenge, teams: Iterable[Team]) -> list[ParticipantRow]:
    """Some teams with their people and numbers; the queries do not grow with the teams."""
    listed = list(teams)
    keys = [team.pk for team in listed]
    parts = {
        part.team_id: part
        for part in challenge.participations.filter(team__in=keys).select_related(
            "asked_by", "accepted_by", "decided_by"
        )
    }
    people: dict[int, list[User]] = {key: [] for key in keys}
    memberships = Membership.objects.filter(team__in=keys).select_related("user")
    for membership in memberships.order_by("user__username"):
        people[membership.team_id].append(membership.user)
    counts = dict(
        Submission.objects.of_teams()
        .filter(phase__challenge=challenge, team__in=keys)
        .order_by()
        .values("team")
        .annotate(count=Count("pk"))
        .values_list("team", "count")
    )
    return [
        ParticipantRow(team, parts.get(team.pk), tuple(people[team.pk]), counts.get(team.pk, 0))
        for team in listed
    ]
